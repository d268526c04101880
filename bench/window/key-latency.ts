import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { openStoreInProcess } from '../../electron/store/threads/in-process';
import {
  type Bench,
  type BenchOptions,
  type Figure,
  latency,
  quantile,
  rounds,
  size,
  spread,
} from '../harness';
import { application, helloWorld, prepareDemo } from './desktop';
import { answerKey, loadedResources, readLatency, readPainted, watchRow } from './in-page.mjs';
import type { LargeRun } from './large-run';
import { openWindow } from './open-window';

interface Latency {
  painted: number;
  durable: number;
}

/** The keyboard's event to the frame after the row changed, and to the row that shows the label as decided. */
export const keyLatency: Bench = {
  name: 'key-latency',
  about: 'key press to the painted and to the durable label, against a bare page that answers a key',
  async run(options) {
    const presses = size(options, 100, 500, 10);
    const folder = join(options.folder, 'ours');
    const run = await prepareDemo(folder);
    const masked = await hardMasks(join(folder, 'workspace'), run);
    const ours = await openWindow(application(folder));
    const hello = await openWindow(helloWorld(join(options.folder, 'hello')));
    try {
      await ours.page.locator('[role=grid]').focus();
      const labels = new LabelPresses(ours.page, masked, await rowCount(ours.page), '0');
      const bare: number[] = [];
      const latencies: Latency[] = [];
      for (let round = 0; round < rounds; round += 1) {
        for (let press = 0; press < presses / rounds; press += 1) bare.push(await pressBare(hello.page));
        for (let press = 0; press < presses / rounds; press += 1) latencies.push(await labels.next());
      }
      await refuseMonaco(ours.page);
      return figures(latencies, bare);
    } finally {
      await ours.app.close();
      await hello.app.close();
    }
  },
};

/** The same on a large run, at its end, where opening it leaves the cursor. */
export async function measureKeys(
  page: Page,
  { folder, run, steps }: LargeRun,
  options: BenchOptions,
): Promise<Figure[]> {
  const presses = size(options, 100, 500, 10);
  const from = Math.max(1, steps - presses);
  const masked = await hardMasks(join(folder, 'workspace'), run, from);
  await page.locator('[role=grid]').focus();
  await page.keyboard.press('End');
  for (let back = steps; back > from; back -= 1) await page.keyboard.press('k');
  const labels = new LabelPresses(page, masked, steps, null, from);
  const latencies: Latency[] = [];
  for (let press = 0; press < presses; press += 1) latencies.push(await labels.next());
  const n = `on ${steps} steps, n = ${latencies.length}`;
  const painted = latencies.map((each) => each.painted);
  const durable = latencies.map((each) => each.durable);
  return [latency('key-painted-l', painted, 50, n), latency('key-durable-l', durable, 100, n)];
}

function figures(latencies: readonly Latency[], bare: readonly number[]) {
  const painted = latencies.map((each) => each.painted);
  const durable = latencies.map((each) => each.durable);
  const n = `n = ${latencies.length}`;
  return [
    latency('key-painted', painted, 50, `bare page ${spread(bare)} ms, ${n}`, quantile(bare, 0.95)),
    latency('key-durable', durable, 100, n),
  ];
}

async function rowCount(page: Page): Promise<number> {
  return Number(await page.locator('[role=grid]').getAttribute('aria-rowcount'));
}

/** Goes through the steps again and again, masking and training them by turns. */
class LabelPresses {
  private pressed = 0;

  constructor(
    private readonly page: Page,
    private readonly masked: ReadonlySet<number>,
    private readonly steps: number,
    /** Takes the cursor back to the first step for another round; null: there is only one. */
    private readonly back: string | null,
    private readonly first = 1,
  ) {}

  async next(): Promise<Latency> {
    const of = this.steps - this.first + 1;
    const step = this.first + (this.pressed % of);
    const even = Math.floor(this.pressed / of) % 2 === 0;
    if (step === this.first && this.back !== null) await this.page.keyboard.press(this.back);
    this.pressed += 1;
    // A step that a hard rule masks asks for a reason before it may train.
    const key = even || this.masked.has(step) ? 'm' : 't';
    await this.page.evaluate(watchRow, step);
    await this.page.keyboard.press(key);
    return (await this.page.evaluate(readLatency)) as Latency;
  }
}

async function pressBare(page: Page): Promise<number> {
  await page.evaluate(answerKey);
  await page.keyboard.press('m');
  return (await page.evaluate(readPainted)) as number;
}

/** Memory and start are promised without the diff editor: nothing of it may be loaded before a diff is opened. */
async function refuseMonaco(page: Page): Promise<void> {
  const loaded = (await page.evaluate(loadedResources)) as string[];
  const monaco = loaded.filter((name) => /monaco|editor\.worker|DiffPane/i.test(name));
  if (monaco.length > 0)
    throw new Error(`The diff editor is loaded before its first use: ${monaco.join(', ')}`);
}

async function hardMasks(workspace: string, run: string, from = 1): Promise<Set<number>> {
  const store = openStoreInProcess(workspace);
  try {
    const { steps } = await store.reader.run(run);
    const heads = await store.reader.heads(run, from, steps);
    return new Set(
      heads
        .filter(({ rules }) => rules.some((rule) => rule === 'error-observation' || rule === 'null'))
        .map(({ step }) => step),
    );
  } finally {
    await store.close();
  }
}
