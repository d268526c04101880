import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openStore } from '../../electron/store/threads/client';
import { writeExperiment } from '../../electron/testing/experiment-runs';
import { author } from '../engine/run-events';
import { type Bench, latency, quick, rounds, shorten } from '../harness';
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
    for (let round = 0; round < rounds; round += 1) {
      const { app, page } = await openWindow(application(folder));
      try {
        for (let time = 0; time < 3; time += 1) (time === 0 ? first : again).push(await openPage(page));
      } finally {
        await app.close();
      }
      options.say(`first time in this window: ${shorten(first[round] ?? Number.NaN)} ms`);
    }
    const n = `n = ${first.length}, ${shape.runs} runs of ${shape.steps} steps`;
    const once = `the first time in a window, its code loaded and everything read; ${n}`;
    return [
      latency('experiment-page', first, 500, once),
      latency('experiment-page-again', again, 500, `and again, everything read anew; ${n}`),
    ];
  },
};

/** From the timeline to the page and back; ms from the key to the painted arms. */
async function openPage(page: Page): Promise<number> {
  await page.locator('[role=grid]').focus();
  await page.keyboard.press('g');
  await page.evaluate(watchFor, '[data-testid=runs] tbody td');
  await page.keyboard.press('e');
  const ms = (await page.evaluate(readShown)) as number;
  for (const key of ['g', 'r']) await page.keyboard.press(key);
  await page.locator('[role=row][data-step]').first().waitFor();
  return ms;
}
