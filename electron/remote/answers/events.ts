import type { EventPayloads } from '@shared/contract/ipc';
import type { WorkspaceEvent } from '@shared/contract/ipc/event-places';
import { z } from 'zod';
import { at, count, failure, listOf, run, step, terminalPage, text } from './parts';
import { approvalAsked } from './runs';
import { indexProgress } from './search';

const empty = z.object({}).transform((): Record<string, never> => ({}));
const inRun = z.object({ run });

/** What a server may tell the window. A new event of `EventPayloads` does not compile without its schema. */
export const eventSchemas = {
  'run.changed': z.object({ run, seq: count, steps: count }),
  'run.listChanged': empty,
  'labels.changed': z.object({ run, from: step, to: step }),
  'search.progress': indexProgress,
  'hints.changed': inRun,
  'live.delta': z.object({
    run,
    step,
    text: z.exactOptional(text),
    reasoning: z.exactOptional(text),
    call: z.exactOptional(text),
  }),
  'live.session': terminalPage.safeExtend({ run, uid: text, live: count }),
  'session.changed': inRun,
  'session.grew': z.object({
    run,
    sessions: listOf(z.object({ uid: text, endOffset: count, lastByteAt: at })),
  }),
  'workspace.problem': z.object({ problem: failure.nullable() }),
  'workspace.unreadable': z.object({ failure }),
  'approval.asked': approvalAsked,
  'attention.changed': empty,
  'datasets.changed': empty,
  'judge.changed': empty,
  'attention.open': z.object({ run, step: step.nullable() }),
} satisfies { [E in WorkspaceEvent]: z.ZodType<EventPayloads[E]> };
