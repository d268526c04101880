import { setTimeout as sleep } from 'node:timers/promises';
import { median } from '../harness';
import { scrollThrough } from './in-page.mjs';
import type { LargeRun } from './large-run';
import { treeMemory } from './memory';
import type { OpenWindow } from './open-window';

/** Rows that a view shows, so that every step is seen once. */
const VIEW_ROWS = 24;
const READINGS = 5;

/** PSS of the window's own process after every row of the run was in view once, MB. */
export async function measureMemory({ app, page }: OpenWindow, { steps }: LargeRun): Promise<number> {
  const seen = (await page.evaluate(scrollThrough, { views: Math.ceil(steps / VIEW_ROWS) })) as number;
  if (seen < 0.9) throw new Error(`Only ${Math.round(seen * 100)} % of the views were filled within 100 ms.`);
  const process = await app.evaluate(
    ({ BrowserWindow }) => BrowserWindow.getAllWindows()[0]?.webContents.getOSProcessId() ?? 0,
  );
  const readings: number[] = [];
  for (let reading = 0; reading < READINGS; reading += 1) {
    await sleep(1_000);
    readings.push(treeMemory(process));
  }
  return median(readings);
}
