import { join } from 'node:path';
import { systemClock } from '../../electron/clock';
import { SessionRecorder } from '../../electron/runs/sessions/session-recorder';
import { openStore } from '../../electron/store/threads/client';
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
  const log = new SessionRecorder({
    store,
    run,
    epoch: 1,
    computers: new Map([[computer.name, computer]]),
    back: { clock: systemClock, random: () => Math.random() },
    record: () => Promise.reject(new Error('Bytes were dropped.')),
    failed: (_session, error) => {
      throw error;
    },
  });
  log.follow(computer.name, 's', uid, Number(from));
  await new Promise(() => undefined);
}
