import { rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import { expect, onTestFinished, test } from 'vitest';
import { createModelClient } from '../model/client';
import { startScriptedModel } from '../model/scripted-server';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { begunBatch } from '../testing/begun-batch';
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

test('nothing is sent where an answer could not be stored, at first or later; it goes on once there is room', async (context) => {
  const disk = smallDisk('size=24m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const { store, run, server, requests } = await judged(disk);
  const { model } = createdBody(run);
  const held = await begunBatch(
    store,
    {
      name: 'strict',
      model: { ...model, baseUrl: server.baseUrl },
      rubrics: await readRubrics(resourcesDir, null),
    },
    { runs: [run] },
  );
  const drive = () =>
    driveBatch(store, held, {
      price: null,
      model: createModelClient({ name: 'judge', baseUrl: server.baseUrl, key: null }),
      together: 4,
      tries: 1,
      firstPauseMs: 1,
      signal: new AbortController().signal,
    });
  const filler = leave(disk, 3 * 1024 ** 2);
  const refused = {
    why: 'failed',
    failure: { code: 'disk_full', message: expect.stringMatching(/nothing more was sent/) },
  };
  expect(await drive()).toMatchObject({ end: refused, counts: { asked: 0 } });
  expect(requests).toEqual([]);
  rmSync(filler);
  await store.writer.resumeBatch(held, null);
  expect(await drive()).toMatchObject({ end: { why: 'done' }, counts: { votes: STEPS } });
}, 60_000);
