import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, inject, onTestFinished, test } from 'vitest';
import { byteAt } from '../../testing/part-files';
import { createRun } from '../../testing/run-writer';
import { smallDisk, takeAllFiles } from '../../testing/small-disk';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { openStore } from '../threads/client';

const KILLS = process.env.WAYMARK_FULL === '1' ? 100 : 12;
const uid = 'u1';

const piece = (from: number, to: number) => ({
  offset: from,
  bytes: byteAt(from, to),
  receivedAt: from,
  hostAt: null,
});

async function stored(store: Store, run: string, session = uid): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (let offset = 0; ; ) {
    const { bytes, endOffset } = await store.reader.readSession(run, session, offset, 4_000_000);
    parts.push(bytes);
    offset += bytes.length;
    if (offset >= endOffset) return Buffer.concat(parts);
  }
}

const problems = async (store: Store) => {
  const { workspace, runs } = await store.reader.verify();
  return [...workspace, ...runs.flatMap((run) => run.problems)];
};

test('no free file where a part ends: the chunk is refused, no other file is touched, and it is stored later', async (context) => {
  const disk = smallDisk('size=32m,nr_inodes=60');
  if (disk === null) {
    context.skip('mounting a small file system needs root on Linux');
    return;
  }
  const folder = join(disk, 'workspace');
  const store = testStore(folder, { partBytes: 1000 });
  const run = await createRun(store);
  // Fills its part to the last byte: the next chunk needs a new one.
  await store.writer.sessionBytes(run, 1, uid, piece(0, 1000));
  await store.writer.sessionBytes(run, 1, 'other', piece(0, 400));
  const taken = takeAllFiles(disk);
  // Whoever opens a file now gets a number that was free, the one of the part that was closed among them.
  const bystander = join(folder, 'bystander');
  rmSync(taken.pop() ?? '');
  writeFileSync(bystander, 'mine');
  for (let tries = 0; tries < 3; tries += 1) {
    const refused = store.writer.sessionBytes(run, 1, uid, piece(1000, 1010));
    await expect(refused).rejects.toMatchObject({ code: 'disk_full' });
  }
  expect(readFileSync(bystander, 'utf8')).toBe('mine');
  expect((await stored(store, run)).equals(byteAt(0, 1000))).toBe(true);
  expect((await stored(store, run, 'other')).equals(byteAt(0, 400))).toBe(true);
  for (const path of taken) rmSync(path);
  await expect
    .poll(
      () =>
        store.writer.sessionBytes(run, 1, uid, piece(1000, 1010)).then(
          () => 'stored',
          () => 'refused',
        ),
      { timeout: 20_000 },
    )
    .toBe('stored');
  await store.writer.sessionBytes(run, 1, uid, piece(1010, 2500));
  expect((await stored(store, run)).equals(byteAt(0, 2500))).toBe(true);
  expect(await problems(store)).toEqual([]);
}, 60_000);

test('a disk that fills while output comes loses nothing of what was acknowledged', async (context) => {
  const disk = smallDisk('size=8m');
  if (disk === null) {
    context.skip('mounting a small file system needs root on Linux');
    return;
  }
  const folder = join(disk, 'workspace');
  const store = testStore(folder, { partBytes: 100_000 });
  const run = await createRun(store);
  const filler = join(disk, 'filler');
  writeFileSync(filler, Buffer.alloc(Math.max(0, statfsSync(disk).bavail * 4096 - 1_500_000)));
  let end = 0;
  let failure: unknown;
  while (failure === undefined && end < 8_000_000) {
    failure = await store.writer
      .sessionBytes(run, 1, uid, piece(end, end + 30_000))
      .catch((thrown: unknown) => thrown);
    end += failure === undefined ? 30_000 : 0;
  }
  expect(failure).toMatchObject({ code: 'disk_full' });
  expect((await stored(store, run)).equals(byteAt(0, end))).toBe(true);
  rmSync(filler);
  await expect
    .poll(
      () =>
        store.writer.sessionBytes(run, 1, uid, piece(end, end + 30_000)).then(
          () => 'stored',
          () => 'refused',
        ),
      { timeout: 20_000 },
    )
    .toBe('stored');
  expect((await stored(store, run)).equals(byteAt(0, end + 30_000))).toBe(true);
  expect(await problems(store)).toEqual([]);
}, 60_000);

test('a lock that is held for too long refuses chunks, and neither loses nor misplaces one', async () => {
  const folder = temporaryFolder();
  const store = await openStore(folder, { workerDir: inject('storeWorkers'), ballastBytes: 0 });
  onTestFinished(() => store.close());
  const run = await createRun(store);
  await store.writer.sessionBytes(run, 1, uid, piece(0, 100));
  const holder = openDatabase(workspaceFile(folder));
  onTestFinished(() => void holder.close());
  holder.exec('BEGIN IMMEDIATE');
  const refused = await Promise.allSettled([
    store.writer.sessionBytes(run, 1, uid, piece(100, 200)),
    store.writer.sessionBytes(run, 1, uid, piece(200, 300)),
    store.writer.sessionBytes(run, 1, 'fresh', piece(0, 50)),
  ]);
  holder.exec('COMMIT');
  const codes = refused.map((each) => (each.status === 'rejected' ? each.reason.code : 'stored'));
  // Those that came while the first one waited have a transaction of their own.
  expect(codes[0]).toBe('workspace_locked');
  let end = 100;
  for (const code of codes.slice(0, 2)) end += code === 'stored' ? 100 : 0;
  expect((await stored(store, run)).equals(byteAt(0, end))).toBe(true);
  await store.writer.sessionBytes(run, 1, uid, piece(100, 400));
  await store.writer.sessionBytes(run, 1, 'fresh', piece(0, 60));
  expect((await stored(store, run)).equals(byteAt(0, 400))).toBe(true);
  expect((await stored(store, run, 'fresh')).equals(byteAt(0, 60))).toBe(true);
  expect(await problems(store)).toEqual([]);
}, 60_000);

test('a chunk that a full transaction sent back is not lost when the next one cannot begin', async () => {
  const folder = temporaryFolder();
  let slow = false;
  const now = () => {
    // Fills the transaction, so that what was prepared with it waits for the next one.
    for (const full = performance.now() + 30; slow && performance.now() < full; );
    return Date.now();
  };
  const store = testStore(folder, { now });
  const run = await createRun(store);
  await store.writer.sessionBytes(run, 1, uid, piece(0, 100));
  const holder = openDatabase(workspaceFile(folder));
  onTestFinished(() => void holder.close());
  const unsubscribe = store.subscribe(({ kind }) => {
    if (kind !== 'run') return;
    slow = false;
    unsubscribe();
    holder.exec('BEGIN IMMEDIATE');
  });
  slow = true;
  const resumed = { epoch: 1, pid: 1, host: 'h', app: '0', runtime: 'node', reason: 'resume' as const };
  const appended = store.writer.append(run, 1, [{ kind: 'driver.started', body: resumed }]);
  const refused = store.writer.sessionBytes(run, 1, uid, piece(100, 200));
  await appended;
  await expect(refused).rejects.toMatchObject({ code: 'workspace_locked' });
  holder.exec('ROLLBACK');
  await store.writer.sessionBytes(run, 1, uid, piece(100, 200));
  expect((await stored(store, run)).equals(byteAt(0, 200))).toBe(true);
  await store.writer.sessionBytes(run, 1, uid, piece(200, 250));
  expect((await stored(store, run)).equals(byteAt(0, 250))).toBe(true);
  expect(await problems(store)).toEqual([]);
}, 60_000);

/** Starts a driver that writes output until it has acknowledged so many chunks, and kills it. */
async function driveUntilKilled(folder: string, run: string, chunks: number): Promise<number> {
  const script = join(inject('storeWorkers'), 'session-child.js');
  const child = spawn(process.execPath, [script, folder, run, uid], { stdio: ['ignore', 'pipe', 'inherit'] });
  let end = 0;
  let count = 0;
  for await (const line of createInterface({ input: child.stdout })) {
    end = Number(line);
    count += 1;
    if (count === chunks) child.kill('SIGKILL');
  }
  return end;
}

test(`${KILLS} drivers that are killed take turns with one that stays: every byte is there once`, async () => {
  const folder = temporaryFolder();
  const store = testStore(folder, { partBytes: 700 });
  const run = await createRun(store);
  const endOffset = async () =>
    (await store.reader.readSession(run, uid, Number.MAX_SAFE_INTEGER, 0)).endOffset;
  for (let turn = 1; turn <= KILLS; turn += 1) {
    const acknowledged = await driveUntilKilled(folder, run, 1 + ((turn * 5) % 13));
    expect(await endOffset()).toBeGreaterThanOrEqual(acknowledged);
    const lock = store.lockRun(run);
    expect(lock).not.toBeNull();
    const { epoch = 0 } = lock ?? {};
    await store.writer.append(run, epoch, [
      {
        kind: 'driver.started',
        body: { epoch, pid: process.pid, host: 'h', app: '0', runtime: 'node', reason: 'resume' },
      },
    ]);
    const end = await endOffset();
    for (let at = end; at < end + 300; at += 100) {
      await store.writer.sessionBytes(run, epoch, uid, piece(at, at + 100));
    }
    lock?.release();
    expect((await stored(store, run)).equals(byteAt(0, end + 300))).toBe(true);
  }
  expect(await problems(store)).toEqual([]);
  expect(readdirSync(join(folder, 'sessions', run, uid)).length).toBeGreaterThan(KILLS);
}, 600_000);
