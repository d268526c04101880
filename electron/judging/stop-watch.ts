import type { Store } from '../store/api';
import type { HeldBatch } from '../store/log/judge-batches';

/**
 * Calls `asked` once when somebody, in whatever process, has asked for the end of the batch that this process works on. What others
 * commit is noticed within 200 ms, also while answers are waited for. Returns the end of looking.
 */
export function watchStop(
  store: Pick<Store, 'reader' | 'subscribe'>,
  held: HeldBatch,
  asked: () => void,
): () => void {
  let over = false;
  let looking = false;
  let again = false;
  const look = async () => {
    again = true;
    if (looking) return;
    looking = true;
    while (again && !over) {
      again = false;
      try {
        if (!(await store.reader.stopAsked(held)) || over) continue;
        over = true;
        asked();
      } catch {
        // What cannot be read now is looked for after the next commit; a store that stays unreadable ends the batch by itself.
      }
    }
    looking = false;
  };
  const unsubscribe = store.subscribe((notice) => {
    if (notice.kind === 'foreign') void look();
  });
  // It may have been asked before this began to listen.
  void look();
  return () => {
    over = true;
    unsubscribe();
  };
}
