import { join } from 'node:path';
import { openStore } from '../../electron/store/threads/client';
import { bareInsertPerStep } from '../baselines/bare-insert';
import { author } from '../engine/run-events';
import { type Bench, figure, median, quick, rounds, spread } from '../harness';
import { writeRun } from './labelled-run';

const STEPS = 160;

/** The person's labels have a history: every write folds all of it, and none may hold up another process. */
export const labelHistory: Bench = {
  name: 'label-history',
  about: 'the slowest label of a person who labels "all so far" 80 times, and one step 200 times',
  async run(options) {
    const label = { op: 'label', value: 'mask', reason: null } as const;
    const slowest = { ranges: [] as number[], step: [] as number[], bare: [] as number[] };
    const counts = quick ? { ranges: 8, step: 20 } : { ranges: STEPS / 2, step: 200 };
    for (let round = 0; round < rounds; round += 1) {
      const folder = join(options.folder, `workspace-${round}`);
      const run = await writeRun(folder, STEPS);
      slowest.bare.push((1000 * bareInsertPerStep(folder, Array(STEPS).fill('x'))) / STEPS);
      const store = await openStore(folder, {});
      const worst = async (count: number, target: (index: number) => { from: number; to: number }) => {
        let most = 0;
        for (let index = 1; index <= count; index += 1) {
          const start = performance.now();
          await store.writer.annotate(author, { run, ...target(index) }, label);
          most = Math.max(most, performance.now() - start);
        }
        return most;
      };
      try {
        slowest.ranges.push(await worst(counts.ranges, (index) => ({ from: 1, to: 2 * index })));
        slowest.step.push(await worst(counts.step, () => ({ from: STEPS, to: STEPS })));
      } finally {
        await store.close();
      }
    }
    const baseline = median(slowest.bare);
    const bar = { is: '≤', value: 20 } as const;
    return [
      figure('label-so-far', median(slowest.ranges), 'ms', bar, {
        baseline,
        detail: `${spread(slowest.ranges)} ms, the slowest of ${counts.ranges} ranges in each round, until it is durable`,
      }),
      figure('label-again', median(slowest.step), 'ms', bar, {
        baseline,
        detail: `${spread(slowest.step)} ms, the slowest of ${counts.step} labels of one step in each round`,
      }),
    ];
  },
};
