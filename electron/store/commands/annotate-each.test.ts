import { judgeAuthor } from '@shared/log/annotations';
import { expect, it } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import type { Said } from '../values';

const judge = judgeAuthor('strict');

const vote = (run: string, step: number, value: 'mask' | 'keep'): Said => ({
  target: { run, from: step, to: step },
  op: { op: 'judge', value, confidence: 0.9, reason: 'sound', why: 'So it is.', steps: [], rubric: 'r1' },
});

async function runOf(store: Store, steps: number): Promise<string> {
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= steps; step += 1) await writer.command(`make part-${step}`, 'done');
  return writer.run;
}

const shown = async (store: Store, run: string, steps: number) => {
  const heads = await store.reader.heads(run, 1, steps);
  return heads.map(({ label, judge: said, decided }) => ({ label, said, decided }));
};

it('votes stored together leave the columns that votes stored one by one leave, and one chain', async () => {
  const store = testStore();
  const [together, apart] = [await runOf(store, 40), await runOf(store, 40)];
  const votes = (run: string) =>
    Array.from({ length: 40 }, (_, at) => vote(run, at + 1, at % 3 === 0 ? 'mask' : 'keep'));
  const entries = await store.writer.annotateEach(judge, votes(together));
  for (const { target, op } of votes(apart)) await store.writer.annotate(judge, target, op);
  expect(entries.map(({ target }) => target.from)).toEqual(votes(together).map(({ target }) => target.from));
  expect(await shown(store, together, 40)).toEqual(await shown(store, apart, 40));
  expect((await shown(store, together, 40))[0]?.label.value).toBe('mask');
  // A second opinion of the same judge takes the place of the first.
  const [again] = await store.writer.annotateEach(judge, [vote(together, 1, 'keep')]);
  expect(again?.supersedes).toEqual([entries[0]?.ulid]);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

it('one of them that cannot be stored keeps all of them out, and nothing said is nothing stored', async () => {
  const store = testStore();
  const run = await runOf(store, 3);
  const said = [vote(run, 1, 'mask'), vote(run, 9, 'mask')];
  await expect(store.writer.annotateEach(judge, said)).rejects.toMatchObject({ code: 'bad_input' });
  expect(await store.reader.annotations(run)).toEqual([]);
  const twice = [vote(run, 1, 'mask'), vote(run, 1, 'keep')];
  await expect(store.writer.annotateEach(judge, twice)).rejects.toThrow('named twice');
  expect(await store.reader.annotations(run)).toEqual([]);
  expect(await store.writer.annotateEach(judge, [])).toEqual([]);
  await store.writer.annotateEach(judge, said.slice(0, 1));
  expect(await store.reader.annotations(run)).toHaveLength(1);
});

it('steps before a branch point are judged in the run they were made in', async () => {
  const store = testStore();
  const parent = await runOf(store, 3);
  const branch = await RunWriter.branchOf(store, parent, 2);
  const { run } = branch;
  await branch.command('make other', 'done');
  const entries = await store.writer.annotateEach(judge, [vote(run, 2, 'mask'), vote(run, 3, 'mask')]);
  expect(entries.map(({ target }) => target.run)).toEqual([parent, run]);
  // Named as said in the branch, so that taking it back there finds it.
  expect(entries.map(({ gesture }) => gesture?.run)).toEqual([run, undefined]);
  expect((await store.reader.heads(parent, 2, 2))[0]?.label.value).toBe('mask');
  expect(await store.writer.undo(run, alice)).toBeNull();
});
