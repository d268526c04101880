import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openStore } from '../../electron/store/threads/client';
import { driveShortRun } from '../engine/short-run';
import { type Bench, latency, rounds, shorten, size } from '../harness';
import { application, openAtOnce } from './desktop';
import { readShown, watchFor } from './in-page.mjs';
import { openWindow } from './open-window';

/** The exact prompt of steps whose context holds about 100k tokens, and what changed since the request before. */
export const promptOpen: Bench = {
  name: 'prompt-open',
  about: 'key press until the exact prompt of 100k tokens, and its difference to the one before, are painted',
  async run(options) {
    const folder = join(options.folder, 'ours');
    mkdirSync(folder);
    const tokens = await writeRun(join(folder, 'workspace'), size(options, 130, 130, 60));
    await openAtOnce(folder);
    const { app, page } = await openWindow(application(folder));
    try {
      await page.locator('[role=grid]').focus();
      await page.keyboard.press('$');
      const open: number[] = [];
      const diff: number[] = [];
      // The first time loads the code of the view.
      for (let time = 0; time <= rounds * 2; time += 1) {
        const first = await pressAndWait(page, 'e', '.prompt-row');
        await back(page);
        const second = await pressAndWait(page, 'Shift+KeyE', '.prompt-change, .prompt-line');
        await back(page);
        await page.keyboard.press('k');
        if (time > 0) {
          open.push(first);
          diff.push(second);
        } else options.say(`first time: ${shorten(first)} and ${shorten(second)} ms`);
      }
      const n = `n = ${open.length}, about ${Math.round(tokens / 1_000)}k tokens`;
      return [latency('prompt-open', open, 300, n), latency('prompt-diff', diff, 500, n)];
    } finally {
      await app.close();
    }
  },
};

/** A run of one context; returns the tokens of its last request. */
async function writeRun(workspace: string, steps: number): Promise<number> {
  const store = await openStore(workspace, { ballastBytes: 0 });
  await driveShortRun(store, steps, () => undefined, { thought: 600, output: 2_400 });
  await store.drain();
  const [run] = await store.reader.runs();
  await store.close();
  return run?.tokens.context ?? 0;
}

async function pressAndWait(page: Page, key: string, selector: string): Promise<number> {
  await page.evaluate(watchFor, [selector]);
  await page.keyboard.press(key);
  const [ms = Number.NaN] = (await page.evaluate(readShown)) as number[];
  return ms;
}

/** Closes the prompt and gives the keys back to the timeline. */
async function back(page: Page): Promise<void> {
  await page.keyboard.press('Escape');
  await page.locator('.prompt-row, .prompt-line').first().waitFor({ state: 'detached' });
  await page.locator('[role=grid]').focus();
}
