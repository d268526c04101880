import { statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exportRequestSchema } from '@shared/contract/export-request';
import { newJob } from '../../electron/dataset/jobs/export-life';
import type { ExportProgress } from '../../electron/dataset/jobs/export-runner';
import { exportApart } from '../../electron/dataset/jobs/export-thread';
import { realisticWorkspace } from '../../electron/testing/realistic-run';
import { bareRows } from '../baselines/bare-rows';
import { childCommand, finished, start } from '../child-process';
import { type Bench, byRound, figure, median, quick, rounds } from '../harness';
import { runCache } from '../window/desktop';

interface Told {
  ms: number;
  rss: number;
  events: number;
}

/** Child: one export of a workspace in a thread of its own, as the window does it, with the memory of its process. Arguments: workspace, target folder. */
export async function exportOnce([workspace = '', out = '']: readonly string[]): Promise<void> {
  const before = performance.now();
  let last: ExportProgress = { done: 0, total: 0, records: 0, bytes: 0, skipped: 0 };
  const options = exportRequestSchema.parse({ undecided: 'train', preset: 'default', redact: 'off' });
  const task = { job: newJob(), workspace, out, options, goOn: 'same' as const, register: false };
  let told = 0;
  await exportApart(dirname(process.argv[1] ?? ''))(task, (progress) => {
    last = progress;
    // For whoever waits for the moment to kill it.
    const part = Math.floor((10 * progress.done) / Math.max(1, progress.total));
    if (part > told) process.stdout.write(`${part}\n`);
    told = Math.max(told, part);
  }).done;
  const facts: Told = {
    ms: performance.now() - before,
    rss: process.resourceUsage().maxRSS / 1024,
    events: last.total - last.skipped,
  };
  process.stdout.write(`\n${JSON.stringify(facts)}\n`);
}

/** Rate and memory of an export of a large run, and what one that is killed does again. */
export const exportLarge: Bench = {
  name: 'export-large',
  about:
    'slime export of a large run against a bare loop that reads, parses and writes the same events; memory; resume',
  async run(options) {
    const place = quick ? 'S' : 'L';
    const steps = options.long && !quick ? { steps: 1_000_000 } : {};
    const built = await realisticWorkspace(place, {
      folder: join(options.folder, 'workspace'),
      labels: !options.long || quick,
      ...(options.long ? {} : { cache: runCache() }),
      ...steps,
    });
    const times = options.long ? 1 : Math.min(3, rounds);
    const [bare, ours, memory]: [number[], number[], number[]] = [[], [], []];
    let [bytes, events] = [0, 0];
    for (let round = 0; round < times; round += 1) {
      const { ms, rss, events: read } = await exported(built.folder, join(options.folder, 'out'));
      bare.push(bareRows(join(options.folder, 'out', 'train.jsonl'), join(options.folder, 'bare.jsonl')));
      ours.push(ms);
      memory.push(rss);
      events = read;
      bytes = statSync(join(options.folder, 'out', 'train.jsonl')).size;
      options.say(
        `round ${round + 1}: bare ${Math.round(bare.at(-1) ?? 0)} ms, export ${Math.round(ms)} ms, ${Math.round(rss)} MB`,
      );
    }
    const detail = `${built.steps} steps, ${built.events} events, ${Math.round(bytes / 2 ** 20)} MB written`;
    const again = await killedAndResumed(built.folder, join(options.folder, 'killed'), { tenths: 7, events });
    return [
      figure(
        ...(['export-rate', median(bare) / median(ours), '×'] as const),
        { is: '≥', value: 0.6 },
        { baseline: median(bare), detail: `bare ${byRound(bare)}; export ${byRound(ours)} ms; ${detail}` },
      ),
      figure(...(['export-memory', Math.max(...memory), 'MB'] as const), { is: '≤', value: 500 }, { detail }),
      figure(
        ...(['export-resumed', 100 * again, '%'] as const),
        { is: '≤', value: 5 },
        { detail: `events read again after a kill at seven tenths; ${detail}` },
      ),
    ];
  },
};

async function exported(workspace: string, out: string): Promise<Told> {
  const { code, out: said } = await finished(start(childCommand('export', [workspace, out])));
  if (code !== 0) throw new Error(`The export ended with ${code}.`);
  return JSON.parse(said.trim().split('\n').at(-1) ?? '') as Told;
}

/** Share of all events that is read again when an export was killed at so many tenths. */
async function killedAndResumed(
  workspace: string,
  out: string,
  { tenths, events }: { tenths: number; events: number },
): Promise<number> {
  const child = start(childCommand('export', [workspace, out]));
  child.stdout.on('data', (bytes: Buffer) => {
    if (bytes.toString().split('\n').includes(String(tenths))) child.kill('SIGKILL');
  });
  await finished(child);
  const rest = await exported(workspace, out);
  return Math.max(0, rest.events - events * (1 - tenths / 10)) / events;
}
