import { readFileSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { exportRequestSchema } from '@shared/contract/export-request';
import { newJob } from '../../electron/dataset/jobs/export-life';
import type { ExportProgress } from '../../electron/dataset/jobs/export-runner';
import { exportApart } from '../../electron/dataset/jobs/export-thread';
import { realisticWorkspace } from '../../electron/testing/realistic-run';
import { bareRows } from '../baselines/bare-rows';
import { childCommand, finished, start } from '../child-process';
import {
  type Bench,
  type BenchOptions,
  byRound,
  type Figure,
  figure,
  quick,
  ratio,
  rounds,
  type Sides,
  size,
} from '../harness';
import { runCache } from '../window/desktop';

interface Told {
  ms: number;
  rss: number;
  /** Read by this process, over all passes. */
  events: number;
  /** To be read over all passes. */
  total: number;
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
    total: last.total,
  };
  process.stdout.write(`\n${JSON.stringify(facts)}\n`);
}

/** Steps of the run whose export is repeated; its texts and habits are those of the large one. */
const RATE_STEPS = 40_000;

/** Rate of an export, memory of one of a large run, and what one that is killed does again. */
export const exportLarge: Bench = {
  name: 'export-large',
  about:
    'slime export of a long run against a bare loop that reads, parses and writes the same events; of a large one memory and resume',
  async run(options) {
    const rate = await exportRate(
      options,
      size(options, RATE_STEPS, 1_000_000, 400),
      options.long ? 1 : rounds,
    );
    return [rate, ...(await killedOnce(options))];
  },
};

async function exportRate(options: BenchOptions, steps: number, times: number): Promise<Figure> {
  const built = await realisticWorkspace('L', {
    folder: join(options.folder, 'rate'),
    labels: !options.long,
    steps,
    ...(options.long ? {} : { cache: runCache() }),
  });
  const [out, copy] = [join(options.folder, 'out'), join(options.folder, 'bare.jsonl')];
  const sides: Sides = { baseline: [], ours: [] };
  let highest = 0;
  for (let round = 0; round < times; round += 1) {
    const { ms, rss } = await exported(built.folder, out);
    const file = join(out, 'train.jsonl');
    const rate = (took: number) => statSync(file).size / 2 ** 20 / (took / 1000);
    sides.baseline.push(rate(bareRows(file, copy)));
    sides.ours.push(rate(ms));
    highest = Math.max(highest, rss);
    rmSync(out, { recursive: true });
    rmSync(copy);
  }
  const facts = `${built.steps} steps, ${built.events} events; at most ${Math.round(highest)} MB`;
  return ratio('export-rate', sides, 'MB/s', { is: '≥', value: 0.6 }, facts);
}

/** An export of the large run that is killed at seven tenths, and the one that goes on. */
async function killedOnce(options: BenchOptions): Promise<Figure[]> {
  const built = await realisticWorkspace(quick ? 'S' : 'L', {
    folder: join(options.folder, 'large'),
    labels: true,
    cache: runCache(),
  });
  const { again, rss } = await killedAndResumed(built.folder, join(options.folder, 'killed'), 7);
  const detail = `${built.steps} steps, ${built.events} events`;
  return [
    figure(
      ...(['export-memory', Math.max(...rss), 'MB'] as const),
      { is: '≤', value: 500 },
      {
        detail: `highest of an export up to seven tenths, and of the one that went on: ${byRound(rss)} MB; ${detail}`,
      },
    ),
    figure(
      ...(['export-resumed', 100 * again, '%'] as const),
      { is: '≤', value: 5 },
      { detail: `events read again after a kill at seven tenths; ${detail}` },
    ),
  ];
}

async function exported(workspace: string, out: string): Promise<Told> {
  const { code, out: said } = await finished(start(childCommand('export', [workspace, out])));
  if (code !== 0) throw new Error(`The export ended with ${code}.`);
  return JSON.parse(said.trim().split('\n').at(-1) ?? '') as Told;
}

/** Share of all events that is read again when an export was killed at so many tenths, and the memory of both. */
async function killedAndResumed(
  workspace: string,
  out: string,
  tenths: number,
): Promise<{ again: number; rss: number[] }> {
  const child = start(childCommand('export', [workspace, out]));
  const rss: number[] = [];
  child.stdout.on('data', (bytes: Buffer) => {
    if (!bytes.toString().split('\n').includes(String(tenths))) return;
    rss.push(highestMemory(child.pid ?? 0));
    child.kill('SIGKILL');
  });
  await finished(child);
  const rest = await exported(workspace, out);
  rss.push(rest.rss);
  return { again: Math.max(0, rest.events - rest.total * (1 - tenths / 10)) / rest.total, rss };
}

/** Highest resident memory of a living process so far, MB. */
function highestMemory(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]) / 1024;
}
