import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder } from '../../testing/store-fixtures';
import type { StoreNotice } from '../notices';
import { readerFor } from '../queries/reader-for';
import { openStore } from './client';
import { startThreads } from './store-thread';

test('the store behind threads does what the store in process does, and closes by message', async () => {
  const store = await openStore(temporaryFolder(), { workerDir: inject('storeWorkers'), ballastBytes: 0 });
  const notices: StoreNotice[] = [];
  store.subscribe((notice) => notices.push(notice));
  const run = await createRun(store);
  const lock = store.lockRun(run);
  expect(lock?.epoch).toBe(1);
  expect(store.isDriven(run)).toBe(true);
  expect(store.lockRun(run)).toBeNull();
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('grep needle', 'found the needle here', { exitCode: 0 });
  await store.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'label', value: 'train', reason: null });
  await store.drain();
  expect(
    (
      await store.reader.search({ run, query: 'needle', from: { step: 1, direction: 1 }, limit: 10 })
    ).hits.map(({ step }) => step),
  ).toEqual([1]);
  expect((await store.reader.heads(run, 1, 1))[0]?.label.value).toBe('train');
  expect(await store.reader.verify()).toMatchObject({ ok: true, workspace: [] });
  await expect(store.reader.run('01ARZ3NDEKTSV4RRFFQ69G5FAV')).rejects.toMatchObject({ code: 'not_found' });
  lock?.release();
  expect(store.isDriven(run)).toBe(false);
  expect(store.lockRun(run)?.epoch).toBe(2);
  expect(notices.filter(({ kind }) => kind === 'run').length).toBeGreaterThan(3);
  expect(await store.writer.backup()).toContain('backups');
  await store.close();
  await expect(store.reader.runs()).rejects.toMatchObject({ code: 'bug' });
});

test('threads that were started ahead open the workspace; where it is refused, all of them end', async () => {
  const workers = inject('storeWorkers');
  const store = await openStore(temporaryFolder(), { threads: startThreads(workers), ballastBytes: 0 });
  expect(await store.reader.runs()).toEqual([]);
  await store.close();
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'workspace.db'), 'no database, but long enough to be looked into '.repeat(100));
  const threads = startThreads(workers);
  await expect(openStore(folder, { threads })).rejects.toMatchObject({ code: 'workspace_corrupt' });
  for (const [role, thread] of Object.entries(threads)) {
    const code = role === 'write' ? 'workspace_corrupt' : 'bug';
    await expect(thread.call('drain', [])).rejects.toMatchObject({ code });
  }
});

test('the reading threads may wait for a word, for a question that is theirs, and for the end', async () => {
  const workers = inject('storeWorkers');
  const open = async () => {
    const threads = startThreads(workers, { writerFirst: true });
    const store = await openStore(temporaryFolder(), { threads, ballastBytes: 0 });
    expect(await store.reader.runs()).toEqual([]);
    expect([threads.read.hasBegun, threads.index.hasBegun]).toEqual([false, false]);
    return { store, threads };
  };
  const asked = await open();
  expect((await asked.store.reader.indexProgress()).behind).toBe(0);
  expect(asked.threads.read.hasBegun).toBe(false);
  expect(await asked.store.reader.batches()).toEqual([]);
  expect(asked.threads.read.hasBegun).toBe(true);
  const told = await open();
  told.threads.read.begin();
  await told.threads.read.call('runs', []);
  expect(await told.store.reader.runs()).toEqual([]);
  const ended = await open();
  for (const { store, threads } of [asked, told, ended]) {
    await store.close();
    expect([threads.read.hasBegun, threads.index.hasBegun]).toEqual([true, true]);
    await expect(store.reader.runs()).rejects.toMatchObject({ code: 'bug' });
  }
});

test('the writing thread answers all that a window asks, as its person may see it, until its first rows are there', async () => {
  const threads = startThreads(inject('storeWorkers'), { writerFirst: true });
  const store = await openStore(temporaryFolder(), { threads, ballastBytes: 0 });
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'a file', { exitCode: 0 });
  const reader = readerFor(store.reader, alice);
  expect((await reader.runs()).map(({ id }) => id)).toEqual([run]);
  expect((await reader.run(run)).id).toBe(run);
  expect((await reader.heads(run, 1, 1)).map(({ step }) => step)).toEqual([1]);
  expect((await reader.step(run, 1)).head.step).toBe(1);
  expect(await reader.tiles(run)).toHaveLength(1);
  expect(await reader.segments(run)).toHaveLength(1);
  expect((await reader.hints(run)).hints).toEqual([]);
  expect((await reader.queueView(alice, run)).runs).toHaveLength(1);
  expect([threads.read.hasBegun, threads.index.hasBegun]).toEqual([false, false]);
  await store.close();
});
