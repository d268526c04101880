import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from '@playwright/test';
import { openStoreInProcess } from '../../electron/store/threads/in-process';
import { realisticWorkspace } from '../../electron/testing/realistic-run';
import { type Bench, figure, size } from '../harness';
import { application, give, openAtOnce, runCache } from './desktop';
import { tellAcknowledged } from './in-page.mjs';
import { openWindow } from './open-window';

/** Labels by key without a pause until the application is killed; what the window showed as decided must be there. */
export const killWindow: Bench = {
  name: 'kill-window',
  about: 'labels lost that the window had shown as decided, over kill -9 of the application while labelling',
  async run(options) {
    const folder = join(options.folder, 'ours');
    const { run } = await realisticWorkspace('S', { folder: join(folder, 'workspace'), cache: runCache() });
    // A copy out of the cache is only read until somebody on this machine has opened it to write.
    await openStoreInProcess(join(folder, 'workspace')).close();
    await openAtOnce(folder);
    const kills = size(options, 6, 50, 2);
    const acknowledged = new Set<number>();
    let lost = 0;
    for (let kill = 0; kill < kills; kill += 1) {
      const acked = await labelUntilKilled(folder, 700 + ((kill * 371) % 1_900));
      if (acked.size === 0) throw new Error(`Nothing was acknowledged before kill ${kill + 1}.`);
      for (const step of acked.keys()) acknowledged.add(step);
      lost += await missing(join(folder, 'workspace'), run, acked);
      // The check wrote as another user.
      give(folder);
    }
    return [
      figure(
        'kill-window',
        lost,
        'labels',
        { is: '≤', value: 0 },
        {
          detail: `${acknowledged.size} labels shown as decided in ${kills} rounds`,
        },
      ),
    ];
  },
};

/**
 * Kills `afterMs` after the first label that the window showed as decided, however slow the machine is.
 *
 * @returns the last label shown as decided of each step.
 */
async function labelUntilKilled(folder: string, afterMs: number): Promise<Map<number, string>> {
  const { app, page } = await openWindow(application(folder));
  const acked = new Map<number, string>();
  page.on('console', (message) => {
    const [, step, label] = /^acked (\d+) (\w+)$/.exec(message.text()) ?? [];
    if (step !== undefined && label !== undefined) acked.set(Number(step), label);
  });
  const gone = new Promise((resolve) => app.process().once('exit', resolve));
  // Under root the launcher is another process than the application.
  const pid = await app.evaluate(() => globalThis.process.pid);
  await page.locator('[role=grid]').focus();
  await page.keyboard.press('0');
  await page.locator('#step-1 [data-label]').waitFor();
  await page.evaluate(tellAcknowledged);
  acked.clear();
  const killed = page
    .waitForEvent('console', (message) => message.text().startsWith('acked '))
    .then(() => sleep(afterMs))
    .then(() => process.kill(pid, 'SIGKILL'));
  await Promise.allSettled([pressOnAndOn(page), killed]);
  await gone;
  return acked;
}

/** Ends with an error when the window is gone. */
async function pressOnAndOn(page: Page): Promise<void> {
  for (;;) await page.keyboard.press('m');
}

async function missing(workspace: string, run: string, acked: ReadonlyMap<number, string>): Promise<number> {
  const store = openStoreInProcess(workspace);
  try {
    const heads = await store.reader.heads(run, 1, Math.max(...acked.keys()));
    return heads.filter(({ step, label, decided }) => {
      const shown = acked.get(step);
      return shown !== undefined && (label.value !== shown || decided.length === 0);
    }).length;
  } finally {
    await store.close();
  }
}
