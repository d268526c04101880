import { setMaxListeners } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Bench, byRound, figure, median, rounds, size } from '../harness';
import { openBenchHost } from './bench-host';

const sessions = 16;
/** Kernel ticks in a second; fixed by the ABI. */
const ticks = 100;

/** What it costs to follow sessions in which nothing happens. */
export const sshIdle: Bench = {
  name: 'ssh-idle',
  about: `following ${sessions} idle sessions on one host: share of a core here and there`,
  async run(options) {
    const bench = await openBenchHost();
    const stop = new AbortController();
    setMaxListeners(0, stop.signal);
    try {
      const computer = await bench.computer('bench');
      const follows: Promise<unknown>[] = [];
      for (let index = 0; index < sessions; index += 1) {
        const name = `s${index}`;
        const { endOffset } = await computer.sessions.create({
          name,
          cwd: bench.host.home,
          env: {},
          rows: 40,
          cols: 160,
        });
        follows.push(computer.sessions.follow(name, endOffset, () => undefined, stop.signal));
      }
      const seconds = size(options, 4, 60, 2);
      const here: number[] = [];
      const there: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const cpu = process.cpuUsage();
        const helper = hostTicks();
        const start = performance.now();
        await sleep(seconds * 1000);
        const elapsed = (performance.now() - start) / 1000;
        const { user, system } = process.cpuUsage(cpu);
        here.push(((user + system) / 1e6 / elapsed) * 100);
        there.push((spent(helper, hostTicks()) / ticks / elapsed) * 100);
      }
      stop.abort();
      await Promise.all(follows);
      for (let index = 0; index < sessions; index += 1) await computer.sessions.close(`s${index}`);
      await computer.dispose();
      const detail = (all: number[]) => `${byRound(all)} %, rounds of ${seconds} s`;
      return [
        figure('ssh-idle-here', median(here), '% of a core', { is: '≤', value: 1 }, { detail: detail(here) }),
        figure(
          'ssh-idle-host',
          median(there),
          '% of a core',
          { is: '≤', value: 1 },
          { detail: detail(there) },
        ),
      ];
    } finally {
      stop.abort();
      await bench.close();
    }
  },
};

/** Ticks spent between two readings; a process that is gone meanwhile takes nothing back. */
function spent(before: ReadonlyMap<string, number>, after: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const [pid, ran] of after) sum += ran - (before.get(pid) ?? 0);
  return sum;
}

/** CPU ticks by process of every process in a namespace of its own: sshd, helper, supervisors, shells of the test host. */
function hostTicks(): Map<string, number> {
  const found = new Map<string, number>();
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue;
    try {
      const status = readFileSync(`/proc/${name}/status`, 'utf8');
      if (!/^NSpid:\s+\d+\s+\d+/m.test(status)) continue;
      const stat = readFileSync(`/proc/${name}/stat`, 'latin1');
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
      found.set(name, Number(fields[11]) + Number(fields[12]));
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code !== 'ENOENT' && code !== 'ESRCH') throw error;
    }
  }
  return found;
}
