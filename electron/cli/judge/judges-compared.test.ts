import { join } from 'node:path';
import type { JudgeQuality } from '@shared/labels/judge-quality';
import { expect, it, onTestFinished } from 'vitest';
import { runBatch } from '../../judging/judge-batch';
import { judgeTasks } from '../../judging/judge-work';
import { readRubrics } from '../../judging/rubric';
import { createModelClient } from '../../model/client';
import { startScriptedModel } from '../../model/scripted-server';
import { begunBatch } from '../../testing/begun-batch';
import { alice, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { judgeAnswer } from '../../testing/scripted-judges';
import { testStore } from '../../testing/store-fixtures';
import { parseArguments } from '../arguments';
import type { CliContext } from '../context';
import { judgeCommand } from './judge-commands';

const STEPS = 200;
/** Planted: every fourth step is bad, and a person says so. */
const isBad = (step: number) => step % 4 === 0;

/** What each judge says of a step. The noisy one is wrong on exactly every tenth. */
const judges = {
  perfect: isBad,
  lenient: () => false,
  noisy: (step: number) => (step % 10 === 3) !== isBad(step),
};

it('judges of known quality, asked over HTTP, are told apart by what people say', async () => {
  const store = testStore();
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) {
    await writer.command('make', 'done', { exitCode: 0 });
    const target = { run: writer.run, from: step, to: step };
    const value = isBad(step) ? 'mask' : 'train';
    await store.writer.annotate(alice, target, { op: 'label', value, reason: null });
  }
  const rubrics = await readRubrics(join(import.meta.dirname, '../../../resources'), null);
  for (const [name, masks] of Object.entries(judges)) {
    const server = await startScriptedModel({
      policy: (request) => judgeAnswer(request, (step) => (masks(step) ? 'mask' : 'keep')),
    });
    onTestFinished(() => server.close());
    const model = { ...createdBody(writer.run).model, baseUrl: server.baseUrl };
    const tasks = judgeTasks(store, [writer.run], { name, model, rubrics });
    const result = await runBatch(store, tasks, {
      judge: name,
      batch: await begunBatch(store, { name, model, rubrics }),
      price: null,
      maxCost: null,
      together: 4,
      tries: 0,
      firstPauseMs: 1,
      model: createModelClient({ name, baseUrl: server.baseUrl, key: null }),
      signal: new AbortController().signal,
    });
    expect(result).toMatchObject({ votes: STEPS, missing: 0 });
  }

  const context = { store, reader: store.reader, author: alice } as unknown as CliContext;
  const { json } = await judgeCommand(context, parseArguments(['judge', 'agreement']));
  const found = new Map((json as JudgeQuality).judges.map((figures) => [figures.judge, figures]));
  expect(found.get('perfect')).toMatchObject({
    accuracy: { value: 1, n: STEPS },
    kappa: { value: 1 },
    maskPrecision: { value: 1 },
    maskRecall: { value: 1 },
  });
  // It is right about most steps and finds nothing: kappa says so where accuracy does not.
  expect(found.get('lenient')).toMatchObject({
    accuracy: { value: 0.75 },
    kappa: { value: 0 },
    maskRecall: { value: 0 },
  });
  const noisy = found.get('noisy');
  expect(noisy?.accuracy).toMatchObject({ value: 0.9, n: STEPS });
  expect(noisy?.maskPrecision?.value).toBeCloseTo(50 / 70);
  expect(noisy?.maskRecall?.value).toBe(1);
});
