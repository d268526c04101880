import { WaymarkError } from '@shared/contract/errors';
import { type ForeignLog, openForeignLog } from '../log/checked-log';
import { serveThread } from './serve-thread';

/** Entry of the thread that reads another annotation log for a merge. It ends by itself once it was closed, as it runs SQL. */
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
