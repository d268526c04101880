import { join } from 'node:path';
import { openStore } from '../../electron/store/threads/client';
import { recorderOf } from '../engine/output-recorder';
import { computerOf, hostsOf } from './bench-host';

/**
 * `FOLDER CONFIG RUN UID FROM`: the engine's part that stores a remote session's bytes, until it is killed. Says on
 * standard output how far they are acknowledged.
 */
export async function storeUntilKilled(args: readonly string[]): Promise<void> {
  const [folder = '', config = '', run = '', uid = '', from = '0'] = args;
  const store = await openStore(join(folder, 'workspace'), {});
  const computer = computerOf(hostsOf(config), 'bench');
  store.subscribe((notice) => {
    if (notice.kind === 'session') process.stdout.write(`${notice.endOffset}\n`);
  });
  const log = recorderOf(store, run, computer);
  log.follow(computer.name, 's', uid, Number(from));
  await new Promise(() => undefined);
}
