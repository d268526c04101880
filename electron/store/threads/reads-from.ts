import { queries } from '../queries/table';
import type { StoreThread, StoreThreads } from './store-thread';

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
