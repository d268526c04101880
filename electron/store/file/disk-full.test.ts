import { existsSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { eventually } from '../../testing/deadline';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { fillDisk, smallDisk, takeAllFiles } from '../../testing/small-disk';
import { testStore } from '../../testing/store-fixtures';
import type { StoreNotice } from '../notices';
import { openStoreInProcess } from '../threads/in-process';
import { openDatabase } from './database';
import { makeRoom } from './make-room';

test('a full disk refuses new work visibly, loses nothing acknowledged and resumes by itself', async (context) => {
  const disk = smallDisk('size=6m');
  if (disk === null) {
    context.skip('mounting a small file system needs root on Linux');
    return;
  }
  const folder = join(disk, 'workspace');
  const store = testStore(folder, { ballastBytes: 64 * 1024 });
  const notices: StoreNotice[] = [];
  store.subscribe((notice) => notices.push(notice));
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  const filler = join(disk, 'filler');
  writeFileSync(filler, Buffer.alloc(2_500_000));
  // Texts that do not compress, until the disk is full.
  let failure: unknown;
  for (let step = 1; failure === undefined && step < 200; step += 1) {
    failure = await writer.command(`echo ${step}`, noise(step), { exitCode: 0 }).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
  }
  expect(failure).toMatchObject({ code: 'disk_full' });
  expect(notices).toContainEqual(expect.objectContaining({ kind: 'problem', code: 'disk_full' }));
  const label = store.writer.annotate(
    alice,
    { run, from: 1, to: 1 },
    { op: 'label', value: 'train', reason: null },
  );
  await expect(label).rejects.toMatchObject({
    code: 'disk_full',
    message: expect.stringContaining('this was not stored'),
  });
  expect((await store.reader.run(run)).steps).toBeGreaterThanOrEqual(writer.acknowledged);
  rmSync(filler);
  await expect
    .poll(() => notices.some(({ kind }) => kind === 'problem_solved'), { timeout: 10_000 })
    .toBe(true);
  await store.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'label', value: 'train', reason: null });
  await store.drain();
  for (let step = 1; step <= writer.acknowledged; step += 1) {
    expect((await store.reader.step(run, step)).observations[0]?.ok).toBe(true);
  }
  expect(await store.reader.verify()).toMatchObject({ ok: true });
}, 60_000);

describe('a disk that filled up while nobody had the workspace open', () => {
  test('the ballast is given back: the workspace opens, is read, and a run can be removed', async (context) => {
    const disk = smallDisk('size=8m');
    if (disk === null) return context.skip('mounting a small file system needs root on Linux');
    const folder = join(disk, 'workspace');
    const run = await closedWithRun(folder);
    writeFileSync(join(folder, 'ballast'), Buffer.alloc(1024 * 1024));
    const filler = fillDisk(disk);
    const store = testStore(folder, { ballastBytes: 1024 * 1024 });
    expect(existsSync(join(folder, 'ballast'))).toBe(false);
    expect((await store.reader.run(run)).steps).toBe(1);
    expect(await store.reader.verify()).toMatchObject({ ok: true });
    // New work would eat the room that removing needs.
    await expect(createRun(store)).rejects.toMatchObject({ code: 'disk_full' });
    await store.writer.post(run, alice, { op: 'run.pause', mode: 'after_step' });
    await store.writer.clean();
    await store.writer.remove(run, 'run', alice);
    expect(await store.reader.runs()).toEqual([]);
    const notices: StoreNotice[] = [];
    store.subscribe((notice) => notices.push(notice));
    rmSync(filler);
    await eventually('work goes on', () => notices.some(({ kind }) => kind === 'problem_solved'));
    await createRun(store);
  }, 60_000);

  test('without a ballast it says that the disk is full, not that the workspace is damaged', async (context) => {
    const disk = smallDisk('size=8m');
    if (disk === null) return context.skip('mounting a small file system needs root on Linux');
    const folder = join(disk, 'workspace');
    await closedWithRun(folder);
    const filler = fillDisk(disk);
    expect(() => openStoreInProcess(folder)).toThrow(expect.objectContaining({ code: 'disk_full' }));
    rmSync(filler);
    expect((await testStore(folder).reader.runs()).length).toBe(1);
  }, 60_000);

  test('no file left to make is a full disk as well', async (context) => {
    const disk = smallDisk('size=8m,nr_inodes=60');
    if (disk === null) return context.skip('mounting a small file system needs root on Linux');
    const folder = join(disk, 'workspace');
    await closedWithRun(folder);
    takeAllFiles(disk);
    expect(() => openStoreInProcess(folder)).toThrow(expect.objectContaining({ code: 'disk_full' }));
  }, 60_000);
});

test('on a full disk, a workspace that another process holds can be read and cleaned', async (context) => {
  const disk = smallDisk('size=8m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const folder = join(disk, 'workspace');
  const holder = testStore(folder);
  const run = await createRun(holder);
  const writer = new RunWriter(holder, run);
  await writer.start();
  await writer.command('echo 1', 'one', { exitCode: 0 });
  await holder.writer.sessionBytes(run, 1, 'u1', {
    offset: 0,
    bytes: Buffer.from('said'),
    receivedAt: 1,
    hostAt: null,
  });
  // More than the main file has room for lies in the write-ahead log.
  await writer.command('echo 2', noise(2), { exitCode: 0 });
  fillDisk(disk);
  const store = testStore(folder);
  expect((await store.reader.run(run)).steps).toBe(2);
  expect((await store.reader.readSession(run, 'u1', 0, 10)).endOffset).toBe(4);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  await store.writer.clean();
});

describe('a full disk without a ballast', () => {
  test('the search index becomes the ballast: a run is removed, and found again by search once there is room', async (context) => {
    const disk = smallDisk('size=12m');
    if (disk === null) return context.skip('mounting a small file system needs root on Linux');
    const folder = join(disk, 'workspace');
    const store = testStore(folder);
    const [gone, stays] = [await createRun(store), await createRun(store)];
    for (const run of [gone, stays]) {
      const writer = new RunWriter(store, run);
      await writer.start();
      for (let step = 1; step <= 6; step += 1)
        await writer.command(`echo needle${step}`, noise(step), { exitCode: 0 });
    }
    await store.drain();
    await store.close();
    const filler = fillDisk(disk);
    expect(makeRoom(folder, 64 * 1024 * 1024)).toBeGreaterThan(512 * 1024);
    expect(existsSync(join(folder, 'search.db'))).toBe(false);
    expect(makeRoom(folder, 64 * 1024 * 1024)).toBe(0);
    const again = testStore(folder, { ballastBytes: 64 * 1024 });
    await again.writer.clean();
    await again.writer.remove(gone, 'run', alice);
    expect((await again.reader.runs()).map(({ id }) => id)).toEqual([stays]);
    expect(await again.reader.verify()).toMatchObject({ ok: true });
    rmSync(filler);
    await again.drain();
    const { hits } = await again.reader.search({ run: stays, query: 'needle3', from: { hit: 0 }, limit: 1 });
    expect(hits.length).toBeGreaterThan(0);
  }, 60_000);

  test('an index that somebody has open stays, and so does one where there is room or a ballast', async (context) => {
    const disk = smallDisk('size=8m');
    if (disk === null) return context.skip('mounting a small file system needs root on Linux');
    const folder = join(disk, 'workspace');
    await closedWithRun(folder);
    expect(makeRoom(folder, 1024 * 1024)).toBe(0);
    const holder = openDatabase(join(folder, 'search.db'));
    holder.prepare('SELECT count(*) FROM sqlite_schema').get();
    const filler = fillDisk(disk);
    expect(makeRoom(folder, 1024 * 1024)).toBe(0);
    expect(existsSync(join(folder, 'search.db'))).toBe(true);
    holder.close();
    rmSync(filler);
    writeFileSync(join(folder, 'ballast'), Buffer.alloc(4096));
    fillDisk(disk);
    expect(makeRoom(folder, 1024 * 1024)).toBe(0);
  }, 60_000);
});

/** A text that does not compress. */
function noise(seed: number): string {
  return Array.from({ length: 30_000 }, (_, index) =>
    Math.imul(index * seed + 7, 2654435761).toString(36),
  ).join('');
}

/** A run with one step in a workspace that is closed again. */
async function closedWithRun(folder: string): Promise<string> {
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('echo 1', 'one', { exitCode: 0 });
  await store.drain();
  await store.close();
  return run;
}

test('removing a run gives the ballast back where not even its lock has room', async (context) => {
  const disk = smallDisk('size=8m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const folder = join(disk, 'workspace');
  const store = testStore(folder, { ballastBytes: 1024 * 1024 });
  const run = await createRun(store);
  writeFileSync(join(folder, 'ballast'), Buffer.alloc(1024 * 1024));
  fillDisk(disk);
  expect(() => store.lockRun('01K00000000000000000000000', true)).toThrow(
    expect.objectContaining({ code: 'disk_full' }),
  );
  expect(existsSync(join(folder, 'ballast'))).toBe(true);
  await store.writer.remove(run, 'run', alice);
  expect(existsSync(join(folder, 'ballast'))).toBe(false);
  expect(await store.reader.runs()).toEqual([]);
});

test('nobody waits for a search index that has no room: rules are set, and the labels follow', async (context) => {
  const disk = smallDisk('size=8m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const folder = join(disk, 'workspace');
  await closedWithRun(folder);
  for (const end of ['', '-wal', '-shm']) rmSync(join(folder, `search.db${end}`), { force: true });
  const filler = fillDisk(disk);
  truncateSync(filler, statSync(filler).size - 400 * 1024);
  const store = testStore(folder, { ballastBytes: 0 });
  const [run] = await store.reader.runs();
  const task = run?.task.id ?? '';
  const off = { rules: { 'command-failed': { on: false, parameters: {} } } };
  await store.writer.setRules(task, off, alice);
  await store.drain();
  expect(await store.reader.ruleProgress(task)).toMatchObject({ waiting: [] });
});
