import type { Page } from '@playwright/test';
import { type Figure, figure, latency, quantile, rounds, shorten, size, spread } from '../harness';
import { readFilled, scrollFrames, watchFilled } from './in-page.mjs';

/** How the list is moved: as a wheel does, as a hand on the scroll bar does, and to anywhere. Px a frame; 0 = anywhere. */
const movements = { wheel: 100, drag: 20_000, anywhere: 0 } as const;

/** Frames of our list and of an empty one of the same length in turn; then jumps to steps that are not in memory. */
export async function measureScrolling(ours: Page, list: Page): Promise<Figure[]> {
  const frames = size({ long: false }, 120, 120, 30);
  const times: number[] = [];
  const baseline: number[] = [];
  const parts: string[] = [];
  for (const [name, by] of Object.entries(movements)) {
    const own: number[] = [];
    for (let round = 0; round < rounds; round += 1) {
      baseline.push(...((await list.evaluate(scrollFrames, { frames, by })) as number[]));
      own.push(...((await ours.evaluate(scrollFrames, { frames, by })) as number[]));
    }
    parts.push(`${name} ${spread(own)}`);
    times.push(...own);
  }
  const worst = times.reduce((most, time) => Math.max(most, time), 0);
  const ratio = quantile(times, 0.95) / quantile(baseline, 0.95);
  const detail = `${times.length} frames; ${parts.join(', ')} ms; empty list ${spread(baseline)} ms`;
  const jumps = await measureJumps(ours);
  return [
    figure('scroll-p99', quantile(times, 0.99), 'ms', { is: '≤', value: 50 }, { detail }),
    figure('scroll-worst', worst, 'ms', { is: '≤', value: 150 }, { detail: 'the longest frame of all' }),
    figure(
      'scroll-over-empty',
      ratio,
      '×',
      { is: '≤', value: 1.3 },
      {
        baseline: quantile(baseline, 0.95),
        detail: 'p95 of a frame over that of the empty list',
      },
    ),
    latency(
      'jump',
      jumps,
      150,
      `from the key to all rows in view, worst ${shorten(Math.max(...jumps))}, n = ${jumps.length}`,
    ),
  ];
}

/** By the minimap's keys a hundredth of the run at a time, and from end to end. */
async function measureJumps(page: Page): Promise<number[]> {
  const jumps: number[] = [];
  const jump = async (key: string): Promise<void> => {
    await page.evaluate(watchFilled, { rows: null });
    await page.keyboard.press(key);
    jumps.push((await page.evaluate(readFilled)) as number);
  };
  const minimap = page.locator('.minimap');
  await minimap.focus();
  await page.keyboard.press('Home');
  for (let turn = 0; turn < rounds * 8; turn += 1) await jump('ArrowDown');
  for (let turn = 0; turn < rounds; turn += 1) {
    await jump('Home');
    await jump('End');
  }
  await page.locator('[role=grid]').focus();
  for (let turn = 0; turn < rounds; turn += 1) {
    await jump('0');
    await jump('End');
  }
  return jumps;
}
