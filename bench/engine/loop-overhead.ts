import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { openStore } from '../../electron/store/threads/client';
import { BareInserts } from '../baselines/bare-inserts';
import { type Bench, byRound, describe, figure, median, quantile, rounds, shorten, size } from '../harness';
import { Material } from './material';
import { asText, commandStep } from './run-events';
import { driveShortRun } from './short-run';

const WINDOW = 100;
/** Text of one short step, bytes: what the bare inserts beside it write. */
const SHORT_STEP = 500;

/** What the loop, its folds and the store cost per step. */
export const loopOverhead: Bench = {
  name: 'loop-overhead',
  about: 'ms per step outside model, action and sending, over a run of short observations',
  async run(options) {
    const steps = size(options, 1_200, 10_000, 250);
    const material = new Material(5);
    const texts = Array.from({ length: 500 }, (_, at) => asText(commandStep(at + 1, SHORT_STEP, material)));
    const medians: number[] = [];
    const bare: number[] = [];
    const growth: number[] = [];
    const p95: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const bareFolder = join(options.folder, `bare-${round}`);
      mkdirSync(bareFolder);
      const inserts = new BareInserts(bareFolder);
      bare.push((1_000 * inserts.write(texts)) / texts.length);
      inserts.close();
      const store = await openStore(join(options.folder, `run-${round}`), {});
      const ms = await driveShortRun(store, steps);
      await store.close();
      medians.push(median(ms));
      p95.push(quantile(ms, 0.95));
      growth.push(median(ms.slice(-WINDOW)) / median(ms.slice(0, WINDOW)));
      options.say(
        `round ${round + 1}: median ${shorten(median(ms))} ms, first ${WINDOW} ${shorten(median(ms.slice(0, WINDOW)))}, last ${WINDOW} ${shorten(median(ms.slice(-WINDOW)))}`,
      );
    }
    const detail = `${describe({ ours: medians, baseline: bare }, 'ms')} (two bare FULL inserts); p95 of a step ${shorten(median(p95))} ms, ${steps} steps`;
    return [
      figure(
        'loop-overhead',
        median(medians),
        'ms',
        { is: '≤', value: 5 },
        { baseline: median(bare), detail },
      ),
      figure(
        'loop-overhead-growth',
        median(growth),
        '×',
        { is: '≤', value: 1.3 },
        {
          detail: `median of the last ${WINDOW} steps over the first: ${byRound(growth)}`,
        },
      ),
    ];
  },
};
