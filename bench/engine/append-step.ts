import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { StoreWriter } from '../../electron/store/api';
import { openStore } from '../../electron/store/client';
import { createProjector } from '../../electron/store/projector';
import { openWriterPart } from '../../electron/store/writer-part';
import { BareInserts } from '../baselines/bare-inserts';
import { type Bench, ratio, rounds, type Sides, size, spread } from '../harness';
import { Material } from './material';
import { asText, commandStep, creation, type StepEvents } from './run-events';

const STEP_BYTES = 4_096;
/** Both sides of a round write in turn, this many steps at a time: what else the machine does then hits both. */
const BLOCK = 200;

interface Closable {
  writer: Pick<StoreWriter, 'append'>;
  close(): Promise<void>;
}

/**
 * The writer's core in this thread against two bare inserts of the same bytes in two FULL commits; then, for
 * information, the same appends through the writer's thread as the application does them, with the index running.
 */
export const appendStep: Bench = {
  name: 'append-step',
  about: 'append a step of 4 KB in two commits (chain, heads, labels) against two bare FULL inserts',
  async run(options) {
    const count = size(options, 2_000, 10_000, 100);
    const material = new Material(1);
    const steps = Array.from({ length: count }, (_, at) => commandStep(at + 1, STEP_BYTES, material));
    const compare = async (name: string, open: (folder: string) => Promise<Closable>) => {
      const sides: Sides = { baseline: [], ours: [] };
      const latencies: number[] = [];
      for (let round = -1; round < rounds; round += 1) {
        const folder = join(options.folder, `${name}-${round}`);
        mkdirSync(folder);
        if (round < 0) {
          // The code of both sides is compiled before anything counts.
          await inTurn(folder, await open(folder), steps, []);
          continue;
        }
        const seconds = await inTurn(folder, await open(folder), steps, latencies);
        sides.baseline.push(count / seconds.baseline);
        sides.ours.push(count / seconds.ours);
      }
      const bytes = steps.map((step) => step.bytes);
      return { sides, about: `a step ${spread(latencies)} ms, text ${spread(bytes)} B, n = ${count}` };
    };
    const core = await compare('core', openCore);
    const thread = await compare('thread', async (folder) => openStore(folder, {}));
    return [
      ratio('append-step', core.sides, 'steps/s', { is: '≥', value: 0.5 }, core.about),
      ratio('append-step-through-thread', thread.sides, 'steps/s', null, thread.about),
    ];
  },
};

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

/** Writes the steps to both, each append acknowledged before the next. Seconds of either side. */
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
    seconds.baseline += bare.write(block.map(asText));
    for (const { action, observation } of block) {
      const start = performance.now();
      await writer.append(run, 1, action);
      await writer.append(run, 1, observation);
      const ms = performance.now() - start;
      latencies.push(ms);
      seconds.ours += ms / 1000;
    }
  }
  bare.close();
  await target.close();
  return seconds;
}
