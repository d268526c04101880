import { rmSync, writeFileSync } from 'node:fs';
import type { StepQuery } from '@shared/contract/step-query';
import type { NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { alice, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { writeSummary } from '../../testing/write-summary';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { indexFile } from './search-file';

async function corpus(store: Store): Promise<string> {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls checkpoints', 'model.pt loss.json', { thought: 'Look for the learning rate' });
  await writer.command(
    'python train.py',
    `RuntimeError: CUDA out of memory. Tried to allocate ${'9'.repeat(2000)}`,
    {
      thought: '先学习数据再训练模型',
      exitCode: 1,
    },
  );
  await writer.hint('halve the batch size, s’il vous plaît');
  await writer.command('python train.py --batch 8', 'memory is fine, CUDA too', {
    thought: 'Résumé of changes',
  });
  return run;
}

async function steps(
  store: Store,
  run: string,
  query: string,
  from = 1,
  direction: 1 | -1 = 1,
): Promise<number[]> {
  await store.drain();
  return (await store.reader.search({ run, query, from: { step: from, direction }, limit: 50 })).hits.map(
    ({ step }) => step,
  );
}

test('words, phrases, prefixes, fields, accents and CJK are found', async () => {
  const store = testStore();
  const run = await corpus(store);
  expect(await steps(store, run, 'python')).toEqual([2, 3]);
  expect(await steps(store, run, 'PYTHON 8 ')).toEqual([3]);
  expect(await steps(store, run, 'python -fine')).toEqual([2]);
  expect(await steps(store, run, 'python -args:batch -thought:nothing')).toEqual([2]);
  expect(await steps(store, run, '--batch')).toEqual([2, 3]);
  expect(await steps(store, run, 'ＣＵＤＡ')).toEqual([2, 3]);
  expect(await steps(store, run, '"CUDA out of memory"')).toEqual([2]);
  expect(await steps(store, run, 'memory')).toEqual([2, 3]);
  expect(await steps(store, run, 'check*')).toEqual([1]);
  // The last word goes on until something follows it.
  expect(await steps(store, run, 'check')).toEqual([1]);
  expect(await steps(store, run, 'check ')).toEqual([]);
  expect(await steps(store, run, 'check loss')).toEqual([]);
  expect(await steps(store, run, '"CUDA out of mem')).toEqual([2]);
  expect(await steps(store, run, '"CUDA out of mem"')).toEqual([]);
  expect(await steps(store, run, 'c*')).toEqual([]);
  expect(await steps(store, run, '学习')).toEqual([2]);
  expect(await steps(store, run, '习学')).toEqual([]);
  expect(await steps(store, run, '训')).toEqual([2]);
  expect(await steps(store, run, 'resume')).toEqual([3]);
  expect(await steps(store, run, 'thought:learning')).toEqual([1]);
  expect(await steps(store, run, 'args:train obs:cuda')).toEqual([2, 3]);
  expect(await steps(store, run, 'observation:learning')).toEqual([]);
  expect(await steps(store, run, 'hint:halve')).toEqual([2]);
  expect(await steps(store, run, 'model.pt')).toEqual([1]);
  expect(await steps(store, run, 'python', 2, -1)).toEqual([2]);
  expect(await steps(store, run, 'python', 3, 1)).toEqual([3]);
});

test('nothing that is typed is a syntax error', async () => {
  const store = testStore();
  const run = await corpus(store);
  for (const query of [
    '',
    '"',
    '*',
    'AND',
    'a OR',
    'NEAR(',
    '"unclosed phrase',
    'thought:',
    '^x',
    "'",
    '-',
    '\u0000',
    '}{',
  ]) {
    await expect(steps(store, run, query)).resolves.toBeDefined();
  }
});

test('what cannot be searched is said', async () => {
  const store = testStore();
  const run = await corpus(store);
  const problem = async (query: string) =>
    (await store.reader.search({ run, query, from: { hit: 0 }, limit: 1 })).problem;
  expect(await problem('c')).toEqual({ code: 'too_short', word: 'c' });
  expect(await problem('c*')).toEqual({ code: 'too_short', word: 'c*' });
  expect(await problem('"c"')).toBeNull();
  expect(await problem('训')).toBeNull();
  expect(await problem('-cuda')).toEqual({ code: 'only_excluded' });
  expect(await problem('?!')).toEqual({ code: 'no_word' });
  expect(await problem(' ')).toBeNull();
  // On the way to "python batch".
  expect(await steps(store, run, 'python b')).toEqual([2, 3]);
  expect(await steps(store, run, 'python "b"')).toEqual([]);
});

test('paths and changed lines of files, web queries, summaries and evaluations are found', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  const change = (step: number, beforeText: string | null, text: string): NewEvent => ({
    kind: 'file.changed',
    body: {
      step,
      call: 0,
      computer: 'local',
      path: '/tmp/w/collator.py',
      size: text.length,
      by: 'action' as const,
      before: beforeText === null ? null : 'b'.repeat(64),
      after: 'c'.repeat(64),
      beforeText,
      text,
    },
  });
  await writer.command('make', 'done', { events: [change(1, null, 'first = 1\nuntouched = 2\n')] });
  await writer.command('again', 'done', {
    events: [change(2, 'first = 1\nuntouched = 2\n', 'second = 1\nuntouched = 2\n')],
  });
  await writer.command('', 'nothing', { tool: 'web_search', args: { query: 'rotary embeddings' } });
  await writeSummary(writer, {
    segment: 1,
    steps: { from: 1, to: 2 },
    carried: { from: 3, to: 3 },
    text: 'The tokenizer was mended',
    parts: {
      state: 'The tokenizer was mended',
      reflections: [{ hint: '', text: 'Mind the \\"vocabulary\\"' }],
    },
    observation: 'ok',
    missing: [{ kind: 'path', text: '/tmp/forgotten.bin' }],
  });
  expect(await steps(store, run, 'collator')).toEqual([1, 2]);
  expect(await steps(store, run, 'file:untouched')).toEqual([1]);
  expect(await steps(store, run, 'file:first')).toEqual([1, 2]);
  expect(await steps(store, run, 'file:second')).toEqual([2]);
  expect(await steps(store, run, 'rotary')).toEqual([3]);
  expect(await steps(store, run, 'tokenizer vocabulary')).toEqual([4]);
  expect(await steps(store, run, 'forgotten.bin')).toEqual([4]);
});

test('hits are paged, counted before, and found again from any step', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 30; step += 1)
    await writer.command(step % 3 === 0 ? 'needle' : 'hay', 'x', { thought: 'a thought' });
  await store.drain();
  const page = (from: { hit: number } | { step: number; direction: 1 | -1 }, limit = 3) =>
    store.reader.search({ run, query: 'needle', from, limit, place: true });
  const list = ({ hits, total, before }: Awaited<ReturnType<typeof page>>) => [
    hits.map(({ step }) => step),
    before,
    total,
  ];
  expect(list(await page({ hit: 0 }))).toEqual([[3, 6, 9], 0, 10]);
  expect(list(await page({ hit: 8 }))).toEqual([[27, 30], 8, 10]);
  expect(list(await page({ step: 13, direction: 1 }, 1))).toEqual([[15], 4, 10]);
  expect(list(await page({ step: 14, direction: -1 }, 1))).toEqual([[12], 3, 10]);
  expect(list(await page({ step: 31, direction: 1 }, 1))).toEqual([[], 0, 10]);
  expect(await store.reader.stepsMatching(run, 'needle')).toEqual([3, 6, 9, 12, 15, 18, 21, 24, 27, 30]);
  // What was counted is forgotten when more is indexed.
  await writer.command('needle', 'x');
  await store.drain();
  expect((await page({ hit: 0 })).total).toBe(11);
});

test('a branch is searched with the steps it took over; the workspace counts each step once', async () => {
  const store = testStore();
  const parent = await corpus(store);
  const run = ulid();
  await store.writer.append(run, 0, [
    { kind: 'run.created', body: { ...createdBody(run), title: 'Branch', parent: { run: parent, step: 2 } } },
  ]);
  const writer = new RunWriter(store, run);
  await writer.start();
  writer.step = 2;
  await writer.command('python other.py', 'fine');
  expect(await steps(store, run, 'python')).toEqual([2, 3]);
  expect(await steps(store, run, 'checkpoints')).toEqual([1]);
  expect(await steps(store, run, 'resume')).toEqual([]);
  expect(await store.reader.stepsMatching(run, 'python')).toEqual([2, 3]);
  const last = await store.reader.search({ run, query: 'python', from: { hit: 1 }, limit: 5 });
  expect(last.hits).toMatchObject([{ step: 3, snippet: expect.stringContaining('other.py') }]);
  expect(await store.reader.searchWorkspace('python', 1)).toMatchObject({
    total: 3,
    runs: [
      { run, title: 'Branch', total: 1, hits: [{ step: 3 }] },
      { run: parent, total: 2, hits: [{ step: 2 }] },
    ],
  });
});

test('snippets mark every hit near the first one, from the full text', async () => {
  const store = testStore();
  const run = await corpus(store);
  await store.drain();
  const page = await store.reader.search({
    run,
    query: 'memory CUDA',
    from: { step: 1, direction: 1 },
    limit: 10,
  });
  expect(page).toMatchObject({ total: 2, behind: 0 });
  expect(page.hits[0]).toMatchObject({ step: 2, field: 'observation' });
  expect(page.hits[0]?.snippet).toContain('\u0001CUDA\u0002 out of \u0001memory\u0002');
  expect(page.hits[1]?.snippet).toBe('\u0001memory\u0002 is fine, \u0001CUDA\u0002 too');
});

test('a deleted or damaged index is filled again with the same content', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await corpus(store);
  const before = await steps(store, run, 'python');
  await store.close();
  for (const suffix of ['', '-wal', '-shm']) {
    rmSync(indexFile(folder) + suffix, { force: true });
  }
  const second = testStore(folder);
  expect(await steps(second, run, 'python')).toEqual(before);
  await second.close();
  writeFileSync(indexFile(folder), 'this is not a database');
  const third = testStore(folder);
  expect(await steps(third, run, '学习')).toEqual([2]);
});

test('filters narrow the hits and say how many they hide', async () => {
  const store = testStore();
  const run = await corpus(store);
  await store.drain();
  const page = (
    filter: StepQuery,
    from: { hit: number } | { step: number; direction: 1 | -1 } = { hit: 0 },
  ) => store.reader.search({ run, query: 'python', filter, from, limit: 10 });
  expect(await page({ from: 3 })).toMatchObject({ total: 1, hidden: 1, before: 0, hits: [{ step: 3 }] });
  expect(await page({ tool: ['nothing'] })).toMatchObject({ total: 0, hidden: 2, hits: [] });
  expect(await page({ hint: true }, { step: 3, direction: -1 })).toMatchObject({
    total: 1,
    hits: [{ step: 2 }],
  });
  expect(await page({ text: 'batch 8 ' })).toMatchObject({ total: 1, hidden: 1, hits: [{ step: 3 }] });
  expect(await page({})).toMatchObject({ total: 2, hidden: 0 });
});

test('hits filtered by label follow a label that is given between two pages', async () => {
  const store = testStore();
  const run = await corpus(store);
  await store.drain();
  const masked = () =>
    store.reader.search({ run, query: 'python', filter: { label: ['mask'] }, from: { hit: 0 }, limit: 10 });
  expect(await masked()).toMatchObject({ total: 1, hits: [{ step: 2 }] });
  const target = { run, from: 3, to: 3 };
  await store.writer.annotate(alice, target, { op: 'label', value: 'mask', reason: null });
  expect(await masked()).toMatchObject({ total: 2, hits: [{ step: 2 }, { step: 3 }] });
});

test('an index that was left in the middle goes on where it stood and ends the same', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 120; step += 1) await writer.command(`echo ${step}`, `word${step % 9} ${step}`);
  await store.drain();
  const expected = await store.reader.stepsMatching(run, 'word4 ');
  await store.close();
  const db = openDatabase(indexFile(folder));
  // As it was after the batch that ended with an answer whose observation came in the next one.
  db.exec('DELETE FROM step WHERE rowid & 4294967295 > 50');
  db.exec('UPDATE cursor SET step = 50, seq = (SELECT max(seq) FROM cursor) * 50 / 120 - 2');
  db.close();
  const second = testStore(folder);
  expect((await second.reader.indexProgress()).behind).toBe(70);
  await second.drain();
  expect(await second.reader.stepsMatching(run, 'word4 ')).toEqual(expected);
  expect(await second.reader.indexProgress()).toEqual({ steps: 120, behind: 0 });
  expect(expected).toHaveLength(13);
});
