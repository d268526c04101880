import { join } from 'node:path';
import type { JudgeRequest } from '@shared/contract/ipc/judging';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import { expect, onTestFinished, test, vi } from 'vitest';
import { JudgeJobs } from '../judging/judge-jobs';
import { BoundKey } from '../model/bound-key';
import { startScriptedModel } from '../model/scripted-server';
import { NamedAddresses } from '../named-addresses';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { eventually } from '../testing/deadline';
import { cliEntry, requireBuilt, waymark } from '../testing/remote-stand';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { askedTurns, judgeAnswer } from '../testing/scripted-judges';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { startJudge } from './start-judge';

const STEPS = 60;

/** A window of a server, with real processes that work on its batches. */
async function stand() {
  requireBuilt();
  const folder = temporaryFolder();
  const workspace = join(folder, 'workspace');
  const data = join(folder, 'data');
  vi.stubEnv('WAYMARK_DATA', data);
  onTestFinished(() => void vi.unstubAllEnvs());
  // The workspace is this machine's own, so that it is not only read.
  await waymark({}, 'run', 'list', '--workspace', workspace);
  const store = testStore(workspace);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  const asked: number[][] = [];
  const hold: { atRequest(index: number): Promise<void> | void } = { atRequest: () => undefined };
  const model = await startScriptedModel({
    policy: async (request) => {
      asked.push(askedTurns(request).asked);
      await hold.atRequest(request.index);
      return judgeAnswer(request, () => 'keep');
    },
  });
  onTestFinished(() => model.close());
  const endpoint = endpointSchema.parse({
    name: 'strict',
    baseUrl: model.baseUrl,
    model: 'judge-1',
    keyEnv: 'JUDGE_KEY',
    price: { input: 1, cached: 0.5, output: 2 },
  });
  const pids: number[] = [];
  const jobs = new JudgeJobs({
    store,
    settings: { current: settingsSchema.parse({ endpoints: [endpoint] }) },
    resourcesDir,
    findKey: (_name, _variable, origin) => new BoundKey('sk-judge', origin),
    log: { info: () => undefined, error: (message) => expect.fail(message) },
    driveApart: async (batch, apart) => {
      const keys = { JUDGE_KEY: 'sk-judge' };
      const { pid, taken } = await startJudge(batch, { entry: cliEntry, folder: workspace, keys, ...apart });
      if (pid !== undefined) pids.push(pid);
      await taken;
    },
  });
  onTestFinished(() => jobs.close());
  // Whatever a process still writes must not meet the removal of its folder.
  onTestFinished(() => eventually('the processes are gone', () => pids.every((pid) => !isAlive(pid))).then());
  const request: JudgeRequest = {
    runs: [writer.run],
    steps: 'all',
    asks: { mode: 'mask', rubric: 'task', isTrial: false },
    judges: [{ endpoint: 'strict' }],
    maxCost: 5,
  };
  const listed = async () => (await jobs.list(alice))[0];
  const name = () => new NamedAddresses(data).remember(endpoint);
  return { workspace, model, asked, hold, jobs, pids, request, listed, name };
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false; // gone: what was asked
  }
}

test('a process that is killed leaves its batch interrupted, and judge resume pays for nothing twice', async () => {
  const { workspace, model, asked, hold, jobs, pids, request, listed, name } = await stand();
  name();
  hold.atRequest = (index) => (index === 0 ? undefined : new Promise(() => undefined));
  const [batch = ''] = await jobs.start(request, alice);
  const running = await eventually('an answer is stored', async () => {
    const found = await listed();
    return found !== undefined && found.votes > 0 ? found : null;
  });
  expect(running).toMatchObject({ id: batch, state: 'running', isHere: false, cost: expect.any(Number) });
  await eventually('the others are out', () => asked.length === 3);
  const [judged = []] = asked;
  expect(judged).toHaveLength(running.votes);
  const [pid] = pids;
  if (pid === undefined) return expect.fail('No process was started.');
  process.kill(pid, 'SIGKILL');
  await eventually('its process is gone', async () => (await listed())?.state === 'interrupted');

  hold.atRequest = () => undefined;
  const words = ['judge', 'resume', batch, '--workspace', workspace, '--price', '1,0.5,2'];
  expect(await waymark({ JUDGE_KEY: 'sk-judge' }, ...words)).toMatchObject({ state: 'done', votes: STEPS });
  const times = (step: number) => asked.filter((steps) => steps.includes(step)).length;
  expect(judged.map(times)).toEqual(judged.map(() => 1));
  expect(model.requests.map(({ authorization }) => authorization)).toEqual(
    model.requests.map(() => 'Bearer sk-judge'),
  );
}, 60_000);

test('an address that nobody named on this machine is not asked, whoever wrote the batch, and the command says so', async () => {
  const { asked, jobs, request, listed } = await stand();
  const refused = {
    code: 'refused',
    message: expect.stringMatching(/unknown on this machine\. Nothing was sent/),
  };
  await expect(jobs.start(request, alice)).rejects.toMatchObject(refused);
  expect(await listed()).toMatchObject({ state: 'ended', why: 'failed', failure: refused, votes: 0 });
  expect(asked).toEqual([]);
}, 60_000);
