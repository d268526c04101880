import { WaymarkError } from '@shared/contract/errors';
import type { JudgeRequest } from '@shared/contract/ipc/judging';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import { expect, onTestFinished, test } from 'vitest';
import type { Store } from '../store/api';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';
import type { DriveBatchApart } from './batch-apart';
import { JudgeJobs } from './judge-jobs';

const STEPS = 3;
const price = { input: 1, cached: 1, output: 2 };

/** A window that has batches worked on by processes apart, for which `drive` stands. */
async function stand(drive: DriveBatchApart) {
  const store = testStore();
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  const endpoint = endpointSchema.parse({
    name: 'strict',
    baseUrl: 'http://127.0.0.1:9/v1',
    model: 'judge-1',
    price,
  });
  const jobs = new JudgeJobs({
    store,
    settings: { current: settingsSchema.parse({ endpoints: [endpoint] }) },
    resourcesDir,
    findKey: () => null,
    log: { info: () => undefined, error: (message) => expect.fail(message) },
    driveApart: drive,
  });
  onTestFinished(() => jobs.close());
  const request: JudgeRequest = {
    runs: [writer.run],
    steps: 'all',
    asks: { mode: 'mask', rubric: 'task', isTrial: false },
    judges: [{ endpoint: 'strict' }],
    maxCost: 2,
  };
  return { store, jobs, request, listed: async () => (await jobs.list(alice))[0] };
}

/** As the process does: it takes the judge's lock, then the batch; the result ends that. */
async function takeUp(store: Store, batch: string) {
  const lock = store.lockJudge('strict');
  if (lock === null) return expect.fail('The judge is held by somebody else.');
  const held = { id: batch, epoch: lock.epoch };
  await store.writer.resumeBatch(held, null);
  return { held, release: () => lock.release() };
}

test('a batch is written down before its process is started with its price, and is running from then on', async () => {
  let started = '';
  const found = await stand(async (batch, apart) => {
    started = batch;
    expect(apart.price).toEqual(price);
    expect(await apart.isTaken()).toBe(false);
    // Nobody works on it yet, and nobody is to take it for interrupted.
    expect(await listed()).toMatchObject({ id: batch, state: 'running', isHere: false, total: STEPS });
    const { release } = await takeUp(store, batch);
    onTestFinished(release);
    expect(await apart.isTaken()).toBe(true);
  });
  const { store, jobs, request, listed } = found;
  expect(await jobs.start(request, alice)).toEqual([started]);
  expect(await listed()).toMatchObject({ state: 'running', isHere: false, maxCost: 2, isPriced: true });
  // The window goes, and the batch does not hear of it.
  await jobs.close();
  expect(await store.reader.judgeBatch(started)).toMatchObject({ end: null });
  await expect(jobs.start(request, alice)).rejects.toMatchObject({ code: 'refused' });
});

test('who stops a batch while its process starts is heard once that works on it', async () => {
  let stopped: Promise<void> = Promise.resolve();
  const { store, jobs, request } = await stand(async (batch) => {
    stopped = jobs.stop(batch);
    const { held, release } = await takeUp(store, batch);
    onTestFinished(release);
    expect(await store.reader.stopAsked(held)).toBe(false);
  });
  const [id = ''] = await jobs.start(request, alice);
  await stopped;
  expect(await store.reader.judgeBatch(id)).toMatchObject({ end: null, isStopping: true });
});

test('a process that cannot start fails the command, and ends the batch, with what it said', async () => {
  const said = new WaymarkError('model_key_missing', 'The key for strict is missing.');
  const { jobs, request, listed } = await stand(async () => {
    throw said;
  });
  await expect(jobs.start(request, alice)).rejects.toBe(said);
  const failed = await listed();
  expect(failed).toMatchObject({
    state: 'ended',
    why: 'failed',
    failure: { code: 'model_key_missing', message: said.message },
    votes: 0,
  });
  await expect(jobs.resume(failed?.id ?? '', 5)).rejects.toBe(said);
  expect(await listed()).toMatchObject({ state: 'ended', why: 'failed', maxCost: 5 });
});

test('a process that is given up on and takes the batch up anyway keeps it', async () => {
  const { store, jobs, request, listed } = await stand(async (batch) => {
    const { release } = await takeUp(store, batch);
    onTestFinished(release);
    throw new WaymarkError('timed_out', 'No process has taken it up.');
  });
  await expect(jobs.start(request, alice)).rejects.toMatchObject({ code: 'timed_out' });
  expect(await listed()).toMatchObject({ state: 'running', why: null });
});

test('a batch that is done at once was taken up; one in whose place another began was not', async () => {
  const seen: boolean[] = [];
  const { store, jobs, request } = await stand(async (batch, { isTaken }) => {
    const { held, release } = await takeUp(store, batch);
    await store.writer.endBatch(held, { why: 'done', failure: null, missing: 0 });
    release();
    seen.push(await isTaken());
    await store.writer.resumeBatch(held, null);
    const { choices } = await store.reader.judgeBatch(batch);
    await store.writer.beginBatch({ id: '01ARZ3NDEKTSV4RRFFQ69G5FAV', epoch: 9 }, choices);
    seen.push(await isTaken());
  });
  await jobs.start(request, alice);
  expect(seen).toEqual([true, false]);
});
