import type { HostComputer } from '../../electron/computer/hosts';
import { eventually } from '../../electron/testing/deadline';
import { type Bench, figure, quantile, rounds, spread } from '../harness';
import { type BenchHost, openBenchHost } from './bench-host';

/** Seconds from a silent loss of every packet until the link is known to be down. */
export const sshDeadLink: Bench = {
  name: 'ssh-dead-link',
  about: 'a link that silently drops every packet: seconds until it is noticed, idle and after typing',
  async run() {
    const bench = await openBenchHost();
    try {
      const computer = await bench.computer('bench');
      await computer.sessions.create({ name: 's', cwd: bench.host.home, env: {}, rows: 40, cols: 160 });
      const idle: number[] = [];
      const typed: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        idle.push(await noticed(bench, computer, false));
        typed.push(await noticed(bench, computer, true));
      }
      await computer.sessions.close('s');
      await computer.dispose();
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
    } finally {
      await bench.close();
    }
  },
};

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
