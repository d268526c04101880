import { sshShell } from '../baselines/ssh-shell-line';
import { type Bench, figure, latency, median, quantile, rounds, type Sides, size, spread } from '../harness';
import { openActions } from '../open-actions';
import { openBenchHost } from './bench-host';

/** One command and one new session over a warm link. */
export const sshCommands: Bench = {
  name: 'ssh-commands',
  about:
    '`run_command true` in an open session against a line in a raw `ssh -tt` shell; a new session on a warm link',
  async run(options) {
    const bench = await openBenchHost();
    try {
      const computer = await bench.computer('bench');
      const { runTrue } = await openActions(computer, bench.host.home);
      const raw = await sshShell(bench.target);
      const per = Math.ceil(size(options, 100, 500, 10) / rounds);
      const sides: Sides = { baseline: [], ours: [] };
      for (let warm = 0; warm < 5; warm += 1) await runTrue();
      for (let round = 0; round < rounds; round += 1) {
        for (let each = 0; each < per; each += 1) sides.baseline.push(await raw.line());
        for (let each = 0; each < per; each += 1) sides.ours.push(await runTrue());
      }
      await raw.close();
      const created: number[] = [];
      for (let each = 0; each < size(options, 15, 50, 3); each += 1) {
        const start = performance.now();
        await computer.sessions.create({
          name: `new-${each}`,
          cwd: bench.host.home,
          env: {},
          rows: 40,
          cols: 160,
        });
        created.push(performance.now() - start);
        await computer.sessions.close(`new-${each}`);
      }
      await computer.sessions.close('main');
      await computer.dispose();
      const more = median(sides.ours) - median(sides.baseline);
      return [
        figure(
          'ssh-run-command',
          more,
          'ms',
          { is: '≤', value: 8 },
          {
            baseline: median(sides.baseline),
            detail: `median more than the raw line; p95 ${(quantile(sides.ours, 0.95) - quantile(sides.baseline, 0.95)).toFixed(1)} ms more; ours ${spread(sides.ours)} ms, raw line ${spread(sides.baseline)} ms; n = ${sides.ours.length} each`,
          },
        ),
        latency('ssh-new-session', created, 300, `until the first prompt, n = ${created.length}`),
      ];
    } finally {
      await bench.close();
    }
  },
};
