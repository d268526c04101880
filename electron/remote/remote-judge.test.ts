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

test('a judge is asked by the server; a window that leaves interrupts it, and the next one goes on without paying twice', async () => {
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
  const asked: number[][] = [];
  let holds = true;
  const model = await startScriptedModel({
    policy: async (request) => {
      asked.push(askedTurns(request).asked);
      // Answers that the first window does not live to see.
      if (holds && request.index > 0) await new Promise(() => undefined);
      return judgeAnswer(request, (step) => (step % 5 === 0 ? 'mask' : 'keep'));
    },
  });
  onTestFinished(() => model.close());
  const transport = new ProgramTransport(server);
  const endpoint = endpointSchema.parse({ name: 'strict', baseUrl: model.baseUrl, model: 'judge-1' });
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
  const request = { runs: [run], judges: [{ endpoint: 'strict' }] };
  const first = await windowOf('ada');
  expect(await first.ask('judge.estimate', request)).toMatchObject({
    judges: [{ judge: 'strict', steps: STEPS, requests: 3, obstacle: null }],
  });
  expect(asked).toEqual([]);
  await first.ask('judge.start', request);
  const batchOf = async (window: RemoteWindow) => (await window.ask('judge.batches', undefined))[0];
  await eventually('one window is judged', async () => (await batchOf(first))?.votes === 24);
  expect(await batchOf(first)).toMatchObject({ state: 'running', isHere: true, total: STEPS });
  await eventually('the others are being asked about', () => asked.length === 3);
  first.desk.dispose();

  holds = false;
  const second = await windowOf('bob');
  const left = await eventually('it is interrupted', async () => {
    const batch = await batchOf(second);
    return batch?.state === 'interrupted' ? batch : null;
  });
  expect(left).toMatchObject({ votes: 24, judge: 'strict' });
  await second.ask('judge.resume', { batch: left.id, maxCost: null });
  await eventually('it is done', async () => (await batchOf(second))?.state === 'done');
  expect(await batchOf(second)).toMatchObject({ id: left.id, votes: STEPS, missing: 0, asked: 3 });
  // What had been answered and stored was asked once; what was under way when the window left, twice.
  const times = (step: number) => asked.filter((steps) => steps.includes(step)).length;
  expect([times(1), times(60)]).toEqual([1, 2]);
  expect(await second.ask('judge.quality', {})).toMatchObject({
    judges: [{ judge: 'strict', votes: STEPS, accuracy: null }],
  });
  expect(await second.ask('judge.queued', { batch: left.id, queue: 'unsure' })).toEqual({
    count: 0,
    run: null,
  });
  expect([...first.errors, ...second.errors]).toEqual([]);
}, 60_000);
