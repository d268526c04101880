import { join } from 'node:path';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import { expect, it, onTestFinished } from 'vitest';
import { newUlid } from '../base/new-ulid';
import { allAnnotations } from '../dataset/event-pages';
import { createModelClient } from '../model/client';
import { startScriptedModel } from '../model/scripted-server';
import type { Store } from '../store/api';
import { alice, bob, createdBody, RunWriter } from '../testing/run-writer';
import { judgeAnswer } from '../testing/scripted-judges';
import { testStore } from '../testing/store-fixtures';
import { writeSummary } from '../testing/write-summary';
import { estimateBatch } from './batch-estimate';
import { readJudgement } from './judgement';
import { chosenRubrics, keepRubric, type RubricChoice, readRubricView, readTrial } from './kept-rubric';
import { driveBatch, tasksOf } from './named-batch';

const resources = join(import.meta.dirname, '../../resources');
const price = { input: 10, cached: 10, output: 10 };
/** By this rubric the judge masks steps 2 and 3, by any other 1 and 2. */
const OTHER = 'Mask the steps that the word OTHER stands for.';

async function aRun(store: Store, task?: string): Promise<RunWriter> {
  const run = newUlid();
  const body = createdBody(run);
  const created = task === undefined ? body : { ...body, task: { ...body.task, id: task } };
  await store.writer.append(run, 0, [{ kind: 'run.created', body: created }]);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 5; step += 1) await writer.command('make', 'done', { exitCode: 0 });
  return writer;
}

async function stand() {
  const store = testStore();
  const writer = await aRun(store);
  const { run } = writer;
  const { task } = await store.reader.run(run);
  const prompts: string[] = [];
  let beforeAnswer = () => Promise.resolve();
  const server = await startScriptedModel({
    policy: async (request) => {
      await beforeAnswer();
      const [system] = request.messages;
      prompts.push(String(system?.content));
      const masked = String(system?.content).includes('OTHER') ? [2, 3] : [1, 2];
      return judgeAnswer(request, (step) => (masked.includes(step) ? 'mask' : 'keep'));
    },
  });
  onTestFinished(() => server.close());
  const model = { ...createdBody(run).model, baseUrl: server.baseUrl };
  const choicesFor = async (
    rubric: RubricChoice,
    { runs = [run], steps = 'all' as 'all' | 'changed', isTrial = false } = {},
  ) => ({
    mode: 'mask' as const,
    judge: 'strict',
    runs,
    steps,
    model,
    rubrics: await chosenRubrics(store, resources, runs, rubric),
    maxCost: null,
    price,
    ...(isTrial ? { isTrial } : {}),
  });
  const ask = async (...given: Parameters<typeof choicesFor>) => {
    const held = { id: newUlid(), epoch: 1 };
    await store.writer.beginBatch(held, await choicesFor(...given));
    return driveBatch(store, held, {
      price,
      model: createModelClient({ name: 'judge', baseUrl: server.baseUrl, key: null }),
      together: 2,
      tries: 1,
      firstPauseMs: 1,
      signal: new AbortController().signal,
    });
  };
  const open = async (...given: Parameters<typeof choicesFor>) =>
    (await estimateBatch(tasksOf(store, await choicesFor(...given)), price)).steps;
  const label = (step: number, value: 'train' | 'mask', author = alice) =>
    store.writer.annotate(author, { run, from: step, to: step }, { op: 'label', value, reason: null });
  const votes = async (of = run) => {
    const fold = foldAnnotations(await allAnnotations(store.reader, of));
    return [1, 2, 3, 4, 5].map((step) =>
      fold
        .at(step)
        .judges.map(({ value }) => value)
        .join(),
    );
  };
  const version = async (text: string) => (await chosenRubrics(store, resources, [], { text })).steps.version;
  const onAnswer = (act: () => Promise<void>) => {
    beforeAnswer = act;
  };
  return { store, writer, run, task: task.id, prompts, ask, open, label, votes, version, onAnswer };
}

it('a trial says what another rubric would change and leaves every vote as it was; keeping it pays for nothing again', async () => {
  const { store, run, task, prompts, ask, open, label, votes, version } = await stand();
  await ask('built-in');
  const standing = ['mask', 'mask', 'keep', 'keep', 'keep'];
  expect(await votes()).toEqual(standing);
  // People: 1 and 4 train, 2 and 3 mask; on 5 they differ.
  await label(1, 'train');
  for (const step of [2, 3]) await label(step, 'mask');
  await label(4, 'train');
  await label(5, 'train');
  await label(5, 'mask', bob);
  const batch = await ask({ text: OTHER }, { isTrial: true });
  expect(batch).toMatchObject({
    end: { why: 'done', missing: 0 },
    counts: { asked: 1, votes: 5, against: 2 },
  });
  expect(await votes()).toEqual(standing);
  const after = await version(OTHER);
  const { version: builtIn } = await readRubricView(store, resources, task);
  const trial = await readTrial(store, run, 'strict', after);
  expect(trial).toMatchObject({
    before: [builtIn],
    after,
    tried: 5,
    compared: 5,
    toMask: 1,
    toKeep: 1,
    labelled: 4,
    precision: { before: { value: 0.5, n: 2 }, after: { value: 1, n: 2 } },
    recall: { before: { value: 0.5, n: 2 }, after: { value: 1, n: 2 } },
    changes: [
      { step: 1, before: 'mask', after: 'keep', people: 'train' },
      { step: 3, before: 'keep', after: 'mask', people: 'mask', reason: 'blind-edit', why: 'Because.' },
    ],
  });
  // Trying the same text again asks nothing.
  expect(await open({ text: OTHER }, { isTrial: true })).toBe(0);
  const asked = prompts.length;
  expect(await keepRubric(store, resources, { task, text: OTHER, before: null }, alice)).toMatchObject({
    version: after,
    kept: { text: OTHER, author: alice.name },
    adopted: 5,
  });
  expect(await votes()).toEqual(['keep', 'mask', 'mask', 'keep', 'keep']);
  expect(await open('task')).toBe(0);
  expect(prompts).toHaveLength(asked);
  // An adopted vote names the request that it answers, which can be made again.
  const entries = await allAnnotations(store.reader, run);
  const vote = entries.findLast(({ body }) => body.op === 'judge' && body.rubric === after);
  if (vote?.body.op !== 'judge') expect.fail('There is no vote by the new rubric.');
  expect(await readJudgement(store, vote.body)).toMatchObject({ verified: true });
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

it('a trial on a run that the judge has not judged has its own figures and no change', async () => {
  const { store, run, ask, label, version } = await stand();
  await label(2, 'mask');
  await label(3, 'train');
  await ask({ text: OTHER }, { isTrial: true });
  expect(await readTrial(store, run, 'strict', await version(OTHER))).toMatchObject({
    before: [],
    tried: 5,
    compared: 0,
    toMask: 0,
    toKeep: 0,
    changes: [],
    labelled: 2,
    precision: { before: null, after: { value: 0.5, n: 2 } },
    recall: { before: null, after: { value: 1, n: 1 } },
  });
});

it('what a trial is told after its text was kept meanwhile becomes votes when the trial ends', async () => {
  const { run, store, task, ask, votes, onAnswer } = await stand();
  await ask('built-in');
  const standing = await votes();
  onAnswer(() => keepRubric(store, resources, { task, text: OTHER }, alice).then(() => undefined));
  await ask({ text: OTHER }, { isTrial: true });
  const kept = await votes();
  expect(kept).toEqual(['keep', 'mask', 'mask', 'keep', 'keep']);
  expect(kept).not.toEqual(standing);
  expect(await store.reader.triers(run, (await readRubricView(store, resources, task)).version)).toEqual([]);
});

it('each run is judged by what is kept for its task, in one batch; its requests can be made again', async () => {
  const { store, run, task, prompts, ask, open, votes } = await stand();
  const other = (await aRun(store, 'another-task')).run;
  await keepRubric(store, resources, { task: 'another-task', text: OTHER }, alice);
  await ask('task', { runs: [run, other] });
  expect(prompts.filter((prompt) => prompt.includes('OTHER'))).toHaveLength(1);
  expect(prompts).toHaveLength(2);
  expect(await votes()).toEqual(['mask', 'mask', 'keep', 'keep', 'keep']);
  expect(await votes(other)).toEqual(['keep', 'mask', 'mask', 'keep', 'keep']);
  expect(await open('task', { runs: [run, other] })).toBe(0);
  expect(await open('built-in', { runs: [run, other] })).toBe(5);
  for (const each of [run, other]) {
    for (const { body } of await allAnnotations(store.reader, each)) {
      if (body.op === 'judge') expect(await readJudgement(store, body)).toMatchObject({ verified: true });
    }
  }
  // Going back to the built-in text leaves the votes; they are what has changed since.
  const back = await keepRubric(store, resources, { task: 'another-task', text: null }, alice);
  expect(back).toMatchObject({ kept: null, version: back.builtInVersion, adopted: 0 });
  expect(await open('task', { runs: [run, other], steps: 'changed' })).toBe(5);
  expect(await open('task', { runs: [run], steps: 'changed' })).toBe(0);
  expect(task).not.toBe('another-task');
});

it('summaries are judged by the rubric that is kept for them, steps by theirs; another text opens the summaries alone again', async () => {
  const { store, writer, run, task, prompts, ask, open } = await stand();
  const steps = { from: 1, to: 5 };
  await writeSummary(writer, { segment: 1, steps, carried: null, text: 'Five parts are made.' });
  const before = await readRubricView(store, resources, task, 'summaries');
  expect(before).toMatchObject({ kind: 'summaries', kept: null });
  expect(before.builtIn).toContain('`forgets`');
  await ask('task');
  expect(prompts.map((prompt) => prompt.includes('`forgets`')).sort()).toEqual([false, true]);
  prompts.length = 0;
  const text = 'Keep a summary that forgets nothing.';
  await expect(
    keepRubric(store, resources, { task, kind: 'summaries', text: `${text} {{points}}` }, alice),
  ).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/nothing to put there\. Take it out\.$/),
  });
  const kept = await keepRubric(store, resources, { task, kind: 'summaries', text, before: null }, alice);
  expect(kept).toMatchObject({ kind: 'summaries', kept: { text, author: alice.name }, adopted: 0 });
  expect(kept.version).toMatch(/^summaries@/);
  expect((await readRubricView(store, resources, task)).kept).toBeNull();
  expect(await open('built-in', { steps: 'changed' })).toBe(0);
  expect(await open('task', { steps: 'changed' })).toBe(1);
  expect(await ask('task', { steps: 'changed' })).toMatchObject({ counts: { votes: 1 } });
  expect(prompts).toEqual([text]);
  const [vote] = (await store.reader.step(run, 6)).labels.judges;
  expect(vote).toMatchObject({ rubric: kept.version });
  for (const { body } of await allAnnotations(store.reader, run)) {
    if (body.op === 'judge') expect(await readJudgement(store, body)).toMatchObject({ verified: true });
  }
});

it('steps that changed since: judged before, by another rubric or before what they show changed', async () => {
  const { store, writer, run, ask, open, votes } = await stand();
  expect(await open('task', { steps: 'changed' })).toBe(0);
  await ask('task');
  expect(await open('task', { steps: 'changed' })).toBe(0);
  expect(await open({ text: OTHER }, { steps: 'changed' })).toBe(5);
  // A hint that came later stands on the last step that was judged; a step that was never judged has not changed.
  await writer.hint('Look at the log first.');
  await writer.command('cat log', 'x', { exitCode: 0 });
  expect(await open('task', { steps: 'changed' })).toBe(5);
  expect(await open('task')).toBe(1);
  const again = await ask('task', { steps: 'changed' });
  expect(again).toMatchObject({ end: { why: 'done' }, counts: { votes: 5 } });
  expect(await open('task', { steps: 'changed' })).toBe(0);
  expect(await votes()).toEqual(['mask', 'mask', 'keep', 'keep', 'keep']);
  expect(await store.reader.verify([run])).toMatchObject({ ok: true });
});

it.each([
  ['', /is empty/],
  ['x'.repeat(70_000), /more than 64 KB/],
  ['a\0b', /not a text/],
])('what cannot be a rubric is not kept: %#', async (text, message) => {
  const { store, task } = await stand();
  await expect(keepRubric(store, resources, { task, text }, alice)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(message),
  });
  expect(await store.reader.rubric(task, 'steps')).toBeNull();
});

it('the application’s own text stays its own, wherever it comes from', async () => {
  const { store, task, run } = await stand();
  const { builtIn, builtInVersion } = await readRubricView(store, resources, task);
  expect(await keepRubric(store, resources, { task, text: `${builtIn}\n` }, alice)).toMatchObject({
    version: builtInVersion,
  });
  const { ofTasks } = await chosenRubrics(store, resources, [run], 'task');
  expect(ofTasks?.[0]?.rubric).toMatchObject({ isOwn: false, version: builtInVersion });
});
