import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { StoreWriter } from '../../electron/store/api';
import { openStore } from '../../electron/store/client';
import { createProjector } from '../../electron/store/projector';
import { openWriterPart } from '../../electron/store/writer-part';
import { bareInserts } from '../baselines/bare-inserts';
import { alternate, type Bench, ratio, size, spread } from '../harness';
import { Material } from './material';
import { asText, commandStep, creation, type StepEvents } from './run-events';

const STEP_BYTES = 4_096;

/**
 * The writer's core in this thread against two bare inserts of the same bytes in two FULL commits; then, for
 * information, the same appends through the writer's thread as the application does them, with the index running.
 */
export const appendStep: Bench = {
  name: 'append-step',
  about: 'append a step of 4 KB in two commits (chain, heads, labels) against two bare FULL inserts',
  async run(options) {
    const steps = size(options, 2_000, 10_000, 100);
    const bytes: number[] = [];
    const material = new Material(1);
    const prepared = Array.from({ length: steps }, (_, at) => {
      const step = commandStep(at + 1, STEP_BYTES, material);
      bytes.push(step.bytes);
      return step;
    });
    const texts = prepared.map(asText);
    const latencies: number[] = [];
    const threadLatencies: number[] = [];
    const bare = (kind: string) => (round: number) =>
      bareInserts(fresh(options.folder, `${kind}-bare-${round}`), texts);
    const core = await alternate(bare('core'), async (round) => {
      const writer = openWriterPart({
        folder: fresh(options.folder, `core-${round}`),
        now: Date.now,
        projector: createProjector(),
        ballastBytes: 0,
        notify: () => undefined,
      });
      writer.start();
      const rate = await append(writer, prepared, latencies);
      await writer.close();
      return rate;
    });
    const thread = await alternate(bare('thread'), async (round) => {
      const store = await openStore(fresh(options.folder, `thread-${round}`), {});
      const rate = await append(store.writer, prepared, threadLatencies);
      await store.close();
      return rate;
    });
    const about = (values: number[]) => `a step ${spread(values)} ms, text ${spread(bytes)} B, n = ${steps}`;
    return [
      ratio('append-step', core, 'steps/s', { is: '≥', value: 0.5 }, about(latencies)),
      ratio('append-step-through-thread', thread, 'steps/s', null, about(threadLatencies)),
    ];
  },
};

/** Steps per second, each acknowledged before the next. */
async function append(
  writer: Pick<StoreWriter, 'append'>,
  steps: readonly StepEvents[],
  latencies: number[],
): Promise<number> {
  const run = ulid();
  await writer.append(run, 1, creation(run, steps.length));
  const start = performance.now();
  for (const { action, observation } of steps) {
    const before = performance.now();
    await writer.append(run, 1, action);
    await writer.append(run, 1, observation);
    latencies.push(performance.now() - before);
  }
  return steps.length / ((performance.now() - start) / 1000);
}

function fresh(folder: string, name: string): string {
  const path = join(folder, name);
  mkdirSync(path);
  return path;
}
