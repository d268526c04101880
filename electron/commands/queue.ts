import type { queueCommands } from '@shared/contract/ipc/queue';
import { paceOf } from '@shared/labels/review/pace';
import type { Author } from '@shared/log/annotations';
import { assignBatch, planBatch, takeBackBatch } from '../review/review-queue';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

type QueueHandlers = HandlersOf<typeof queueCommands>;

export interface QueueHandlerOptions {
  holder: WorkbenchHolder;
  /** Whose queue it is. */
  author(): Author;
}

/** Who is to review what, and how that goes. */
export function queueHandlers({ holder, author }: QueueHandlerOptions): QueueHandlers {
  const store = () => holder.require().store;
  const reader = () => store().reader;
  return {
    'queue.view': ({ run }) => reader().queueView(author(), run),
    'queue.next': ({ run, from, direction }) => reader().queueNext(author(), run, from, direction),
    'queue.annotators': async () => {
      const known = await reader().annotators();
      const self = author();
      return known.some(({ uuid }) => uuid === self.uuid) ? known : [...known, self];
    },
    'queue.plan': (order) => planBatch(reader(), order),
    'queue.assign': ({ digest, ...order }) => assignBatch(store(), author(), order, digest),
    'queue.batches': async () => (await reader().batches()).map(({ entries: _entries, ...batch }) => batch),
    'queue.takeBack': ({ batch }) => takeBackBatch(store(), author(), batch),
    'queue.people': ({ runs }) => reader().people(author(), runs),
    'review.dwell': (decision) => store().writer.keepDwell(author().uuid, decision),
    'review.pace': async () => paceOf(await reader().dwell(author().uuid)),
  };
}
