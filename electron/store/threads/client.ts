import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { Store } from '../api';
import { readOnlyWriter, writerOver } from '../commands/writers';
import { offerAddresses } from '../file/file-addresses';
import type { ReadOnly } from '../file/read-only';
import { readerOver } from '../queries/answers';
import { readsFrom } from './reads-from';
import { AssembledStore, Notices, thrownLater } from './store-parts';
import { type StoreThreads, startThreads } from './store-thread';
import type { ThreadData } from './thread-protocol';

export interface OpenStoreOptions {
  /** Folder of `writer-worker.js` and `reader-worker.js`; by default where the running bundle lies. */
  workerDir?: string;
  /** Threads that were started before the folder was known, and that nothing else uses. */
  threads?: StoreThreads | undefined;
  /** Name of this installation: its identity in annotation entries begins with it. By default the machine's. */
  device?: string;
  /** The application's data folder: it keeps which workspaces were worked in. Absent: what their rows say of it counts. */
  data?: string | undefined;
  /** Id for the outbox or annotation entry that is being asked for, where its asker chose one. */
  entryId?: () => string | undefined;
  /** A listener for notices has thrown; by default the process hears of it as of any bug. */
  listenerFailed?: (thrown: unknown) => void;
  /** A thread that waited could not open; whoever asks it is told why. By default the process hears of it as of any bug. */
  lateRefusal?: (thrown: unknown) => void;
  /** Room kept free for a clean stop on a full disk, at most a twentieth of what is free; default 64 MB. */
  ballastBytes?: number;
  /** How often changed hints and labels are copied, ms; default 15 minutes. */
  backupEveryMs?: number;
  /** Nothing is recorded in it, no run is driven, nothing half done is finished. */
  readOnly?: ReadOnly | undefined;
}

/** Room kept free for a clean stop on a full disk. */
export const ballastBytes = 64 * 1024 * 1024;

/**
 * Opens (or creates) the workspace in a folder: a writing thread and two reading ones. Rejects with
 * `workspace_newer`, `workspace_network_fs`, `workspace_corrupt` or `read_only`, and has changed nothing then.
 */
export async function openStore(folder: string, options: OpenStoreOptions = {}): Promise<Store> {
  const notices = new Notices(options.listenerFailed);
  const { write, read, index } = options.threads ?? startThreads(options.workerDir ?? bundledWorkers());
  const data = threadData(folder, options);
  try {
    // Offered before the writer is told to open: it may be quicker than this thread's next line.
    const offered = offerAddresses();
    // The writer refuses or brings up to date what the others then read.
    await write.open({ ...data, alsoReads: !read.hasBegun }, notices.publish).finally(offered);
    const opening = read.open(data, notices.publish);
    const indexing = index.open(data, notices.publish);
    const late = options.lateRefusal ?? thrownLater;
    const reads = read.hasBegun ? read : readsFrom({ read, write }, opening, late);
    if (!index.hasBegun) indexing.catch(late);
    const [readOnly] = await Promise.all([
      write.call<boolean>('isReadOnly', []),
      read.hasBegun ? opening : null,
      index.hasBegun ? indexing : null,
    ]);
    const threads = { write, index };
    const writer = writerOver(
      (thread, name, args) => threads[thread].call(name, args),
      options.entryId ?? (() => undefined),
    );
    return new AssembledStore(
      folder,
      readOnly ? readOnlyWriter(writer, folder) : writer,
      readerOver((thread, name, args) => (thread === 'read' ? reads : index).call(name, args), {
        stepsMatching: (run, text) => index.call('stepsMatching', [run, text]),
        drainWrites: () => write.call('drain', []),
      }),
      notices,
      {
        readOnly,
        drainWrites: () => write.call('drain', []),
        drainIndex: () => index.call('drain', []),
        // A thread that has died refuses; the others must still end, or the process never does.
        close: async () => {
          try {
            await index.close();
          } finally {
            try {
              await write.close();
            } finally {
              await read.close();
            }
          }
        },
      },
    );
  } catch (thrown) {
    // The one that refused has ended.
    await Promise.allSettled([index.close(), write.close(), read.close()]);
    throw thrown;
  }
}

function threadData(folder: string, options: OpenStoreOptions): Omit<ThreadData, 'role'> {
  return {
    folder,
    device: options.device ?? null,
    ballastBytes: options.ballastBytes ?? ballastBytes,
    data: options.data ?? null,
    backupEveryMs: options.backupEveryMs ?? null,
    readOnly: options.readOnly ?? false,
    resourcesPath: (process as { resourcesPath?: string }).resourcesPath ?? null,
  };
}

/** The bundle is CommonJS; a piece of it may lie in a folder below the entries. */
export function bundledWorkers(): string {
  const here = typeof __dirname === 'undefined' ? null : __dirname;
  const found =
    here === null
      ? undefined
      : [here, dirname(here)].find((folder) => existsSync(join(folder, 'writer-worker.js')));
  if (found === undefined) {
    throw new WaymarkError(
      'bug',
      'The store needs `workerDir` when it does not run from the built application.',
    );
  }
  return found;
}
