import { rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import type { Store } from './api';
import { indexFile } from './search-index';

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
  return (await store.reader.search(run, query, from, direction, 50)).hits.map(({ step }) => step);
}

test('words, phrases, prefixes, fields, accents and CJK are found', async () => {
  const store = testStore();
  const run = await corpus(store);
  expect(await steps(store, run, 'python')).toEqual([2, 3]);
  expect(await steps(store, run, 'PYTHON 8')).toEqual([3]);
  expect(await steps(store, run, '"CUDA out of memory"')).toEqual([2]);
  expect(await steps(store, run, 'memory')).toEqual([2, 3]);
  expect(await steps(store, run, 'check*')).toEqual([1]);
  expect(await steps(store, run, 'check')).toEqual([]);
  expect(await steps(store, run, 'c*')).toEqual([]);
  expect(await steps(store, run, '学习')).toEqual([2]);
  expect(await steps(store, run, '习学')).toEqual([]);
  expect(await steps(store, run, '训')).toEqual([2]);
  expect(await steps(store, run, 'resume')).toEqual([3]);
  expect(await steps(store, run, 'thought:learning')).toEqual([1]);
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

test('snippets mark every hit near the first one, from the full text', async () => {
  const store = testStore();
  const run = await corpus(store);
  await store.drain();
  const page = await store.reader.search(run, 'memory CUDA', 1, 1, 10);
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
