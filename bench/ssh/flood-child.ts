import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { ulid } from 'ulid';
import { openStore } from '../../electron/store/threads/client';
import { recorderOf } from '../engine/output-recorder';
import { creation } from '../engine/run-events';
import { watchGrowth } from '../window/memory';
import { computerOf, hostsOf } from './bench-host';

export interface EngineFlood {
  /** Most resident memory of the storing process over what it had before, MB. */
  growth: number;
  /** A key into another session of the host until its echo is here, ms. */
  echoes: number[];
  /** Bytes of the flood that were stored. */
  stored: number;
  seconds: number;
}

/**
 * `FOLDER CONFIG HOME COMMAND`: stores what a command prints in one session of a host, and types into another one
 * meanwhile. Prints an `EngineFlood`.
 */
export async function storeFlood(args: readonly string[]): Promise<void> {
  const [folder = '', config = '', cwd = '', command = ''] = args;
  const store = await openStore(join(folder, 'workspace'), {});
  const run = ulid();
  await store.writer.append(run, 1, creation(run, 1));
  const hosts = hostsOf(config);
  const computer = computerOf(hosts, 'flood');
  await computer.linked(AbortSignal.timeout(60_000));
  const log = recorderOf(store, run, computer);
  const size = { cwd, env: {}, rows: 40, cols: 160 };
  const flood = await computer.sessions.create({ name: 'flood', ...size });
  const typed = await computer.sessions.create({ name: 'typed', ...size });
  await computer.sessions.run('typed', 'cat > /dev/null');
  let heard: () => void = () => undefined;
  const stop = new AbortController();
  const following = computer.sessions.follow('typed', typed.endOffset, () => heard(), stop.signal);
  const echo = async () => {
    const start = performance.now();
    const back = new Promise<number>((resolve) => {
      heard = () => resolve(performance.now() - start);
    });
    const [ms] = await Promise.all([back, computer.sessions.write('typed', Buffer.from('x'))]);
    return ms;
  };
  log.follow(computer.name, 'flood', flood.id, 0);
  for (let warm = 0; warm < 10; warm += 1) await echo();
  const growth = watchGrowth(process.pid);
  const start = performance.now();
  const { commandSeq } = await computer.sessions.run('flood', command);
  let over = false;
  const ended = computer.sessions.waitCommand('flood', commandSeq, {}).then(async ({ endOffset }) => {
    let stored = 0;
    while (stored < endOffset) {
      await sleep(50);
      stored = (await store.reader.readSession(run, flood.id, 0, 1)).endOffset;
    }
    over = true;
    return stored;
  });
  const echoes: number[] = [];
  while (!over) {
    echoes.push(await echo());
    await sleep(20 + Math.random() * 30);
  }
  const result: EngineFlood = {
    growth: growth(),
    echoes,
    stored: await ended,
    seconds: (performance.now() - start) / 1000,
  };
  stop.abort();
  await following;
  await log.stop();
  await computer.sessions.close('flood');
  await computer.sessions.close('typed');
  await computer.dispose();
  await hosts.dispose();
  await store.close();
  process.stdout.write(`${JSON.stringify(result)}\n`);
}
