import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { endpointSchema } from '@shared/contract/settings';
import { expect, onTestFinished, test } from 'vitest';
import { startScriptedModel } from '../model/scripted-server';
import { eventually } from '../testing/deadline';
import { ProgramTransport } from '../testing/program-transport';
import { cliEntry, RemoteWindow, requireBuilt, waymark } from '../testing/remote-stand';
import { createRun, RunWriter } from '../testing/run-writer';
import { askedTurns, judgeAnswer } from '../testing/scripted-judges';
import { temporaryFolder, testStore } from '../testing/store-fixtures';

const STEPS = 60;
const everyStep = Array.from({ length: STEPS }, (_, at) => at + 1);

/** A server with one run, a judge, and windows that name its endpoint and its price, of which the server knows nothing. */
async function stand() {
  requireBuilt();
  const folder = temporaryFolder();
  const workspace = join(folder, 'workspace');
  const server = { WAYMARK_DATA: join(folder, 'server'), HOME: folder };
  // The workspace is the server's own, so that it is not only read there.
  await waymark(server, 'run', 'list', '--workspace', workspace);
  const store = testStore(workspace);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  await store.close();
  const judge = {
    /** Of the requests that came. */
    asked: [] as number[][],
    /** Of the answers that were given. */
    answered: [] as number[],
    atRequest: (_index: number): Promise<void> | void => undefined,
    /** From this request on whoever asks is to wait for an hour. */
    busyFrom: Number.POSITIVE_INFINITY,
  };
  const model = await startScriptedModel({
    policy: async (request) => {
      const { asked } = askedTurns(request);
      judge.asked.push(asked);
      await judge.atRequest(request.index);
      if (request.index >= judge.busyFrom)
        return { fault: { kind: 'status', status: 429, headers: { 'retry-after': '3600' } } };
      judge.answered.push(...asked);
      return judgeAnswer(request, (step) => (step % 5 === 0 ? 'mask' : 'keep'));
    },
  });
  onTestFinished(() => model.close());
  const transport = new ProgramTransport(server);
  const price = { input: 10, cached: 1, output: 10 };
  const endpoint = endpointSchema.parse({ name: 'strict', baseUrl: model.baseUrl, model: 'judge-1', price });
  const windowOf = async (name: string) => {
    const window = new RemoteWindow({
      data: join(folder, `data-${name}`),
      name,
      transport: () => transport,
      endpoints: [endpoint],
    });
    onTestFinished(() => window.desk.dispose());
    await window.desk.open({
      alias: 'box',
      folder: workspace,
      command: `'${process.execPath}' '${cliEntry}'`,
    });
    await window.until('the server is there', ({ state }) => state === 'up');
    return window;
  };
  const { run } = writer;
  const request = { runs: [run], judges: [{ endpoint: 'strict' }], maxCost: 50 };
  const batchOf = async (window: RemoteWindow) => (await window.ask('judge.batches', undefined))[0];
  const untilVoted = (window: RemoteWindow) =>
    eventually('an answer is stored', async () => {
      const batch = await batchOf(window);
      return batch !== undefined && batch.votes > 0 ? batch : null;
    });
  const untilState = (window: RemoteWindow, state: 'done' | 'ended') =>
    eventually(`the batch is ${state}`, async () => {
      const batch = await batchOf(window);
      return batch?.state === state ? batch : null;
    });
  const atServer = (...words: string[]) => waymark(server, 'judge', ...words, '--workspace', workspace);
  return { workspace, judge, transport, windowOf, request, batchOf, untilVoted, untilState, atServer };
}

test('a judge is asked by a process of the server: a link that is cut and a window that is gone are not felt, and nothing is paid twice', async () => {
  const { workspace, judge, transport, windowOf, request, batchOf, untilVoted, untilState } = await stand();
  let answer: () => void = () => undefined;
  const gone = new Promise<void>((resolve) => {
    answer = resolve;
  });
  // Answers that the first window does not live to see.
  judge.atRequest = (index) => (index === 0 ? undefined : gone);
  const first = await windowOf('ada');
  expect(await first.ask('judge.estimate', request)).toMatchObject({
    judges: [{ judge: 'strict', steps: STEPS, requests: 3, cost: expect.any(Number), obstacle: null }],
  });
  expect(judge.asked).toEqual([]);
  const { batches } = await first.ask('judge.start', request);
  const [id = ''] = batches;
  expect(await untilVoted(first)).toMatchObject({
    id,
    state: 'running',
    isHere: false,
    isStopping: false,
    total: STEPS,
    // The window's price: the server has none.
    cost: expect.any(Number),
  });
  await eventually('the others are being asked about', () => judge.asked.length === 3);
  transport.away = true;
  transport.cut();
  await first.until('the link is gone', ({ state }) => state !== 'up');
  first.desk.dispose();
  answer();

  transport.away = false;
  const second = await windowOf('bob');
  expect(await untilState(second, 'done')).toMatchObject({ id, votes: STEPS, missing: 0, asked: 3 });
  expect(judge.asked.flat().sort((a, b) => a - b)).toEqual(everyStep);
  expect(existsSync(join(workspace, 'logs', `judge-${id}.log`))).toBe(true);
  expect(await batchOf(second)).toMatchObject({ found: { masks: 12, keeps: 48, unparsable: 0 } });
  expect(await second.ask('judge.quality', {})).toMatchObject({
    judges: [{ judge: 'strict', votes: STEPS, accuracy: null }],
  });
  expect(await second.ask('judge.queued', { batch: id, queue: 'unsure' })).toEqual({ count: 0, run: null });
  expect(second.errors).toEqual([]);
}, 60_000);

test('a batch of the server is stopped by any window and by the command line there, and each time it is resumed', async () => {
  const { judge, windowOf, request, batchOf, untilVoted, untilState, atServer } = await stand();
  judge.busyFrom = 1;
  const ada = await windowOf('ada');
  const bob = await windowOf('bob');
  await ada.ask('judge.start', request);
  const { id, votes } = await untilVoted(ada);
  expect(await batchOf(bob)).toMatchObject({ id, state: 'running', isHere: false });
  await bob.ask('judge.stop', { batch: id });
  expect(await untilState(ada, 'ended')).toMatchObject({ why: 'cancelled', votes, isStopping: false });

  await ada.ask('judge.resume', { batch: id, maxCost: null });
  expect(await batchOf(bob)).toMatchObject({ state: 'running', isStopping: false });
  expect(await atServer('stop', id)).toMatchObject({ batch: id });
  expect(await untilState(bob, 'ended')).toMatchObject({ why: 'cancelled', votes });
  // Nobody works on it: there is nothing to stop.
  expect(await atServer('stop', id)).toMatchObject({ batch: id, state: 'ended' });
  expect(await bob.ask('judge.stop', { batch: id })).toMatchObject([{ state: 'ended', isStopping: false }]);

  judge.busyFrom = Number.POSITIVE_INFINITY;
  await bob.ask('judge.resume', { batch: id, maxCost: 40 });
  expect(await untilState(ada, 'done')).toMatchObject({ votes: STEPS, missing: 0, maxCost: 40 });
  expect(judge.answered.sort((a, b) => a - b)).toEqual(everyStep);
  expect([...ada.errors, ...bob.errors]).toEqual([]);
}, 60_000);
