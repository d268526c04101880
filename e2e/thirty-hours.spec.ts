import { readdirSync, readFileSync } from 'node:fs';
import { type CDPSession, expect, type Page } from '@playwright/test';
import { slope } from '../electron/testing/slope';
import { test, type Waymark } from './application';
import { commandLine } from './command-line';
import { startPacedModel } from './long-run-model';
import { preparePacedRun, startPacedRun } from './paced-run';
import { row, runEnded } from './story';

const HOURS = 30;
/** The first hours fill caches, the first context and the lists of the window. */
const WARM_UP = 6;
const full = process.env.WAYMARK_FULL === '1';
/** Steps of a simulated hour: a run makes about a hundred. */
const PER_HOUR = full ? 100 : 8;
const STEPS = HOURS * PER_HOUR;
const MB = 1024 * 1024;

/** What the application holds at the end of a simulated hour, after its garbage was collected. Bytes, else numbers. */
interface Held {
  mainHeap: number;
  pageHeap: number;
  mainResident: number;
  pageResident: number;
  mainDescriptors: number;
  pageDescriptors: number;
  /** What keeps the main process's loop alive: sockets, files, timers. */
  mainHandles: number;
  pageNodes: number;
  pageListeners: number;
}

test(`${HOURS} simulated hours in the window: memory within 1 MB an hour, descriptors and handles flat, steps on the screen at once`, async ({
  place,
}) => {
  test.setTimeout(full ? 1_800_000 : 240_000);
  const hours = Array.from({ length: HOURS }, (_, index) => (index + 1) * PER_HOUR);
  const model = await startPacedModel(hours);
  try {
    await preparePacedRun(place, model, STEPS + 1);
    const waymark = await place.start({ args: ['--workspace', place.workspace] });
    const { page, complaints } = waymark;
    await startPacedRun(page);
    const measure = await measuring(waymark);
    const shown = await watchSteps(page);
    const held: Held[] = [];
    for (const step of hours) {
      await model.reached(step);
      // Summaries are rows too.
      await expect.poll(() => rows(page)).toBeGreaterThanOrEqual(step - 1);
      await expect(row(page, await rows(page))).toBeVisible();
      held.push(await measure());
      model.letOn(step);
    }
    await runEnded(page);

    // From the model's answer: recording, deriving, telling the window and painting are in it.
    const seen = await shown();
    const lags = [...model.answered].flatMap(([step, at]) => {
      const then = seen[step];
      return then === undefined ? [] : [then - at];
    });
    // A step that scrolled by before the next frame was never on the screen.
    expect(lags.length, 'steps that were on the screen').toBeGreaterThan(STEPS * 0.8);
    const p95 = lags.sort((a, b) => a - b)[Math.floor(lags.length * 0.95)] ?? Number.NaN;
    test.info().annotations.push({ type: 'step to screen', description: `p95 ${p95} ms of ${lags.length}` });
    // Only the whole form has the machine to itself.
    if (full) expect(p95, 'step to screen, p95, ms').toBeLessThan(200);

    const of = (name: keyof Held) => held.slice(WARM_UP).map((each) => each[name]);
    const perHour = (name: keyof Held) => slope(of(name));
    const kept = Object.fromEntries(
      (Object.keys(held[0] ?? {}) as (keyof Held)[]).map((name) => [name, held.map((each) => each[name])]),
    );
    test.info().annotations.push({ type: 'held', description: JSON.stringify(kept) });
    for (const name of ['mainHeap', 'pageHeap'] as const)
      expect(perHour(name) / MB, `${name} ${kept[name]}`).toBeLessThan(1);
    // Pages of memory come and go in large pieces: only many steps tell a slope.
    if (full)
      for (const name of ['mainResident', 'pageResident'] as const)
        expect(perHour(name) / MB, `${name} ${kept[name]}`).toBeLessThan(1);
    for (const name of ['mainDescriptors', 'pageDescriptors', 'mainHandles'] as const)
      expect(perHour(name), `${name} ${kept[name]}`).toBeLessThan(0.2);
    // Rows that are shown differ from hour to hour; what is left behind adds up.
    for (const name of ['pageNodes', 'pageListeners'] as const)
      expect(perHour(name), `${name} ${kept[name]}`).toBeLessThan(10);
    const { runs } = commandLine<{ runs: { id: string }[] }>(place, 'run', 'list');
    expect(commandLine(place, 'run', 'show', runs[0]?.id ?? '')).toMatchObject({ taken: STEPS + 1 });
    expect(complaints).toEqual([]);
  } finally {
    await model.close();
  }
});

/** When each step of the paced model was first on the screen, wall-clock ms by its number, from now on. */
async function watchSteps(page: Page): Promise<() => Promise<Record<number, number>>> {
  const seen = await page.evaluateHandle(() => {
    const found: Record<number, number> = {};
    let asked = false;
    const look = () => {
      asked = false;
      for (const row of document.querySelectorAll('[role=row][data-step]')) {
        // As the paced model numbers what it does; summaries are rows without.
        const said = /counted (\d+) >>|(\d+): The counts/.exec(row.textContent ?? '');
        const step = Number(said?.[1] ?? said?.[2]);
        if (said !== null && found[step] === undefined) found[step] = Date.now();
      }
    };
    new MutationObserver(() => {
      if (asked) return;
      asked = true;
      requestAnimationFrame(look);
    }).observe(document.body, { subtree: true, childList: true, characterData: true });
    return found;
  });
  return () => seen.jsonValue();
}

async function rows(page: Page): Promise<number> {
  return Number(await page.locator('[role=grid]').getAttribute('aria-rowcount'));
}

async function measuring({ app, page }: Waymark): Promise<() => Promise<Held>> {
  const session = await page.context().newCDPSession(page);
  await session.send('Performance.enable');
  const ids = await app.evaluate(({ BrowserWindow }) => {
    const [window] = BrowserWindow.getAllWindows();
    return { main: process.pid, page: window?.webContents.getOSProcessId() ?? 0 };
  });
  return async () => {
    const main = await app.evaluate(() => {
      const own = process.mainModule;
      if (own === undefined) throw new Error('The main process has no main module.');
      (own.require('node:v8') as typeof import('node:v8')).setFlagsFromString('--expose-gc');
      const collect = (own.require('node:vm') as typeof import('node:vm')).runInNewContext(
        'gc',
      ) as () => void;
      collect();
      const { heapUsed, external } = process.memoryUsage();
      return { heap: heapUsed + external, handles: process.getActiveResourcesInfo().length };
    });
    await session.send('HeapProfiler.collectGarbage');
    const metric = await metricsOf(session);
    return {
      mainHeap: main.heap,
      pageHeap: metric('JSHeapUsedSize'),
      mainResident: residentOf(ids.main),
      pageResident: residentOf(ids.page),
      mainDescriptors: descriptorsOf(ids.main),
      pageDescriptors: descriptorsOf(ids.page),
      mainHandles: main.handles,
      pageNodes: metric('Nodes'),
      pageListeners: metric('JSEventListeners'),
    };
  };
}

async function metricsOf(session: CDPSession): Promise<(name: string) => number> {
  const { metrics } = await session.send('Performance.getMetrics');
  return (name) => metrics.find((each) => each.name === name)?.value ?? Number.NaN;
}

function residentOf(pid: number): number {
  const [, kilobytes = ''] = /^VmRSS:\s+(\d+) kB$/mu.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
  return Number(kilobytes) * 1024;
}

function descriptorsOf(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length;
}
