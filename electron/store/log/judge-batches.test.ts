import type { JudgeAnswer } from '@shared/judging/batch';
import { vote } from '@shared/log/annotation-fixtures';
import { judgeAuthor } from '@shared/log/annotations';
import { expect, it } from 'vitest';
import { batchStand } from '../../testing/batch-stand';
import { begunBatch } from '../../testing/begun-batch';
import { testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';

async function stand() {
  const { folder, store, run, judge } = await batchStand();
  const answer = (step: number, more: Partial<JudgeAnswer> = {}): JudgeAnswer => ({
    sha256: String(step).repeat(64),
    request: {
      run,
      rubric: 'steps',
      context: [],
      judged: [{ from: step, to: step }],
      asked: [step],
      frame: '{}',
    },
    votes: 1,
    against: 1,
    unparsable: 0,
    cost: 0.5,
    inputTokens: 10,
    outputTokens: 2,
    ...more,
  });
  const said = (step: number) => [{ target: { run, from: step, to: step }, op: vote('mask') }];
  return { store, run, judge, answer, said, folder, author: judgeAuthor('strict') };
}

it('counts what came of a batch, and knows what each request showed', async () => {
  const { store, judge, answer, said, author } = await stand();
  const held = await begunBatch(store, judge, { price: { input: 1, cached: 1, output: 1 } });
  expect((await store.reader.judgeBatch(held.id)).counts).toMatchObject({ asked: 0, cost: 0 });
  await store.writer.judgeAnswered(held, answer(1), author, said(1));
  // An answer that held no vote was paid for as well.
  await store.writer.judgeAnswered(held, answer(2, { votes: 0, against: 0 }), author, []);
  expect((await store.reader.judgeBatch(held.id)).counts).toEqual({
    asked: 2,
    knownCost: 1,
    votes: 1,
    against: 1,
    unparsable: 0,
    missing: 0,
    cost: 1,
    inputTokens: 20,
    outputTokens: 4,
  });
  expect(await store.reader.judgedRequest(held.id, '1'.repeat(64))).toEqual(answer(1).request);
  expect(await store.reader.judgedRequest(held.id, '9'.repeat(64))).toBeNull();
  await store.writer.judgeAnswered(held, answer(3, { cost: null }), author, said(3));
  expect((await store.reader.judgeBatch(held.id)).counts.cost).toBeNull();
  expect(await store.reader.verify()).toMatchObject({ ok: true, workspace: [] });
});

it('stores neither answer nor votes once another process has taken the batch up, or it has ended', async () => {
  const { store, run, judge, answer, said, author } = await stand();
  const held = await begunBatch(store, judge);
  await store.writer.resumeBatch({ ...held, epoch: 2 }, 7);
  const late = store.writer.judgeAnswered(held, answer(1), author, said(1));
  await expect(late).rejects.toMatchObject({ code: 'conflict' });
  await expect(store.writer.endBatch(held, { why: 'done', failure: null, missing: 0 })).rejects.toMatchObject(
    {
      code: 'conflict',
    },
  );
  expect((await store.reader.step(run, 1)).labels.judges).toEqual([]);
  const { counts, choices } = await store.reader.judgeBatch(held.id);
  expect([counts.asked, choices.maxCost]).toEqual([0, 7]);
  await store.writer.endBatch({ ...held, epoch: 2 }, { why: 'done', failure: null, missing: 1 });
  await expect(
    store.writer.judgeAnswered({ ...held, epoch: 2 }, answer(1), author, said(1)),
  ).rejects.toMatchObject({ code: 'conflict' });
  expect(await store.reader.judgeBatch(held.id)).toMatchObject({ end: { why: 'done', missing: 1 } });
});

it('a vote that cannot be stored leaves no answer behind', async () => {
  const { store, judge, answer, said, author } = await stand();
  const held = await begunBatch(store, judge);
  const beyond = store.writer.judgeAnswered(held, answer(9), author, said(9));
  await expect(beyond).rejects.toMatchObject({ code: 'bad_input' });
  expect((await store.reader.judgeBatch(held.id)).counts).toMatchObject({ asked: 0, votes: 0 });
});

it('a batch that begins ends those of the same judge that nobody works on, and no others', async () => {
  const { store, judge } = await stand();
  const first = await begunBatch(store, judge);
  const other = await begunBatch(store, { ...judge, name: 'lenient' });
  const second = await begunBatch(store, judge);
  const ends = new Map((await store.reader.judgeBatches(100)).map(({ id, end }) => [id, end?.why ?? null]));
  expect(ends).toEqual(
    new Map([
      [second.id, null],
      [other.id, null],
      [first.id, 'interrupted'],
    ]),
  );
});

it('whoever works on a batch is asked to end it, not who takes it up later, and not one that has ended', async () => {
  const { store, judge } = await stand();
  const { reader, writer } = store;
  const held = await begunBatch(store, judge);
  const isStopping = async () => (await reader.judgeBatch(held.id)).isStopping;
  expect([await reader.stopAsked(held), await isStopping()]).toEqual([false, false]);
  for (const _ of ['once', 'twice']) await writer.stopBatch(held.id);
  expect([await reader.stopAsked(held), await isStopping()]).toEqual([true, true]);
  expect(await reader.verify()).toMatchObject({ ok: true, workspace: [] });
  const later = { ...held, epoch: 2 };
  await writer.resumeBatch(later, null);
  expect([await reader.stopAsked(later), await isStopping()]).toEqual([false, false]);
  await writer.stopBatch(held.id);
  expect([await reader.stopAsked(held), await reader.stopAsked(later)]).toEqual([false, true]);
  await writer.endBatch(later, { why: 'cancelled', failure: null, missing: 0 });
  await writer.stopBatch(held.id);
  expect([await reader.stopAsked(later), await isStopping()]).toEqual([false, false]);
  // Killed before it heard of it; and a lock whose file was lost counts from the beginning again.
  await writer.resumeBatch(later, null);
  await writer.stopBatch(held.id);
  await writer.resumeBatch(later, null);
  expect([await reader.stopAsked(later), await isStopping()]).toEqual([false, false]);
  await expect(writer.stopBatch('01ARZ3NDEKTSV4RRFFQ69G5FAV')).rejects.toMatchObject({ code: 'not_found' });
});

it('a batch that another one of its judge ended keeps no wish to end it', async () => {
  const { store, judge } = await stand();
  const first = await begunBatch(store, judge);
  await store.writer.stopBatch(first.id);
  await begunBatch(store, judge);
  expect(await store.reader.judgeBatch(first.id)).toMatchObject({
    end: { why: 'interrupted' },
    isStopping: false,
  });
  expect(await store.reader.stopAsked(first)).toBe(false);
});

it('a row that was changed is named by verify, and one that is none is told, not taken', async () => {
  const { store, judge, answer, said, author, folder } = await stand();
  const held = await begunBatch(store, judge);
  await store.writer.judgeAnswered(held, answer(1), author, said(1));
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  expect(() => db.exec('UPDATE judge_answer SET votes = 9')).toThrow('stays as it was stored');
  db.exec("UPDATE judge_batch SET body = '{}'");
  db.close();
  const again = testStore(folder);
  const { workspace } = await again.reader.verify();
  expect(workspace).toMatchObject([{ what: 'row', where: `judge_batch ${held.id}` }]);
  await expect(again.reader.judgeBatch(held.id)).rejects.toMatchObject({ code: 'workspace_corrupt' });
});
