import { join } from 'node:path';
import { StoreThread } from './store-thread';

/** The threads of one store: one writes, two read. */
export interface StoreThreads {
  write: StoreThread;
  read: StoreThread;
  index: StoreThread;
}

/** Starts them in the folder of the bundled entries, all at once: loading their code takes longer than opening a file. */
export function startThreads(workers: string): StoreThreads {
  return {
    write: new StoreThread(join(workers, 'writer-worker.js'), 'write'),
    read: new StoreThread(join(workers, 'reader-worker.js'), 'read'),
    index: new StoreThread(join(workers, 'reader-worker.js'), 'index'),
  };
}
