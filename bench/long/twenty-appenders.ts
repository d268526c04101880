import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import type { Store } from '../../electron/store/api';
import { openStore } from '../../electron/store/threads/client';
import { bareInsertPerStep } from '../baselines/bare-insert';
import { Material } from '../engine/material';
import { asText, commandStep, creation, type StepEvents } from '../engine/run-events';
import { alternate, type Bench, byRound, figure, median, quantile, ratio, size } from '../harness';

const APPENDERS = 20;
/** Rounds of each side that are not counted. */
const WARM_UP = 2;
const STEP_BYTES = 4_096;

/** Twenty runs that append at once through the writer's thread: rows that arrive during a commit form the next group. */
export const twentyAppenders: Bench = {
  name: 'twenty-appenders',
  about: '20 runs appending steps of 4 KB at once, against one bare FULL insert per step, one after another',
  async run(options) {
    const each = size(options, 100, 500, 10);
    const material = new Material(7);
    const steps = Array.from({ length: each }, (_, at) => commandStep(at + 1, STEP_BYTES, material));
    const texts = Array.from({ length: APPENDERS }, () => steps).flatMap((all) => all.map(bodyOf));
    const p99: number[] = [];
    const bare = (name: string) => {
      const folder = join(options.folder, `bare-${name}`);
      mkdirSync(folder);
      return texts.length / bareInsertPerStep(folder, texts);
    };
    const store = await openStore(join(options.folder, 'ours'), { ballastBytes: 0 });
    const ours = async () => {
      const ms: number[] = [];
      const seconds = await appendAtOnce(store, steps, ms);
      p99.push(quantile(ms, 0.99));
      return texts.length / seconds;
    };
    // Runs go on for hours: the first second of a thread, whose code is not compiled yet, is no part of it on either side.
    for (let round = 0; round < WARM_UP; round += 1) {
      bare(`warm-up-${round}`);
      await ours();
    }
    p99.length = 0;
    const sides = await alternate((round) => bare(String(round)), ours);
    await store.close();
    const latency = { detail: `${byRound(p99)}; ${APPENDERS} runs of ${each} steps` };
    return [
      ratio('twenty-appenders', sides, 'steps/s', { is: '≥', value: 0.5 }),
      figure('twenty-appenders-p99', median(p99), 'ms', { is: '≤', value: 50 }, latency),
    ];
  },
};

function bodyOf(step: StepEvents): string {
  const { action, observation } = asText(step);
  return action + observation;
}

async function appendAtOnce(
  { writer }: Pick<Store, 'writer'>,
  steps: readonly StepEvents[],
  ms: number[],
): Promise<number> {
  const runs = Array.from({ length: APPENDERS }, () => ulid());
  for (const run of runs) await writer.append(run, 1, creation(run, steps.length));
  const start = performance.now();
  await Promise.all(
    runs.map(async (run) => {
      for (const { action, observation } of steps) {
        const before = performance.now();
        await writer.append(run, 1, [...action, ...observation]);
        ms.push(performance.now() - before);
      }
    }),
  );
  return (performance.now() - start) / 1000;
}
