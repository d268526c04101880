import { expect, test } from 'vitest';
import { Reviewers, runOf } from '../../testing/review-stand';
import { alice, bob, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';

const planted = { uuid: '6f1c1f0a-4444-4444-8444-444444444444', name: 'planted' };

test('over the borders of what is read at a time, every step counts once, with what was said before of it', async () => {
  const store = testStore();
  const steps = 2_300;
  const run = await runOf(store, steps);
  const people = new Reviewers(store);
  const target = { run, from: 1, to: steps };
  await store.writer.annotate(planted, target, { op: 'label', value: 'mask', reason: null });
  const vote = (value: 'mask' | 'keep', rubric: string, from: number, to: number) =>
    store.writer.annotate(
      { uuid: 'judge:strict', name: 'strict' },
      { run, from, to },
      { op: 'judge', value, confidence: 0.8, reason: 'blind-edit', why: '', steps: [], rubric },
    );
  await vote('keep', 'v1', 1, steps);
  await vote('mask', 'v2', 900, 2_100);
  await people.label(alice, run, 5, 'train');
  const asked = { runs: [run, run], truth: null };
  const found = await store.reader.judgeQuality(asked);
  // Of step 5 two people say different things.
  expect(found).toMatchObject({ steps, known: steps - 1, labellers: ['Alice', 'planted'], withheld: 0 });
  expect(found.judges).toMatchObject([
    { judge: 'strict', votes: steps, accuracy: { n: steps - 1, value: 1_201 / (steps - 1) } },
  ]);
  expect(found.drift).toMatchObject([
    { before: 'v1', after: 'v2', steps: 1_201, toMask: 1_201, recall: { after: { value: 1, n: 1_201 } } },
  ]);
  const byPlan = await store.reader.judgeQuality({ ...asked, truth: 'planted' });
  expect(byPlan).toMatchObject({ known: steps, judges: [{ accuracy: { n: steps } }] });
  await expect(store.reader.judgeQuality({ ...asked, truth: 'Nobody' })).rejects.toMatchObject({
    code: 'not_found',
    message: expect.stringMatching(/Nobody called "Nobody"/),
  });
});

test('rules that speak of the steps are held against people; a branch shares its parent’s steps; of a removed run nothing counts', async () => {
  const store = testStore();
  const parent = await runOf(store, 6, [2, 3]);
  const people = new Reviewers(store);
  const branch = await RunWriter.branchOf(store, parent, 4);
  await branch.command('make', 'done', { exitCode: 0 });
  await people.label(alice, parent, 2, 'mask');
  await people.label(alice, parent, 3, 'train');
  await people.label(bob, branch.run, 5, 'train');
  await people.judge('strict', parent, 2, 'mask');
  await people.judge('strict', branch.run, 5, 'mask');
  await store.drain();
  const both = await store.reader.judgeQuality({ runs: [branch.run, parent], truth: null });
  expect(both).toMatchObject({ steps: 3, known: 3 });
  expect(both.rules).toMatchObject([
    { rule: 'command-failed', effect: 'mask', steps: 2, right: { value: 0.5, n: 2 } },
  ]);
  expect(both.judges[0]).toMatchObject({ votes: 2, byRule: [{ rule: 'command-failed', steps: 1 }] });
  expect(await store.reader.judgeQuality({ runs: [branch.run], truth: null })).toEqual(both);
  await store.writer.remove(parent, 'run', alice);
  const left = await store.reader.judgeQuality({ runs: [branch.run], truth: null });
  expect(left).toMatchObject({ steps: 1, judges: [{ votes: 1, accuracy: { value: 0, n: 1 } }] });
  await expect(store.reader.judgeQuality({ runs: [parent], truth: null })).rejects.toMatchObject({
    code: 'not_found',
  });
});
