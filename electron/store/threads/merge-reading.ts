import { WaymarkError } from '@shared/contract/errors';
import { type ForeignLog, openForeignLog } from '../log/checked-log';
import { serveThread } from './serve-thread';

/** Reads another annotation log for a merge. The thread ends by itself once the log was closed, as it runs SQL. */
export function serveMerge(): void {
  serveThread(() => {
    let log: ForeignLog | null = null;
    return {
      begin: async (path: string) => {
        log = await openForeignLog(path);
      },
      next: async () => {
        if (log === null) throw new WaymarkError('bug', 'A log was read before it was opened.');
        return log.next();
      },
      close: async () => log?.close(),
    };
  });
}
