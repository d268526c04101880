import { mkdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { StoreWriter } from '../../electron/store/api';
import { openWriterPart } from '../../electron/store/commands/writer-part';
import { workspaceFile } from '../../electron/store/file/workspace-file';
import { createProjector } from '../../electron/store/projections/projector';
import { openStore } from '../../electron/store/threads/client';
import { BareInserts } from '../baselines/bare-inserts';
import {
  type Bench,
  type Figure,
  figure,
  median,
  ratio,
  rounds,
  type Sides,
  shorten,
  size,
  spread,
} from '../harness';
import { Material } from './material';
import { asText, commandStep, creation, type StepEvents } from './run-events';

const STEP_BYTES = 4_096;
/** Both sides of a round write in turn, this many steps at a time: what else the machine does then hits both. */
const BLOCK = 200;
/**
 * Steps of each round that do not count: they compile the code of both sides and grow both write-ahead logs to the size
 * that is written over from then on, as it is after the first minutes of a run.
 */
const WARM_UP = 3_000;

interface Closable {
  writer: Pick<StoreWriter, 'append'>;
  close(): Promise<void>;
}

/** What a frame of the write-ahead log takes: its header and a page. */
const FRAME_BYTES = 24 + 4_096;
/** Steps whose pages are counted: few enough that the log is not copied back meanwhile. */
const COUNTED = 100;

/**
 * The writer's core in this thread against two bare inserts of the same bytes in two FULL commits; then, for
 * information, the same appends through the writer's thread as the application does them, with the index running.
 */
export const appendStep: Bench = {
  name: 'append-step',
  about: 'append a step of 4 KB in two commits (chain, heads, labels) against two bare FULL inserts',
  async run(options) {
    const count = size(options, 1_000, 10_000, 100);
    const all = WARM_UP + count;
    const material = new Material(1);
    const steps = Array.from({ length: all }, (_, at) => commandStep(at + 1, STEP_BYTES, material));
    const compare = async (name: string, open: (folder: string) => Promise<Closable>) => {
      const sides: Sides = { baseline: [], ours: [] };
      const latencies: number[] = [];
      for (let round = 0; round < rounds; round += 1) {
        const folder = join(options.folder, `${name}-${round}`);
        mkdirSync(folder);
        const seconds = await inTurn(folder, await open(folder), steps, latencies);
        sides.baseline.push(count / seconds.baseline);
        sides.ours.push(count / seconds.ours);
      }
      const bytes = steps.map((step) => step.bytes);
      return { sides, about: `a step ${spread(latencies)} ms, text ${spread(bytes)} B, n = ${count}` };
    };
    const core = await compare('core', openCore);
    const figures = [
      ratio('append-step', core.sides, 'steps/s', { is: '≥', value: 0.5 }, core.about),
      await measureBytes(join(options.folder, 'bytes'), steps.slice(0, COUNTED)),
    ];
    if (options.long) {
      const thread = await compare('thread', async (folder) => openStore(folder, {}));
      figures.push(ratio('append-step-through-thread', thread.sides, 'steps/s', null, thread.about));
    }
    return figures;
  },
};

/** What the two commits of a step put into the write-ahead log: whole pages, whatever changed on them. */
async function measureBytes(folder: string, steps: readonly StepEvents[]): Promise<Figure> {
  mkdirSync(folder);
  const { writer, close } = await openCore(folder);
  const run = ulid();
  await writer.append(run, 1, creation(run, steps.length));
  const log = () => statSync(`${workspaceFile(folder)}-wal`).size;
  const grown: Record<keyof Omit<StepEvents, 'bytes'>, number[]> = { action: [], observation: [] };
  for (const step of steps) {
    for (const part of ['action', 'observation'] as const) {
      const before = log();
      await writer.append(run, 1, step[part]);
      grown[part].push(log() - before);
    }
  }
  await close();
  const mean = (sizes: readonly number[]) => sizes.reduce((sum, each) => sum + each, 0) / steps.length;
  const pages = Object.entries(grown).map(([part, sizes]) => `${part} ${shorten(mean(sizes) / FRAME_BYTES)}`);
  const detail = `pages a commit: ${pages.join(', ')}; text ${shorten(median(steps.map(({ bytes }) => bytes)))} B, n = ${steps.length}`;
  const value = (mean(grown.action) + mean(grown.observation)) / 1024;
  return figure('append-step-bytes', value, 'KB', { is: '≤', value: 45 }, { detail });
}

async function openCore(folder: string): Promise<Closable> {
  const writer = openWriterPart({
    folder,
    now: Date.now,
    projector: createProjector(),
    ballastBytes: 0,
    notify: () => undefined,
  });
  writer.start();
  return { writer, close: () => writer.close() };
}

/** Writes the steps to both, each append acknowledged before the next. Seconds of either side, without the warm-up. */
async function inTurn(
  folder: string,
  target: Closable,
  steps: readonly StepEvents[],
  latencies: number[],
): Promise<{ baseline: number; ours: number }> {
  const { writer } = target;
  const bare = new BareInserts(folder);
  const run = ulid();
  await writer.append(run, 1, creation(run, steps.length));
  const seconds = { baseline: 0, ours: 0 };
  for (let from = 0; from < steps.length; from += BLOCK) {
    const block = steps.slice(from, from + BLOCK);
    const counts = from >= WARM_UP;
    const bareSeconds = bare.write(block.map(asText));
    if (counts) seconds.baseline += bareSeconds;
    for (const { action, observation } of block) {
      const start = performance.now();
      await writer.append(run, 1, action);
      await writer.append(run, 1, observation);
      const ms = performance.now() - start;
      if (!counts) continue;
      latencies.push(ms);
      seconds.ours += ms / 1000;
    }
  }
  bare.close();
  await target.close();
  return seconds;
}
