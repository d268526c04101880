import { randomBytes } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { partFiles } from '../../testing/part-files';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { PART_BYTES } from './session-log';

async function readAll(store: Store, run: string, uid: string): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for (let offset = 0; ; ) {
    const { bytes, endOffset } = await store.reader.readSession(run, uid, offset, 1 << 20);
    parts.push(bytes);
    offset += bytes.length;
    if (offset >= endOffset) {
      return Buffer.concat(parts);
    }
  }
}

test('bytes come back whole whatever the chunks overlap, and a gap is refused', async () => {
  const store = testStore();
  const run = await createRun(store);
  let number = 0;
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 4000 }),
      fc.array(fc.tuple(fc.nat(4000), fc.nat(900)), { maxLength: 12 }),
      async (bytes, cuts) => {
        number += 1;
        const uid = `s${number}`;
        let end = 0;
        for (const [from, length] of [...cuts, [0, bytes.length] as const]) {
          const chunk = bytes.subarray(from, from + length);
          const send = store.writer.sessionBytes(run, 1, uid, {
            offset: from,
            bytes: chunk,
            receivedAt: end,
            hostAt: null,
          });
          if (from > end) {
            await expect(send).rejects.toMatchObject({ code: 'conflict' });
          } else {
            await send;
            end = Math.max(end, from + chunk.length);
          }
        }
        expect((await readAll(store, run, uid)).equals(bytes)).toBe(true);
      },
    ),
    { numRuns: 30 },
  );
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('parts are sealed at 16 MB and survive reopening; unacknowledged bytes are dropped', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const bytes = randomBytes(PART_BYTES + 15_000_000);
  const send = (to: Store, offset: number, end: number) =>
    to.writer.sessionBytes(run, 1, 'u1', {
      offset,
      bytes: bytes.subarray(offset, end),
      receivedAt: offset,
      hostAt: 1,
    });
  for (let offset = 0; offset < 12_000_000; offset += 1_000_000) {
    await send(store, offset, offset + 1_000_000);
  }
  await store.close();
  const [first = ''] = partFiles(folder, run, 'u1', 0);
  appendFileSync(first, 'written, but the process died before COMMIT');
  const second = testStore(folder);
  for (let offset = 12_000_000; offset < bytes.length; offset += 1_000_000) {
    await send(second, offset, Math.min(bytes.length, offset + 1_000_000));
  }
  expect((await readAll(second, run, 'u1')).equals(bytes)).toBe(true);
  expect(await second.reader.verify()).toMatchObject({ ok: true, runs: [{ problems: [] }] });
  // The second store began a part of its own at byte 12,000,000.
  const [last = ''] = partFiles(folder, run, 'u1', 29_000_000);
  appendFileSync(last, 'x');
  expect((await second.reader.verify()).ok).toBe(true);
});

test('output in quick succession shares a row', async () => {
  const store = testStore();
  const run = await createRun(store);
  await Promise.all(
    Array.from({ length: 200 }, (_, index) =>
      store.writer.sessionBytes(run, 1, 'u', {
        offset: index,
        bytes: Buffer.from('a'),
        receivedAt: index,
        hostAt: null,
      }),
    ),
  );
  const report = await store.reader.verify();
  expect(report.ok).toBe(true);
  expect((await readAll(store, run, 'u')).toString()).toBe('a'.repeat(200));
});

test('a name that would leave the folder is refused', async () => {
  const store = testStore();
  const run = await createRun(store);
  for (const uid of ['../x', '..', '.', '', 'a/b']) {
    const chunk = { offset: 0, bytes: Buffer.from('a'), receivedAt: 0, hostAt: null };
    await expect(store.writer.sessionBytes(run, 1, uid, chunk)).rejects.toMatchObject({ code: 'bad_input' });
  }
});

test('output that could not be followed is named after its step; a purge keeps where and not why', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'a');
  const told = { computer: 'gpu-03', session: 'main', offset: 5, message: 'The disk says EIO.' };
  await writer.record([{ kind: 'session.unfollowed', body: { ...told, uid: 's1' } }]);
  const notes = async () => (await store.reader.heads(run, 1, 1)).flatMap(({ after }) => after);
  expect(await notes()).toContainEqual({ kind: 'unfollowed', ...told });
  await store.writer.remove(run, 'text', alice);
  expect(await notes()).toContainEqual({ kind: 'unfollowed', ...told, message: '' });
  expect((await store.reader.verify()).runs[0]?.problems).toEqual([]);
});

test('bytes that were dropped on their host are passed over, named, and nothing else may be missing', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const [uid, computer, session] = ['s1', 'gpu-03', 'main'];
  const opened = { computer, session, uid, rows: 24, cols: 80 };
  await store.writer.append(run, 1, [{ kind: 'session.opened', body: opened }]);
  const send = (offset: number, text: string) =>
    store.writer.sessionBytes(run, 1, uid, { offset, bytes: Buffer.from(text), receivedAt: 7, hostAt: 5 });
  const gap = (from: number, to: number) =>
    store.writer.append(run, 1, [
      { kind: 'session.gap', body: { computer, session, uid, from, to, reason: 'limit' } },
    ]);
  const read = async (offset: number) => {
    const page = await store.reader.readSession(run, uid, offset, 100);
    return [page.offset, Buffer.from(page.bytes).toString(), page.endOffset];
  };
  await send(0, 'before');
  await expect(send(10, 'after')).rejects.toMatchObject({ code: 'conflict' });
  await expect(gap(8, 10)).rejects.toMatchObject({ code: 'conflict' });
  await gap(6, 10);
  await send(10, 'after');
  await gap(15, 1_000_000);
  await send(1_000_000, 'end');
  expect(await read(0)).toEqual([0, 'before', 1_000_003]);
  expect(await read(6)).toEqual([10, 'after', 1_000_003]);
  expect(await read(8)).toEqual([10, 'after', 1_000_003]);
  expect(await read(15)).toEqual([1_000_000, 'end', 1_000_003]);
  expect((await store.reader.sessions(run))[0]?.gaps).toEqual([
    { from: 6, to: 10 },
    { from: 15, to: 1_000_000 },
  ]);
  expect((await store.reader.verify()).runs[0]?.problems).toEqual([]);
  const hits = await store.reader.searchSessions({ run, query: 'after', uids: null, limit: 10 });
  expect(hits.hits.map(({ offset, endOffset }) => [offset, endOffset])).toEqual([[10, 15]]);
  await store.close();
  const again = testStore(folder);
  await again.writer.sessionBytes(run, 1, uid, {
    offset: 1_000_003,
    bytes: Buffer.from('!'),
    receivedAt: 8,
    hostAt: 6,
  });
  const last = await again.reader.readSession(run, uid, 999_999, 100);
  expect([last.offset, Buffer.from(last.bytes).toString()]).toEqual([1_000_000, 'end!']);
  expect((await again.reader.verify()).runs[0]?.problems).toEqual([]);
  const [after = ''] = partFiles(folder, run, uid, 10);
  writeFileSync(after, 'aftex');
  expect((await again.reader.verify()).runs[0]?.problems[0]).toMatchObject({ what: 'session_bytes' });
});
