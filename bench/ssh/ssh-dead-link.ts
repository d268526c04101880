import type { HostComputer } from '../../electron/computer/hosts';
import { eventually } from '../../electron/testing/deadline';
import { type Bench, figure, quantile, rounds, spread } from '../harness';
import { type BenchHost, openBenchHost } from './bench-host';

/** Seconds from a silent loss of every packet until the link is known to be down. */
export const sshDeadLink: Bench = {
  name: 'ssh-dead-link',
  about: 'a link that silently drops every packet: seconds until it is noticed, idle and after typing',
  async run() {
    // Waiting is nearly all they do: the rounds have a host each and go on beside one another.
    const all = await Promise.all(Array.from({ length: rounds }, () => losses()));
    const idle = all.map((each) => each.idle);
    const typed = all.map((each) => each.typed);
    return [
      figure(
        'dead-link-idle',
        quantile(idle, 1),
        's',
        { is: '≤', value: 15 },
        { detail: `worst; ${spread(idle)} s` },
      ),
      figure(
        'dead-link-typed',
        quantile(typed, 1),
        's',
        { is: '≤', value: 6 },
        { detail: `worst; ${spread(typed)} s` },
      ),
    ];
  },
};

/** Seconds until the link of a host of its own is known to be down: idle, then after typing. */
async function losses(): Promise<{ idle: number; typed: number }> {
  const bench = await openBenchHost();
  try {
    const computer = await bench.computer('bench');
    await computer.sessions.create({ name: 's', cwd: bench.host.home, env: {}, rows: 40, cols: 160 });
    const idle = await noticed(bench, computer, false);
    const typed = await noticed(bench, computer, true);
    await computer.sessions.close('s');
    await computer.dispose();
    return { idle, typed };
  } finally {
    await bench.close();
  }
}

async function noticed({ host, hosts }: BenchHost, computer: HostComputer, typing: boolean): Promise<number> {
  await computer.linked(AbortSignal.timeout(60_000));
  await host.network?.drop();
  const start = performance.now();
  const lost = new Promise<number>((resolve) => {
    const stop = hosts.onHealth((changed) => {
      if (!changed.some(({ state }) => state === 'down' || state === 'connecting')) return;
      stop();
      resolve((performance.now() - start) / 1000);
    });
  });
  // The answer never comes; that it is refused in the end is what is waited for.
  const write = typing
    ? computer.sessions.write('s', Buffer.from('x')).then(
        () => false,
        () => true,
      )
    : Promise.resolve(true);
  const seconds = await lost;
  if (!(await write)) throw new Error('A key was acknowledged over a dead link.');
  await host.network?.undrop();
  hosts.retryNow();
  await eventually('the link is back', () => computer.health().state === 'good', 60_000);
  return seconds;
}
