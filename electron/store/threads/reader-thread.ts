import { writesOf } from '../commands/writers';
import type { StoreNotice } from '../notices';
import { createProjector } from '../projections/projector';
import { answersOf } from '../queries/answers';
import { openReads } from '../queries/reads';
import { openIndexPart } from '../search/index-part';
import { serveThread } from './serve-thread';
import type { ThreadData } from './thread-protocol';

/** The two reading threads: bounded reads, and what may take long (search, verification, backups). `workers`: folder of the entries. */
export function serveReads(workers: string): void {
  serveThread((data, notify) => openPart(data, notify, workers));
}

function openPart(data: ThreadData, notify: (notice: StoreNotice) => void, workers: string) {
  if (data.role === 'index') {
    const index = openIndexPart(data.folder, {
      now: Date.now,
      projector: createProjector(),
      notify,
      workers,
      ...(data.backupEveryMs === null ? {} : { backupEveryMs: data.backupEveryMs }),
    });
    return {
      ...answersOf('index', index.reads),
      ...writesOf('index', index),
      drain: index.drain.bind(index),
      close: index.close.bind(index),
    };
  }
  const { reads, close } = openReads(data.folder);
  return { ...answersOf('read', reads), close: async () => close() };
}
