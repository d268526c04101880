import type { HintPort } from '../agent/ports';
import type { OutboxFollower } from './outbox-follower';

/** The durable buffer of APOLLO Algorithm 1, part B: hints wait in the outbox until the loop takes them. */
export function createHintBuffer(follower: OutboxFollower, humanHints: boolean): HintPort {
  return {
    async due(fresh) {
      if (fresh) {
        await follower.refresh();
      }
      return { head: follower.head, hints: humanHints ? follower.queue.waiting() : [] };
    },
  };
}
