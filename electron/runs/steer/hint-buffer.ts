import type { HintPort } from '../../agent/ports';
import type { OutboxFollower } from './outbox-follower';

/**
 * The durable buffer of APOLLO Algorithm 1, part B: hints wait in the outbox until the loop takes them. `check` writes down
 * which conditions have come true by now.
 */
export function createHintBuffer(
  follower: OutboxFollower,
  humanHints: boolean,
  check: () => Promise<void> = () => Promise.resolve(),
): HintPort {
  return {
    async due(fresh) {
      if (fresh) {
        await follower.refresh();
      }
      if (!humanHints) {
        return { head: follower.head, hints: [], waiting: [] };
      }
      await check();
      const { head, queue } = follower;
      return {
        head,
        hints: queue.due().map(({ id, text }) => ({ id, text })),
        waiting: queue.waiting().map(({ id }) => id),
      };
    },
  };
}
