import type { CommandInput } from '@shared/contract/ipc';
import { endpointSchema, settingsSchema } from '@shared/contract/settings';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import type { Author } from '@shared/log/annotations';
import { expect, onTestFinished, test } from 'vitest';
import { allAnnotations } from '../dataset/event-pages';
import { TerminalPump } from '../ipc/terminal-pump';
import { JudgeJobs } from '../judging/judge-jobs';
import { BoundKey } from '../model/bound-key';
import type { ScriptedAnswer, ScriptedRequest } from '../model/scripted-answer';
import { startScriptedModel } from '../model/scripted-server';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { Reviewers } from '../testing/review-stand';
import { alice, bob, createRun, RunWriter } from '../testing/run-writer';
import { askedTurns, judgeAnswer } from '../testing/scripted-judges';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { type Workbench, WorkbenchHolder } from '../workbench';
import { answerCommand } from './dispatch';
import { workspaceHandlers } from './workspace-handlers';

const STEPS = 60;
const price = { input: 10, cached: 10, output: 10 };

/** A workspace with one run, and a judge that masks every fifth step; `atRequest` may hold a request back. */
async function stand() {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  const hold: {
    atRequest(request: ScriptedRequest): Promise<void> | void;
    fault?: ScriptedAnswer['fault'];
    answer?: ScriptedAnswer;
  } = { atRequest: () => undefined };
  const asked: number[][] = [];
  const model = await startScriptedModel({
    policy: async (request) => {
      asked.push(askedTurns(request).asked);
      await hold.atRequest(request);
      if (hold.fault !== undefined) return { fault: hold.fault };
      if (hold.answer !== undefined) return hold.answer;
      return judgeAnswer(request, (step) => (step % 5 === 0 ? 'mask' : 'keep'));
    },
  });
  onTestFinished(() => model.close());
  const endpoints = [
    endpointSchema.parse({ name: 'strict', baseUrl: model.baseUrl, model: 'judge-1', price }),
    endpointSchema.parse({ name: 'free', baseUrl: model.baseUrl, model: 'judge-2' }),
    endpointSchema.parse({ name: 'keyed', baseUrl: model.baseUrl, model: 'judge-3', keyEnv: 'NO_SUCH_KEY' }),
  ];
  const settings = { current: settingsSchema.parse({ endpoints }) };
  const windowOf = async (author: Author = alice, over = store) => {
    const judging = new JudgeJobs({
      store: over,
      settings,
      resourcesDir,
      findKey: (name, variable, origin) =>
        name === 'strict' && variable === '' ? new BoundKey('sk-own', origin) : null,
      log: { info: () => undefined, error: (message) => expect.fail(message) },
      graceMs: 50,
    });
    onTestFinished(() => judging.close());
    const bench = { folder, store: over, judging } as Partial<Workbench> as Workbench;
    const holder = new WorkbenchHolder(async () => bench);
    await holder.open(folder);
    const pump = new TerminalPump({ publish: () => undefined });
    const handlers = workspaceHandlers({
      holder,
      author: () => author,
      settings: () => settings.current,
      pump,
      resourcesDir,
    });
    return { judging, ...handlers };
  };
  return { folder, store, run: writer.run, asked, hold, model, settings, windowOf };
}

type Stand = Awaited<ReturnType<typeof stand>>;
type Window = Awaited<ReturnType<Stand['windowOf']>>;

type Asked = Partial<CommandInput<'judge.start'>> & { endpoint?: string; judge?: string };

/** As a page asks: what it leaves out has its default. Without other judges it is the one of this endpoint. */
async function ask(
  window: Window,
  name: 'judge.estimate' | 'judge.start',
  { endpoint = 'strict', judge, ...given }: Asked,
) {
  const judges = [{ endpoint, ...(judge === undefined ? {} : { judge }) }];
  return answerCommand(window, name, { runs: [], judges, ...given }, (command, { message }) =>
    expect.fail(`${command}: ${message}`),
  );
}

const listed = async (window: Window) => (await window['judge.batches'](undefined))[0];

const ended = (window: Window) =>
  expect.poll(async () => (await listed(window))?.isHere, { interval: 5 }).toBe(false);

async function voted({ store, run }: Stand): Promise<number> {
  const fold = foldAnnotations(await allAnnotations(store.reader, run));
  return Array.from({ length: STEPS }, (_, at) => fold.at(at + 1).judges.length).filter((n) => n === 1)
    .length;
}

/** Holds all requests from one on, until they are let go. */
function gate(hold: Stand['hold'], from: number) {
  const held: (() => void)[] = [];
  let closed = true;
  hold.atRequest = ({ index }) =>
    index < from || !closed ? undefined : new Promise((answer) => held.push(answer));
  return {
    held,
    open: () => {
      closed = false;
      for (const answer of held.splice(0)) answer();
    },
  };
}

test('an estimate sends nothing; a batch stores a vote for each step and tells what it found', async () => {
  const all = await stand();
  const { run, asked, windowOf } = all;
  const window = await windowOf();
  const told: number[] = [];
  window.judging.subscribe(() => told.push(told.length));
  expect(await ask(window, 'judge.estimate', { runs: [run] })).toMatchObject({
    ok: true,
    value: {
      judges: [{ judge: 'strict', steps: STEPS, requests: 3, cost: expect.any(Number), obstacle: null }],
    },
  });
  expect(asked).toEqual([]);
  expect(await window['judge.batches'](undefined)).toEqual([]);
  const started = await ask(window, 'judge.start', { runs: [run], maxCost: 50 });
  expect(started).toMatchObject({ ok: true });
  await ended(window);
  expect(await voted(all)).toBe(STEPS);
  const [batch] = (started as { value: { batches: string[] } }).value.batches;
  expect(await listed(window)).toMatchObject({
    id: batch,
    state: 'done',
    why: null,
    failure: null,
    isHere: false,
    total: null,
    judge: 'strict',
    model: 'judge-1',
    runs: [run],
    runCount: 1,
    steps: 'all',
    asked: 3,
    votes: STEPS,
    missing: 0,
    found: { masks: 12, keeps: 48, unparsable: 0 },
    cost: expect.any(Number),
    maxCost: 50,
    isPriced: true,
  });
  expect(told.length).toBeGreaterThanOrEqual(2);
  expect(await ask(window, 'judge.start', { runs: [run] })).toMatchObject({
    error: { code: 'refused', message: expect.stringMatching(/nothing left for strict/) },
  });
  // By another name it would judge again.
  expect(await ask(window, 'judge.estimate', { runs: [run], judge: 'second' })).toMatchObject({
    value: { judges: [{ judge: 'second', steps: STEPS }] },
  });
});

test('while it works its progress is told; stopping keeps what is under way, and resuming asks for the rest only', async () => {
  const all = await stand();
  const { run, asked, hold, windowOf } = all;
  const window = await windowOf();
  const { held, open } = gate(hold, 2);
  await ask(window, 'judge.start', { runs: [run] });
  await expect.poll(() => held.length, { interval: 5 }).toBe(1);
  await expect.poll(async () => (await listed(window))?.votes, { interval: 5 }).toBe(48);
  expect(await listed(window)).toMatchObject({
    state: 'running',
    isHere: true,
    isStopping: false,
    total: STEPS,
  });
  expect(await ask(window, 'judge.estimate', { runs: [run] })).toMatchObject({
    value: { judges: [{ obstacle: { code: 'refused' } }] },
  });
  expect(await ask(window, 'judge.start', { runs: [run] })).toMatchObject({
    error: { code: 'refused', message: expect.stringMatching(/asked about this workspace already/) },
  });
  const id = (await listed(window))?.id ?? '';
  expect(await window['judge.stop']({ batch: id })).toMatchObject([{ state: 'running', isStopping: true }]);
  open();
  await ended(window);
  // All three had been sent: they are paid for, so they are kept.
  expect(await voted(all)).toBe(STEPS);
  expect(asked).toHaveLength(3);
  await expect(window['judge.stop']({ batch: '01ARZ3NDEKTSV4RRFFQ69G5FAV' })).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('a batch that is stopped between two requests goes on where it stood, with another limit', async () => {
  const all = await stand();
  const { run, asked, hold, store, windowOf } = all;
  const window = await windowOf();
  let id = '';
  hold.atRequest = async ({ index }) => {
    if (index !== 0) return;
    await expect.poll(async () => (id = (await listed(window))?.id ?? ''), { interval: 5 }).not.toBe('');
    await window['judge.stop']({ batch: id });
  };
  // A limit that one request fills: the others wait for it.
  await ask(window, 'judge.start', { runs: [run], maxCost: 0.12 });
  await ended(window);
  const before = await voted(all);
  expect(before).toBeLessThan(STEPS);
  expect(await listed(window)).toMatchObject({ state: 'ended', why: 'cancelled', votes: before });
  hold.atRequest = () => undefined;
  const first = asked.flat().length;
  await window['judge.resume']({ batch: id, maxCost: 5 });
  expect(await listed(window)).toMatchObject({ isHere: true, total: STEPS });
  await ended(window);
  expect(await voted(all)).toBe(STEPS);
  expect(asked.flat()).toHaveLength(first + STEPS - before);
  expect(await window['judge.batches'](undefined)).toMatchObject([
    { id, state: 'done', votes: STEPS, maxCost: 5 },
  ]);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

/** A window begins a batch on the run and closes after its first answer. */
async function leaveInterrupted({ run, hold, windowOf }: Stand): Promise<void> {
  const first = await windowOf();
  const { held, open } = gate(hold, 1);
  await ask(first, 'judge.start', { runs: [run] });
  await expect.poll(() => held.length, { interval: 5 }).toBe(2);
  await expect.poll(async () => (await listed(first))?.votes, { interval: 5 }).toBe(24);
  await first.judging.close();
  open();
}

test('a window that closes leaves its batch interrupted, and the next one resumes it', async () => {
  const all = await stand();
  await leaveInterrupted(all);
  const { windowOf } = all;
  const second = await windowOf();
  const batch = await listed(second);
  expect(batch).toMatchObject({ state: 'interrupted', isHere: false, total: null, votes: 24, why: null });
  await second['judge.resume']({ batch: batch?.id ?? '', maxCost: null });
  await ended(second);
  expect(await listed(second)).toMatchObject({
    state: 'done',
    votes: STEPS,
    found: { masks: 12, keeps: 48, unparsable: 0 },
  });
  expect(await voted(all)).toBe(STEPS);
});

test('a batch of another process is listed, and stopped through the workspace; one that is resumed goes on', async () => {
  const { folder, run, hold, windowOf } = await stand();
  const theirs = await windowOf(bob, testStore(folder));
  const { held, open } = gate(hold, 0);
  await ask(theirs, 'judge.start', { runs: [run] });
  await expect.poll(() => held.length, { interval: 5 }).toBe(3);
  const mine = await windowOf();
  const batch = await listed(mine);
  expect(batch).toMatchObject({ state: 'running', isHere: false, isStopping: false, total: STEPS });
  const id = batch?.id ?? '';
  await expect(mine['judge.resume']({ batch: id, maxCost: null })).rejects.toMatchObject({ code: 'refused' });
  expect(await mine['judge.stop']({ batch: id })).toMatchObject([{ state: 'running', isStopping: true }]);
  expect(await listed(theirs)).toMatchObject({ isHere: true, isStopping: true });
  open();
  await ended(theirs);
  // All three had been sent: they are paid for, so they are kept.
  expect(await listed(mine)).toMatchObject({ votes: STEPS, isStopping: false });
  // Nobody works on it: there is nothing to stop.
  expect(await mine['judge.stop']({ batch: id })).toMatchObject([{ id, votes: STEPS, isStopping: false }]);
});

test('a batch whose process is gone is not stopped, and goes on when it is resumed', async () => {
  const all = await stand();
  await leaveInterrupted(all);
  const { windowOf } = all;
  const second = await windowOf();
  const id = (await listed(second))?.id ?? '';
  expect(await second['judge.stop']({ batch: id })).toMatchObject([
    { state: 'interrupted', isStopping: false },
  ]);
  await second['judge.resume']({ batch: id, maxCost: null });
  await ended(second);
  expect(await listed(second)).toMatchObject({ state: 'done', votes: STEPS });
});

test('only endpoints of the settings are asked, with their own keys, and money is limited only where there is a price', async () => {
  const { run, asked, settings, windowOf } = await stand();
  const window = await windowOf();
  for (const name of ['judge.estimate', 'judge.start'] as const) {
    const refused = (code: string, more: Parameters<typeof ask>[2]) =>
      expect(ask(window, name, { runs: [run], ...more })).resolves.toMatchObject({
        ok: false,
        error: { code },
      });
    await refused('not_found', { endpoint: 'http://127.0.0.1:9/v1' });
    await refused('refused', { endpoint: 'free', maxCost: 1 });
    await refused('bad_input', { judge: ' ' });
    await refused('bad_input', { maxCost: 0 });
    await refused('bad_input', { runs: ['../../etc'] });
  }
  expect(await ask(window, 'judge.estimate', { runs: [run], endpoint: 'free' })).toMatchObject({
    value: { judges: [{ cost: null, steps: STEPS, obstacle: null }] },
  });
  const missing = { code: 'model_key_missing', message: expect.stringMatching(/NO_SUCH_KEY is not set/) };
  expect(await ask(window, 'judge.estimate', { runs: [run], endpoint: 'keyed' })).toMatchObject({
    value: { judges: [{ obstacle: missing }] },
  });
  expect(await ask(window, 'judge.start', { runs: [run], endpoint: 'keyed' })).toMatchObject({
    error: missing,
  });
  expect(asked).toEqual([]);
  await ask(window, 'judge.start', { runs: [run] });
  await ended(window);
  const sent = asked.length;
  // The settings lead elsewhere by now: a batch of the log is asked nowhere that they do not name.
  const [first] = settings.current.endpoints;
  settings.current = settingsSchema.parse({
    endpoints: [{ ...first, baseUrl: 'http://127.0.0.1:9/v1' }],
  });
  const id = (await listed(window))?.id ?? '';
  await expect(window['judge.resume']({ batch: id, maxCost: null })).rejects.toMatchObject({
    code: 'endpoint_differs',
  });
  expect(asked).toHaveLength(sent);
});

test('a judge that fails ends its batch with the reason', async () => {
  const { run, hold, windowOf, asked } = await stand();
  const window = await windowOf();
  hold.fault = { kind: 'status', status: 401, body: '{"error":{"message":"No such key."}}' };
  await ask(window, 'judge.start', { runs: [run] });
  await ended(window);
  expect(await listed(window)).toMatchObject({
    state: 'ended',
    why: 'failed',
    failure: { code: 'model_rejected', message: expect.stringContaining('No such key.') },
    votes: 0,
  });
  expect(asked.length).toBeGreaterThan(0);
});

test('what a judge says is kept from whoever is to decide blind, in counts too', async () => {
  const { run, store, windowOf } = await stand();
  await new Reviewers(store).assign(bob, run, [{ from: 2, to: 5 }], { blind: true });
  const open = await windowOf();
  await ask(open, 'judge.start', { runs: [run] });
  await ended(open);
  const blind = await windowOf(bob);
  expect(await listed(blind)).toMatchObject({ votes: STEPS, found: null });
  expect(await listed(open)).toMatchObject({ found: { masks: 12, keeps: 48, unparsable: 0 } });
  for (const steps of ['undecided', 'disagreeing'] as const) {
    expect(await ask(blind, 'judge.estimate', { runs: [run], steps, judge: 'other' })).toMatchObject({
      error: { code: 'refused', message: expect.stringMatching(/blind/) },
    });
  }
  expect(await ask(blind, 'judge.estimate', { runs: [run], judge: 'other' })).toMatchObject({
    value: { judges: [{ steps: STEPS }] },
  });
  for (const step of [2, 3, 4, 5])
    await blind['labels.apply']({ run, from: step, to: step, value: 'train', reason: null });
  expect(await listed(blind)).toMatchObject({ found: { masks: 12, keeps: 48, unparsable: 0 } });
});

test('several judges are asked in one go, each in a batch of its own; one that cannot be asked keeps all from being asked', async () => {
  const { run, asked, windowOf } = await stand();
  const window = await windowOf();
  const judges = [{ endpoint: 'strict' }, { endpoint: 'free', judge: 'second' }];
  expect(await ask(window, 'judge.estimate', { runs: [run], judges })).toMatchObject({
    value: {
      judges: [
        { judge: 'strict', steps: STEPS, cost: expect.any(Number), obstacle: null },
        { judge: 'second', steps: STEPS, cost: null, obstacle: null },
      ],
    },
  });
  const keyed = [...judges, { endpoint: 'keyed' }];
  expect(await ask(window, 'judge.start', { runs: [run], judges: keyed })).toMatchObject({
    error: { code: 'model_key_missing' },
  });
  const same = [{ endpoint: 'strict' }, { endpoint: 'free', judge: 'strict' }];
  expect(await ask(window, 'judge.estimate', { runs: [run], judges: same })).toMatchObject({
    error: { code: 'bad_input', message: expect.stringMatching(/Two of these judges are called strict/) },
  });
  expect(asked).toEqual([]);
  expect(await ask(window, 'judge.start', { runs: [run], judges })).toMatchObject({
    value: { batches: [expect.any(String), expect.any(String)] },
  });
  const done = { state: 'done', votes: STEPS };
  await expect
    .poll(() => window['judge.batches'](undefined), { interval: 5 })
    .toMatchObject([
      { judge: 'second', ...done },
      { judge: 'strict', ...done },
    ]);
  // The one that has something left is asked; the other is left out.
  const again = [{ endpoint: 'strict' }, { endpoint: 'free', judge: 'third' }];
  const started = await ask(window, 'judge.start', { runs: [run], judges: again });
  expect((started as { value: { batches: string[] } }).value.batches).toHaveLength(1);
  await ended(window);
});

test('step rewards are asked for with the votes, regard and temperature that were chosen', async () => {
  const { run, model, windowOf, store, hold } = await stand();
  hold.answer = { text: 'It helps. \\boxed{1}' };
  const window = await windowOf();
  const asks = { mode: 'reward', votes: 2, temperature: 0.3, future: false, rubric: 'rlanything' } as const;
  expect(await ask(window, 'judge.estimate', { runs: [run], asks })).toMatchObject({
    value: {
      judges: [
        { steps: STEPS, requests: 2 * STEPS, rubrics: [expect.stringMatching(/^reward-rlanything@/)] },
      ],
    },
  });
  await ask(window, 'judge.start', { runs: [run], asks });
  await ended(window);
  expect(await listed(window)).toMatchObject({ mode: 'reward', state: 'done', votes: 2 * STEPS });
  const fold = foldAnnotations(await allAnnotations(store.reader, run));
  expect(fold.at(1).rewards).toMatchObject([
    { vote: 1, value: 1, future: false },
    { vote: 2, value: 1, future: false },
  ]);
  expect(JSON.parse(model.requests[0]?.raw ?? '')).toMatchObject({ temperature: 0.3 });
});

test('a rubric is tried, compared and kept; a blind reviewer learns nothing of it', async () => {
  const all = await stand();
  const { run, store, windowOf } = all;
  await new Reviewers(store).assign(bob, run, [{ from: 2, to: 5 }], { blind: true });
  const window = await windowOf();
  await ask(window, 'judge.start', { runs: [run] });
  await ended(window);
  const text = 'Keep what helps.';
  const asks = { mode: 'mask', rubric: { text }, isTrial: true } as const;
  const estimate = await ask(window, 'judge.estimate', { runs: [run], asks });
  expect(estimate).toMatchObject({
    value: { judges: [{ steps: STEPS, rubrics: [expect.stringMatching(/^steps@[0-9a-f]{12}$/)] }] },
  });
  await ask(window, 'judge.start', { runs: [run], asks });
  await ended(window);
  expect(await listed(window)).toMatchObject({ isTrial: true, state: 'done', votes: STEPS });
  expect(await voted(all)).toBe(STEPS);
  const asked = { run, judge: 'strict', text };
  expect(await window['rubric.trial'](asked)).toMatchObject({ tried: STEPS, compared: STEPS, toMask: 0 });
  const blind = await windowOf(bob);
  await expect(blind['rubric.trial'](asked)).rejects.toMatchObject({ code: 'refused' });
  const { task } = await store.reader.run(run);
  expect(await window['rubric.ofTask']({ task: task.id, kind: 'steps' })).toMatchObject({ kept: null });
  expect(await window['rubric.keep']({ task: task.id, kind: 'steps', text, before: null })).toMatchObject({
    kept: { text, author: alice.name },
    adopted: STEPS,
  });
  await expect(
    window['rubric.keep']({ task: task.id, kind: 'steps', text: 'Other.', before: null }),
  ).rejects.toMatchObject({
    code: 'conflict',
  });
  // What is kept for the task holds where nothing else is chosen.
  expect(await ask(window, 'judge.estimate', { runs: [run] })).toMatchObject({
    value: { judges: [{ steps: 0 }] },
  });
});

test('a newer estimate ends the one before it; the same one is counted once', async () => {
  const { run, store, windowOf } = await stand();
  const window = await windowOf();
  const { reader } = store;
  const waiting: (() => void)[] = [];
  /** Those who have begun to read the run. */
  let reading = 0;
  const read = reader.judgedTurns;
  reader.judgedTurns = async (of, from, to) => {
    if (from === 1) reading += 1;
    await new Promise<void>((go) => waiting.push(go));
    return read(of, from, to);
  };
  const first = ask(window, 'judge.estimate', { runs: [run] });
  await expect.poll(() => reading, { interval: 5 }).toBe(1);
  const second = ask(window, 'judge.estimate', { runs: [run], judge: 'other' });
  await expect.poll(() => reading, { interval: 5 }).toBe(2);
  const third = ask(window, 'judge.estimate', { runs: [run], judge: 'other', maxCost: 3 });
  reader.judgedTurns = read;
  for (const go of waiting) go();
  expect(await first).toMatchObject({ ok: false, error: { code: 'cancelled' } });
  const counted = { ok: true, value: { judges: [{ judge: 'other', steps: STEPS }] } };
  expect(await Promise.all([second, third])).toMatchObject([counted, counted]);
  expect(reading).toBe(2);
});
