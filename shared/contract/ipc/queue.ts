import { z } from 'zod';
import { type AssignPlan, blindness } from '../../labels/review/assign-plan';
import type { Pace } from '../../labels/review/pace';
import {
  type AssignBatch,
  type PeopleReport,
  type Person,
  type QueueItem,
  type QueueView,
  queueClasses,
} from '../../labels/review/queue-views';
import { idSchema } from '../id';
import { type CommandRows, direction, none, returns, run, step } from './parts';

const person = z.object({ uuid: z.string().min(1).max(120), name: z.string().trim().min(1).max(80) });

/** What to hand out: the own steps of these runs, as whole runs or segment by segment. */
export const assignOrderSchema = z.object({
  runs: z.array(run).min(1).max(500),
  by: z.enum(['run', 'segment']),
  people: z.array(person).min(1).max(50),
  overlap: z.number().min(0).max(1),
  blind: z.enum(blindness),
});
export type AssignOrder = z.infer<typeof assignOrderSchema>;

/** A plan, and what of its steps somebody is already to review. */
export interface AssignPreview extends AssignPlan {
  already: number;
  titles: Record<string, string>;
}

/** Who is to review what, in which order, and how that goes. */
export const queueCommands = {
  /** The queue of who asks; `run`: the open one, which counts when nobody was assigned to it. */
  'queue.view': {
    input: z.object({ run: run.nullable() }),
    output: returns<QueueView>(),
    place: 'workspace',
    consent: 'free',
  },
  /**
   * The next item in the order of the queue after a place in it (null: the first). In `run` when nobody was assigned to it,
   * else across the runs assigned to who asks.
   */
  'queue.next': {
    input: z.object({
      run: run.nullable(),
      from: z.object({ run, step, class: z.enum(queueClasses).nullable() }).nullable(),
      direction,
    }),
    output: returns<QueueItem | null>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Everybody who has said anything in this workspace or was assigned to it. */
  'queue.annotators': { input: none, output: returns<Person[]>(), place: 'workspace', consent: 'free' },
  'queue.plan': {
    input: assignOrderSchema,
    output: returns<AssignPreview>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Writes what was previewed; refused when it would be another plan by now. */
  'queue.assign': {
    input: assignOrderSchema.extend({ digest: z.string().max(40) }),
    output: returns<{ batch: string; entries: number }>(),
    place: 'workspace',
    consent: 'free',
  },
  'queue.batches': { input: none, output: returns<AssignBatch[]>(), place: 'workspace', consent: 'free' },
  'queue.takeBack': {
    input: z.object({ batch: idSchema }),
    output: returns<{ entries: number }>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Empty: every run in which somebody decided or is to decide. */
  'queue.people': {
    input: z.object({ runs: z.array(run).max(500) }),
    output: returns<PeopleReport>(),
    place: 'workspace',
    consent: 'free',
  },
  /** How long the person had a step before them until they decided; kept in this workspace, for them alone. */
  'review.dwell': {
    input: z.object({
      run,
      step,
      ms: z.int().nonnegative().max(86_400_000),
      class: z.enum(queueClasses).nullable(),
      agreed: z.boolean(),
    }),
    output: returns<void>(),
    place: 'workspace',
    consent: 'free',
  },
  /** Of who asks. */
  'review.pace': { input: none, output: returns<Pace>(), place: 'workspace', consent: 'free' },
} as const satisfies CommandRows;
