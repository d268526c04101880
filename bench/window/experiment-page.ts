import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openStore } from '../../electron/store/threads/client';
import { writeExperiment } from '../../electron/testing/experiment-runs';
import { author } from '../engine/run-events';
import { type Bench, latency, median, quick, rounds, shorten, spread, told } from '../harness';
import { application, openAtOnce } from './desktop';
import { readShown, watchFor } from './in-page.mjs';
import { openWindow } from './open-window';

const shape = {
  name: 'A thousand runs',
  runs: quick ? 60 : 1_000,
  tasks: 20,
  steps: quick ? 16 : 40,
};

/** The page of an experiment: its arms, tables and curve, from the key on. */
export const experimentPage: Bench = {
  name: 'experiment-page',
  about: 'key press until the page of an experiment of 1,000 runs is painted',
  async run(options) {
    const folder = join(options.folder, 'ours');
    mkdirSync(folder);
    options.say(`writing ${shape.runs} runs of ${shape.steps} steps`);
    const store = await openStore(join(folder, 'workspace'), { ballastBytes: 0 });
    // Somebody has seen these runs, as one does before comparing them: the inbox has nothing to read up on.
    for (const run of await writeExperiment(store, shape))
      await store.writer.see(run, author.uuid, Number.MAX_SAFE_INTEGER);
    await store.close();
    await openAtOnce(folder);
    const first: number[] = [];
    const again: number[] = [];
    const whole: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const { app, page } = await openWindow(application(folder));
      try {
        for (let time = 0; time < 3; time += 1) {
          const { arms, all } = await openPage(page);
          (time === 0 ? first : again).push(arms);
          if (time === 0) whole.push(all);
        }
      } finally {
        await app.close();
      }
      options.say(`first time in this window: ${shorten(first[round] ?? Number.NaN)} ms`);
    }
    const n = `n = ${first.length}, ${shape.runs} runs of ${shape.steps} steps`;
    const once = `the first time in a window, its code loaded and everything read; ${n}`;
    return [
      latency('experiment-page', first, 500, once),
      told('experiment-page-whole', median(whole), 'ms', {
        detail: `${spread(whole)} ms, all of its tables, the first time`,
      }),
      latency('experiment-page-again', again, 500, `and again, everything read anew; ${n}`),
    ];
  },
};

/** From the timeline to the page and back; ms from the key until the arms are painted, and until all of the page is. */
async function openPage(page: Page): Promise<{ arms: number; all: number }> {
  await page.locator('[role=grid]').focus();
  await page.keyboard.press('g');
  await page.evaluate(watchFor, ['[data-testid=arms] tbody td', '[data-testid=runs] tbody td']);
  await page.keyboard.press('e');
  const [arms = Number.NaN, all = Number.NaN] = (await page.evaluate(readShown)) as number[];
  for (const key of ['g', 'r']) await page.keyboard.press(key);
  await page.locator('[role=row][data-step]').first().waitFor();
  return { arms, all };
}
