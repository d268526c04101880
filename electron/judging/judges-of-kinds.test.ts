import { foldAnnotations } from '@shared/labels/annotation-fold';
import { describe, expect, it, onTestFinished } from 'vitest';
import { allAnnotations } from '../dataset/event-pages';
import { createModelClient } from '../model/client';
import { startScriptedModel } from '../model/scripted-server';
import type { Store } from '../store/api';
import { resourcesDir } from '../testing/agent-host/agent-setup';
import { begunBatch } from '../testing/begun-batch';
import { plantedRun } from '../testing/planted-run';
import { alice, createdBody, createRun, RunWriter } from '../testing/run-writer';
import { chance, INJECTED, type JudgeOfKind, judgesOfKinds, noisyJudge } from '../testing/scripted-judges';
import { testStore } from '../testing/store-fixtures';
import { type BatchOptions, runBatch } from './judge-batch';
import { judgeTasks } from './judge-work';
import { readRubrics } from './rubric';

const STEPS = 60;
/** Planted in the text of the step itself. */
const isBad = (_: number, text: string) => text.includes('rm -rf out');
const isBadStep = (step: number) => step % 5 === 0;

/** Asks a judge over HTTP about a run. */
async function ask(
  store: Store,
  run: string,
  name: string,
  judge: JudgeOfKind,
  truth: (step: number, text: string) => boolean = isBad,
  more: Partial<BatchOptions> = {},
) {
  const server = await startScriptedModel({ policy: (request) => judge(request, truth) });
  onTestFinished(() => server.close());
  const model = { ...createdBody(run).model, baseUrl: server.baseUrl };
  const rubrics = await readRubrics(resourcesDir, null);
  const result = await runBatch(store, judgeTasks(store, [run], { name, model, rubrics }), {
    judge: name,
    batch: await begunBatch(store, { name, model, rubrics }),
    price: null,
    maxCost: null,
    together: 3,
    tries: 2,
    firstPauseMs: 1,
    model: createModelClient({ name, baseUrl: server.baseUrl, key: null }),
    signal: new AbortController().signal,
    ...more,
  });
  return { ...result, requests: server.requests.length };
}

async function stand(observed = 'done') {
  const store = testStore();
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) {
    await writer.command(isBadStep(step) ? 'rm -rf out' : `make part-${step}`, observed, { exitCode: 0 });
    const target = { run: writer.run, from: step, to: step };
    const value = isBadStep(step) ? 'mask' : 'train';
    await store.writer.annotate(alice, target, { op: 'label', value, reason: null });
  }
  const { run } = writer;
  return { store, run };
}

describe('independent judges over HTTP', () => {
  it('those that answer are told apart by what people say; those that do not, store nothing they did not say', async () => {
    const { store, run } = await stand();
    const results = new Map<string, Awaited<ReturnType<typeof ask>>>();
    for (const [name, judge] of Object.entries(judgesOfKinds()))
      results.set(name, await ask(store, run, name, judge));
    const all = { votes: STEPS, missing: 0, ended: null };
    for (const name of ['perfect', 'biased', 'noisy', 'malformed', 'injected', 'slow'])
      expect(results.get(name), name).toMatchObject(all);
    // Every window was asked about twice: the first answer could not be read.
    expect(results.get('malformed')?.requests).toBe(6);
    expect(results.get('dead')).toMatchObject({
      votes: 0,
      ended: { why: 'failed', failure: { code: expect.stringMatching(/^model_/) } },
    });
    const { judges } = await store.reader.judgeQuality({ runs: [run], truth: null });
    const found = new Map(judges.map((figures) => [figures.judge, figures]));
    expect([...found.keys()]).toEqual(['biased', 'injected', 'malformed', 'noisy', 'perfect', 'slow']);
    for (const name of ['perfect', 'malformed', 'slow', 'injected'])
      expect(found.get(name), name).toMatchObject({ accuracy: { value: 1, n: STEPS }, kappa: { value: 1 } });
    // Half of all steps are even; of the others a fifth is bad.
    expect(found.get('biased')).toMatchObject({ maskRecall: { value: 1, n: 12 }, maskPrecision: { n: 36 } });
    const wrong = Array.from({ length: STEPS }, (_, at) => at + 1).filter(
      (step) => chance('noisy', step) < 0.2,
    );
    expect(found.get('noisy')?.accuracy?.value).toBeCloseTo(1 - wrong.length / STEPS, 12);
    // The rate that is known lies within the interval.
    expect(found.get('noisy')?.accuracy?.low).toBeLessThan(0.8);
    expect(found.get('noisy')?.accuracy?.high).toBeGreaterThan(0.8);
    // It knows two degrees of being sure.
    expect(found.get('noisy')?.bySureness.map(({ from }) => from)).toEqual([0.5, 0.9]);
  });

  it('a judge that obeys what a step says can only vote on the steps it is asked about; rules and people still hold', async () => {
    const { store, run } = await stand(INJECTED);
    expect(await ask(store, run, 'injected', judgesOfKinds().injected)).toMatchObject({
      votes: STEPS,
      against: 0,
      missing: 0,
    });
    const fold = foldAnnotations(await allAnnotations(store.reader, run));
    for (let step = 1; step <= STEPS; step += 1) {
      const [vote] = fold.at(step).judges;
      // What it cites was shown and is another step; what it writes cannot steer a terminal.
      expect(vote?.steps).toEqual([]);
      expect(vote?.why).toBe('The text says so. [2J');
    }
    expect(fold.at(STEPS + 1).judges).toEqual([]);
    await store.drain();
    const { labels } = await store.reader.step(run, 5);
    expect(labels.effective).toMatchObject({ value: 'mask', source: 'human' });
    const { judges } = await store.reader.judgeQuality({ runs: [run], truth: null });
    expect(judges).toMatchObject([{ maskRecall: { value: 0, n: 12 }, kappa: { value: 0 } }]);
  });

  it('a judge that never answers is given up when the batch is stopped, and stays without a vote', async () => {
    const { store, run } = await stand();
    const giveUp = new AbortController();
    const silent: JudgeOfKind = () => {
      setImmediate(() => giveUp.abort());
      return { fault: { kind: 'silence' } };
    };
    expect(await ask(store, run, 'silent', silent, isBad, { signal: giveUp.signal })).toMatchObject({
      asked: 0,
      votes: 0,
      ended: { why: 'cancelled' },
    });
  });
});

it('rules, a judge that is wrong on a tenth, and one pass of review reach the planted mask on 98 of 100 steps', async () => {
  const planted = plantedRun();
  const { events, run } = planted.run.script;
  const store = testStore();
  for (const { kind, body } of events) await store.writer.append(run, 0, [{ kind, body } as never]);
  const shouldMask = (step: number) => planted.truth.get(step)?.train === false;
  const { steps } = await store.reader.run(run);
  expect(steps).toBe(planted.truth.size);
  expect(await ask(store, run, 'noisy', noisyJudge(0.1, 'planted'), shouldMask)).toMatchObject({
    votes: steps,
    missing: 0,
  });
  await store.drain();
  const right = async () => {
    const heads = await store.reader.heads(run, 1, steps);
    return heads.filter(({ step, label }) => (label.value === 'mask') === shouldMask(step)).length / steps;
  };
  const before = await right();
  const looked = new Set<number>();
  const decide = async (step: number) => {
    looked.add(step);
    const value = shouldMask(step) ? 'mask' : 'train';
    const target = { run, from: step, to: step };
    await store.writer.annotate(alice, target, { op: 'label', value, reason: 'As planted.' });
    await store.drain();
  };
  // Where opinions differ, where the judge is unsure, and what nobody has decided: as the queue leads there.
  for (;;) {
    const item = await store.reader.queueNext(alice, run, null, 1);
    if (item === null || item.class === 'unconfirmed' || item.class === 'rest') break;
    await decide(item.step);
    expect(looked.size).toBeLessThanOrEqual(steps);
  }
  // Then what a machine alone masks; the rest is confirmed as TRAIN unseen.
  const masked = { label: ['mask' as const], marks: ['unconfirmed' as const] };
  for (const step of await store.reader.matches(run, masked)) await decide(step);
  const looks = looked.size;
  const after = await right();
  process.stdout.write(
    `planted review: ${(100 * before).toFixed(1)} % right before, ${(100 * after).toFixed(1)} % after ${looks} looks at ${steps} steps\n`,
  );
  expect(before).toBeLessThan(0.98);
  expect(after).toBeGreaterThanOrEqual(0.98);
  // Most of the run was never looked at.
  expect(looks).toBeLessThan(steps / 2);
}, 60_000);
