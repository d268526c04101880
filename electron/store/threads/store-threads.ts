import { join } from 'node:path';
import { StoreThread } from './store-thread';

/** The threads of one store: one writes, two read. Loaded before the window is opened: this imports no table of reads. */
export interface StoreThreads {
  write: StoreThread;
  read: StoreThread;
  index: StoreThread;
}

/**
 * Starts them in the folder of the bundled entries, all at once: loading their code takes longer than opening a file.
 * `writerFirst`: the two others begin when they are told to, or with the first question that is theirs.
 */
export function startThreads(workers: string, { writerFirst = false } = {}): StoreThreads {
  const waits = { waits: writerFirst };
  return {
    write: new StoreThread(join(workers, 'writer-worker.js'), 'write'),
    read: new StoreThread(join(workers, 'reader-worker.js'), 'read', waits),
    index: new StoreThread(join(workers, 'reader-worker.js'), 'index', waits),
  };
}
