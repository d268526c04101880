import type { Page } from '@playwright/test';
import { type Figure, latency, median, rounds, shorten } from '../harness';
import { invokeCommand, readFilled, watchFilled } from './in-page.mjs';
import type { LargeRun } from './large-run';

const paintedWithin = { S: 500, M: 1_000, L: 1_500 } as const;
const interactiveWithin = 3_000;

interface Opening {
  painted: number;
  interactive: number;
}

/** From the click on a run in the rail until its rows are painted, and until a key has moved the cursor and its step is shown. */
export async function measureOpening(
  page: Page,
  large: LargeRun,
): Promise<{ first: number; figures: Figure[] }> {
  const runs = (await page.evaluate(invokeCommand, { command: 'runs.list', input: undefined })) as {
    id: string;
    title: string;
    steps: number;
  }[];
  const short = runs.find(({ id }) => id !== large.run);
  const long = runs.find(({ id }) => id === large.run);
  if (short === undefined || long === undefined)
    throw new Error('The large run or the short one is missing.');
  const openings: Opening[] = [];
  for (let round = 0; round <= rounds * 2; round += 1) {
    // The application begins with one of them.
    if (round > 0 || (await openRows(page)) !== short.steps) await open(page, short);
    openings.push(await open(page, long));
  }
  const painted = openings.map((each) => each.painted);
  const interactive = openings.map((each) => each.interactive);
  const name = large.size.toLowerCase();
  const detail = `n = ${painted.length}, ${large.steps} steps`;
  return {
    first: median(painted),
    figures: [
      latency(
        `open-${name}`,
        painted,
        paintedWithin[large.size],
        `until the first paint, the very first ${shorten(painted[0] ?? 0)}, ${detail}`,
      ),
      ...(large.size === 'L'
        ? [
            latency(
              'open-l-interactive',
              interactive,
              interactiveWithin,
              `the very first ${shorten(interactive[0] ?? 0)}`,
            ),
          ]
        : []),
    ],
  };
}

async function openRows(page: Page): Promise<number> {
  return Number(await page.locator('[role=grid]').getAttribute('aria-rowcount'));
}

async function open(page: Page, { title, steps: rows }: { title: string; steps: number }): Promise<Opening> {
  const begun = performance.now();
  await page.evaluate(watchFilled, { rows });
  await page.locator('.rail button').filter({ hasText: title }).click();
  const painted = (await page.evaluate(readFilled)) as number;
  await page.locator('[role=grid]').focus();
  await page.keyboard.press('k');
  await page.locator(`#step-${rows - 1} .step-cursor`).waitFor();
  await page
    .getByText(`Step ${rows - 1}`, { exact: true })
    .first()
    .waitFor();
  return { painted, interactive: performance.now() - begun };
}
