import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import { expect, onTestFinished, test } from 'vitest';
import { newUlid } from '../base/new-ulid';
import { createModelClient } from '../model/client';
import { startScriptedModel } from '../model/scripted-server';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { eventually } from '../testing/deadline';
import { alice, createdBody, createRun, RunWriter } from '../testing/run-writer';
import { judgeAnswer } from '../testing/scripted-judges';
import { fillDisk, smallDisk } from '../testing/small-disk';
import { testStore } from '../testing/store-fixtures';
import { JudgeJobs } from './judge-jobs';
import { driveBatch } from './named-batch';
import { readRubrics } from './rubric';

const STEPS = 60;

/** A workspace on that disk with one run, and a judge that hears of each request before it answers. */
async function judged(disk: string, atRequest: (index: number) => void = () => undefined) {
  const store = testStore(join(disk, 'workspace'), { ballastBytes: 64 * 1024 });
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  await store.drain();
  const requests: number[] = [];
  const server = await startScriptedModel({
    policy: (request) => {
      requests.push(request.index);
      atRequest(request.index);
      return judgeAnswer(request, () => 'keep');
    },
  });
  onTestFinished(() => server.close());
  return { store, run: writer.run, server, requests };
}

/** Takes what is free but for so many bytes; returns the file that holds them. */
function leave(disk: string, bytes: number): string {
  const { bavail, bsize } = statfsSync(disk);
  const path = join(disk, 'filler');
  writeFileSync(path, Buffer.alloc(bavail * bsize - bytes));
  return path;
}

test('a batch that a full disk ends says so at once, and in the log once there is room; it goes on from there', async (context) => {
  const disk = smallDisk('size=16m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  let filler = '';
  const { store, run, server } = await judged(disk, (index) => {
    // While the second window is being judged.
    if (index === 1) filler = fillDisk(disk);
  });
  const endpoint = endpointSchema.parse({
    name: 'strict',
    baseUrl: server.baseUrl,
    model: 'judge-1',
    price: { input: 10, cached: 10, output: 10 },
  });
  const jobsOf = () => {
    const jobs = new JudgeJobs({
      store,
      settings: { current: settingsSchema.parse({ endpoints: [endpoint] }) },
      resourcesDir,
      findKey: () => null,
      log: { info: () => undefined, error: (message) => expect.fail(message) },
    });
    onTestFinished(() => jobs.close());
    return jobs;
  };
  const jobs = jobsOf();
  // A limit that holds the second request back until the first has been answered.
  const request = {
    runs: [run],
    steps: 'all' as const,
    asks: { mode: 'mask' as const, rubric: 'task' as const, isTrial: false },
    judges: [{ endpoint: 'strict' }],
    maxCost: 0.2,
  };
  await jobs.start(request, alice);
  const listed = async (of: JudgeJobs) => (await of.list(alice))[0];
  await eventually('the batch has ended here', async () => (await listed(jobs))?.isHere === false);
  const told = { state: 'ended', why: 'failed', failure: { code: 'disk_full' } };
  expect(await listed(jobs)).toMatchObject(told);
  const [stored] = await store.reader.judgeBatches(1);
  expect(stored?.end).toBeNull();

  rmSync(filler);
  // Looking is what writes it down; from then on every process knows.
  await eventually('its end is written down', async () => {
    expect(await listed(jobs)).toMatchObject(told);
    return (await store.reader.judgeBatches(1))[0]?.end;
  });
  const another = jobsOf();
  const batch = await listed(another);
  expect(batch).toMatchObject(told);
  const before = batch?.votes ?? 0;
  expect(before).toBeLessThan(STEPS);
  await another.resume(batch?.id ?? '', 50);
  await eventually('it is done', async () => (await listed(another))?.state === 'done');
  expect(await listed(another)).toMatchObject({ votes: STEPS, missing: 0 });
  // What the first process knew is of a time that is over.
  expect(await listed(jobs)).toMatchObject({ state: 'done', why: null, failure: null });
}, 60_000);

test.for([false, true])(
  'nothing more is sent once an answer could not be stored, and it goes on when there is room (a trial: %s)',
  { timeout: 60_000 },
  async (isTrial, context) => {
    const disk = smallDisk('size=24m');
    if (disk === null) return context.skip('mounting a small file system needs root on Linux');
    let filler = '';
    const { store, run, server, requests } = await judged(disk, (index) => {
      // There is room for this answer, and for no other one.
      if (index === 0) filler = leave(disk, 3 * 1024 ** 2);
    });
    const held = { id: newUlid(), epoch: 1 };
    await store.writer.beginBatch(held, {
      mode: 'mask',
      judge: 'strict',
      runs: [run],
      steps: 'all',
      model: { ...createdBody(run).model, baseUrl: server.baseUrl },
      rubrics: await readRubrics(resourcesDir, null),
      maxCost: null,
      price: null,
      isTrial,
    });
    const drive = () =>
      driveBatch(store, held, {
        price: null,
        model: createModelClient({ name: 'judge', baseUrl: server.baseUrl, key: null }),
        together: 1,
        tries: 1,
        firstPauseMs: 1,
        signal: new AbortController().signal,
      });
    const why = { code: 'disk_full', message: expect.stringMatching(/nothing more was sent/) };
    const first = await drive();
    expect(first).toMatchObject({ end: { why: 'failed', failure: why }, counts: { asked: 1 } });
    expect(first.counts.votes).toBeGreaterThan(0);
    expect(requests).toEqual([0]);
    // Nor at the beginning.
    await store.writer.resumeBatch(held, null);
    expect(await drive()).toMatchObject({ end: { why: 'failed', failure: why }, counts: { asked: 1 } });
    expect(requests).toEqual([0]);
    rmSync(filler);
    await store.writer.resumeBatch(held, null);
    expect(await drive()).toMatchObject({ end: { why: 'done' }, counts: { votes: STEPS } });
  },
);
