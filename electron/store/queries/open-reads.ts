import { openReadContext } from './open-read-context';
import { type Reads, readsOf } from './reads';

/** Opens a connection for bounded reads in this thread. The workspace must have been opened for writing before. */
export function openReads(folder: string, now: () => number = Date.now): { reads: Reads; close(): void } {
  const context = openReadContext(folder, now);
  return { reads: readsOf(context), close: () => context.statements.db.close() };
}
