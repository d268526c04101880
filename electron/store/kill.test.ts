import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, inject, test } from 'vitest';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { openStoreInProcess } from './threads/in-process';

const WORKSPACES = process.env.WAYMARK_FULL === '1' ? 20 : 1;
const KILLS_EACH = process.env.WAYMARK_FULL === '1' ? 25 : 10;
/** Workspaces beside one another: a kill must not wait for the others' disk only. */
const LANES = 2;

interface Acknowledged {
  run: string;
  epoch: number;
  step: number;
  hints: string[];
  labels: string[];
  ends: Map<string, number>;
  done: boolean;
}

interface Line {
  run?: string;
  epoch?: number;
  step?: number;
  hint?: string;
  label?: string;
  session?: string;
  end?: number;
  done?: boolean;
}

/** Starts a writing process and kills it once it has acknowledged `lines`; Infinity lets it finish. */
async function write(folder: string, lines: number, steps: number, run = ''): Promise<Acknowledged> {
  const script = join(inject('storeWorkers'), 'store-child.js');
  const child = spawn(process.execPath, [script, folder, String(steps), run], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const said: Acknowledged = { run, epoch: 0, step: 0, hints: [], labels: [], ends: new Map(), done: false };
  let count = 0;
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as Line;
    said.run = line.run ?? said.run;
    said.epoch = line.epoch ?? said.epoch;
    said.step = line.step ?? said.step;
    said.done ||= line.done === true;
    said.hints.push(...(line.hint === undefined ? [] : [line.hint]));
    said.labels.push(...(line.label === undefined ? [] : [line.label]));
    if (line.session !== undefined) {
      said.ends.set(line.session, line.end ?? 0);
    }
    count += 1;
    if (count === lines) {
      child.kill('SIGKILL');
    }
  }
  return said;
}

test(`${WORKSPACES * KILLS_EACH} times kill -9 in the middle of writing: nothing acknowledged is lost`, async () => {
  const folders = Array.from({ length: WORKSPACES }, () => temporaryFolder());
  const lane = async () => {
    for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) await killAgain(folder);
  };
  await Promise.all(Array.from({ length: LANES }, lane));
}, 3_600_000);

/** Kills writers of one run one after the other, each after another number of acknowledgements, and looks each time. */
async function killAgain(folder: string): Promise<void> {
  let run = '';
  const hints: string[] = [];
  const labels: string[] = [];
  for (let kill = 1; kill <= KILLS_EACH; kill += 1) {
    const said = await write(folder, 3 + Math.floor(Math.random() * 60), 1_000_000, run);
    run = said.run;
    hints.push(...said.hints);
    labels.push(...said.labels);
    expect(said.epoch).toBe(kill);
    const store = openStoreInProcess(folder);
    const summary = await store.reader.run(run);
    expect(summary.steps).toBeGreaterThanOrEqual(said.step);
    expect(store.isDriven(run)).toBe(false);
    for (const [uid, end] of said.ends) {
      const { endOffset } = await store.reader.readSession(run, uid, 0, 0);
      expect(endOffset).toBeGreaterThanOrEqual(end);
    }
    const stored = new Set((await store.reader.annotations(run)).map(({ ulid }) => ulid));
    expect(labels.filter((label) => !stored.has(label))).toEqual([]);
    const known = new Set((await store.reader.hints(run)).hints.map(({ id }) => id));
    expect(hints.filter((hint) => !known.has(hint))).toEqual([]);
    await store.drain();
    await store.close();
  }
  const store = openStoreInProcess(folder);
  await store.drain();
  const report = await store.reader.verify();
  await store.close();
  expect([...report.workspace, ...report.runs.flatMap(({ problems }) => problems)]).toEqual([]);
}

test('two processes write one workspace at once: none starves, every entry arrives, both see each other', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const foreign = new Set<string>();
  store.subscribe((notice) => {
    if (notice.kind === 'run') {
      foreign.add(`${notice.run} ${notice.seq}`);
    }
  });
  const [one, two] = await Promise.all([
    write(folder, Number.POSITIVE_INFINITY, 60),
    write(folder, Number.POSITIVE_INFINITY, 60),
  ]);
  expect([one?.done, two?.done]).toEqual([true, true]);
  await store.drain();
  for (const said of [one, two]) {
    expect(said?.step).toBe(60);
    const { seq, steps } = await store.reader.run(said?.run ?? '');
    expect(steps).toBe(60);
    await expect.poll(() => foreign.has(`${said?.run} ${seq}`)).toBe(true);
  }
  expect(await store.reader.verify()).toMatchObject({ ok: true });
}, 60_000);

test('a process that only looks learns of a commit within 200 ms', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const heard: { seq: number; at: number }[] = [];
  store.subscribe((notice) => {
    if (notice.kind === 'run') heard.push({ seq: notice.seq, at: Date.now() });
  });
  const { run = '' } = (await write(folder, Number.POSITIVE_INFINITY, 20)) ?? {};
  const { seq: last } = await store.reader.run(run);
  await expect.poll(() => heard.at(-1)?.seq).toBe(last);
  const events = await store.reader.events(run, 1, last);
  const delays = events.map(({ seq, at }) => (heard.find((each) => each.seq >= seq)?.at ?? Number.NaN) - at);
  expect(delays.length).toBeGreaterThan(40);
  expect(delays.sort((a, b) => a - b)[Math.floor(delays.length / 2)]).toBeLessThan(200);
});
