import type { Store } from '../api';
import { openWriterPart } from '../commands/writer-part';
import { readOnlyWriter, writerIn } from '../commands/writers';
import type { ReadOnly } from '../file/read-only';
import type { StoreNotice } from '../notices';
import { createProjector } from '../projections/projector';
import type { StepProjector } from '../projections/step-projector';
import { readerIn } from '../queries/answers';
import { openReads } from '../queries/reads';
import { type IndexPart, openIndexPart } from '../search/index-part';
import { readLogsApart } from './merge-thread';
import { AssembledStore, Notices } from './store-parts';

export interface InProcessOptions {
  /** Folder of the bundled worker entries; without it no pattern can be searched, and other logs are read in this thread. */
  workerDir?: string;
  device?: string;
  /** As in `OpenStoreOptions`. */
  data?: string | undefined;
  now?: () => number;
  projector?: StepProjector;
  listenerFailed?: (thrown: unknown) => void;
  ballastBytes?: number;
  backupEveryMs?: number;
  partBytes?: number;
  /** As in `OpenStoreOptions`. */
  readOnly?: ReadOnly | undefined;
}

/** The whole store in the calling thread: for one look of the command line, for unit tests, and for measuring the core. */
export function openStoreInProcess(folder: string, options: InProcessOptions = {}): Store {
  const now = options.now ?? Date.now;
  const projector = options.projector ?? createProjector();
  const notices = new Notices(options.listenerFailed);
  const notify = (notice: StoreNotice) => notices.publish(notice);
  const core = openWriterPart({
    folder,
    now,
    projector,
    ballastBytes: options.ballastBytes ?? 0,
    notify,
    partBytes: options.partBytes,
    readOnly: options.readOnly,
    data: options.data,
    ...(options.workerDir === undefined ? {} : { openLog: readLogsApart(options.workerDir) }),
    ...(options.device === undefined ? {} : { device: options.device }),
  });
  let index: IndexPart;
  try {
    index = openIndexPart(folder, {
      now,
      projector,
      notify,
      workers: options.workerDir ?? null,
      ...(options.backupEveryMs === undefined ? {} : { backupEveryMs: options.backupEveryMs }),
    });
  } catch (thrown) {
    core.halt();
    throw thrown;
  }
  const { reads, close } = openReads(folder, now);
  const reader = readerIn({ read: reads, index: index.reads }, () => core.drain());
  const writer = writerIn({ write: core, index });
  const allowed = core.readOnly ? readOnlyWriter(writer, folder) : writer;
  return new AssembledStore(folder, allowed, reader, notices, {
    readOnly: core.readOnly,
    drainWrites: () => core.drain(),
    drainIndex: () => index.drain(),
    close: async () => {
      await index.close();
      await core.close();
      close();
    },
  });
}
