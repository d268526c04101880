import { join } from 'node:path';
import { queries } from '../queries/table';
import { StoreThread } from './store-thread';

/** The threads of one store: one writes, two read. */
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

/**
 * What a window asks for until its first rows are there, through `readerFor`. None of it takes long on a large run, so no
 * write waits for it; what is withheld takes as long as its person has steps of it to decide blind.
 */
const earlyReads: ReadonlySet<string> = new Set(
  Object.entries(queries).flatMap(([name, { isEarly }]) => (isEarly ? [name] : [])),
);

/**
 * Whom to ask for bounded reads while the thread for them waits: for the first ones the writing thread, which is open, and
 * for others the one for reads, which then begins. Once that one has opened it answers all. `late` hears why it did not open.
 */
export function readsFrom(
  { read, write }: Pick<StoreThreads, 'read' | 'write'>,
  opening: Promise<void>,
  late: (thrown: unknown) => void,
): Pick<StoreThread, 'call'> {
  let open = false;
  opening.then(() => {
    open = true;
  }, late);
  return {
    call: (method, args) => (!open && earlyReads.has(method) ? write : read).call(method, args),
  };
}
