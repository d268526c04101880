import { setTimeout as sleep } from 'node:timers/promises';
import { scrollThrough } from './in-page.mjs';
import type { LargeRun } from './large-run';
import { treeMemory } from './memory';
import type { OpenWindow } from './open-window';

/** Rows from one view to the next: many more pages of heads are read than the window keeps, in less than a minute. */
const APART = 500;
const READINGS = 5;

/** PSS of the window's own process after the list was scrolled from end to end, MB, read several times. */
export async function measureMemory({ app, page }: OpenWindow, { steps }: LargeRun): Promise<number[]> {
  const seen = (await page.evaluate(scrollThrough, { views: Math.ceil(steps / APART) })) as number;
  if (seen < 0.9) throw new Error(`Only ${Math.round(seen * 100)} % of the views were filled within 300 ms.`);
  const process = await app.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId() ?? 0,
  );
  const readings: number[] = [];
  for (let reading = 0; reading < READINGS; reading += 1) {
    await sleep(1_000);
    readings.push(treeMemory(process));
  }
  return readings;
}
