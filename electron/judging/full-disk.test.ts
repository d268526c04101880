import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import { expect, onTestFinished, test } from 'vitest';
import { startScriptedModel } from '../model/scripted-server';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { eventually } from '../testing/deadline';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { judgeAnswer } from '../testing/scripted-judges';
import { fillDisk, smallDisk } from '../testing/small-disk';
import { testStore } from '../testing/store-fixtures';
import { JudgeJobs } from './judge-jobs';

const STEPS = 60;

test('a batch that a full disk ends says so at once, and in the log once there is room; it goes on from there', async (context) => {
  const disk = smallDisk('size=12m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const store = testStore(join(disk, 'workspace'), { ballastBytes: 64 * 1024 });
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  await store.drain();
  let filler = '';
  const server = await startScriptedModel({
    policy: (request) => {
      // While the second window is being judged.
      if (request.index === 1) filler = fillDisk(disk);
      return judgeAnswer(request, () => 'keep');
    },
  });
  onTestFinished(() => server.close());
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
    runs: [writer.run],
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
