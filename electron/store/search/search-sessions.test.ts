import type { NewEvent } from '@shared/log/events';
import { modelText } from '@shared/terminal/model-text';
import { expect, inject, test } from 'vitest';
import { createRun } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openStore } from '../threads/client';

const opened = (uid: string, session: string): NewEvent => ({
  kind: 'session.opened',
  body: { computer: 'local', session, uid, rows: 24, cols: 80 },
});

async function write(store: Store, run: string, uid: string, text: string, offset = 0): Promise<void> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += 400_000)
    await store.writer.sessionBytes(run, 1, uid, {
      offset: offset + at,
      bytes: bytes.subarray(at, at + 400_000),
      receivedAt: at,
      hostAt: null,
    });
}

const search = (run: string, query: string, rest: { uids?: string[]; limit?: number } = {}) => ({
  run,
  query,
  uids: rest.uids ?? null,
  limit: rest.limit ?? 100,
});

test('finds lines in every session, as they read, whatever their case, and says where they are', async () => {
  const store = testStore();
  const run = await createRun(store);
  await store.writer.append(run, 0, [opened('u1', 'train'), opened('u2', 'tests')]);
  const train = `start\r\n\x1b[31mErr\x1b[0mor: CUDA (a+b)\r\n  1%\r 50%\r100% of ${'é'.repeat(300)} error\r\nend\r\n`;
  const tests = '\x1b]0;error\x07collected\nFAILED with ERROR\n';
  await write(store, run, 'u1', train);
  await write(store, run, 'u2', tests);

  const { hits, truncated } = await store.reader.searchSessions(search(run, 'error'));
  expect(truncated).toBe(false);
  expect(hits.map(({ session, line }) => [session, line])).toEqual([
    ['train', '\u0001Error\u0002: CUDA (a+b)'],
    ['train', `…${'é'.repeat(59)} \u0001error\u0002`],
    ['tests', 'FAILED with \u0001ERROR\u0002'],
  ]);
  // What the terminal had printed by `endOffset` ends with the line itself.
  for (const hit of hits) {
    const bytes = Buffer.from(hit.uid === 'u1' ? train : tests);
    const plain = hit.line.replace(/[\u0001\u0002…]/g, '');
    expect(modelText(bytes.subarray(hit.offset, hit.endOffset)).trimEnd().endsWith(plain)).toBe(true);
    expect(modelText(bytes.subarray(0, hit.endOffset)).trimEnd().endsWith(plain)).toBe(true);
  }
  expect((await store.reader.searchSessions(search(run, '(A+B)'))).hits).toHaveLength(1);
  expect((await store.reader.searchSessions(search(run, 'error', { uids: ['u2'] }))).hits).toHaveLength(1);
  expect(await store.reader.searchSessions(search(run, 'error', { limit: 2 }))).toMatchObject({
    hits: [{}, {}],
    truncated: true,
  });
  expect((await store.reader.searchSessions(search(run, 'nowhere'))).hits).toEqual([]);
});

test('reads across part files and through output without line breaks', async () => {
  const store = testStore();
  const run = await createRun(store);
  await store.writer.append(run, 0, [opened('u1', 'main')]);
  const size = 18 * 1024 * 1024;
  const noise = Buffer.alloc(size, 'abcdefghi ');
  noise.write('needle one', 5_000_000);
  noise.write('needle two', size - 200);
  await write(store, run, 'u1', noise.toString('latin1'));
  const { hits } = await store.reader.searchSessions(search(run, 'Needle'));
  expect(hits).toHaveLength(2);
  expect(hits.map(({ offset, endOffset }) => offset <= endOffset && endOffset <= size)).toEqual([true, true]);
  expect(hits[0]?.offset).toBeLessThanOrEqual(5_000_000);
  expect(hits[0]?.endOffset).toBeGreaterThanOrEqual(5_000_010);
});

test('lets other reads in between, and a newer search ends an older one', async () => {
  const store = await openStore(temporaryFolder(), { workerDir: inject('storeWorkers'), ballastBytes: 0 });
  try {
    const run = await createRun(store);
    await store.writer.append(run, 0, [opened('u1', 'main')]);
    await write(store, run, 'u1', 'a line of output that says nothing\n'.repeat(600_000));
    const slow = store.reader.searchSessions(search(run, 'never'));
    const quick = store.reader.searchSessions(search(run, 'LINE', { limit: 1 }));
    expect(await slow).toEqual({ hits: [], truncated: true });
    expect((await quick).hits).toHaveLength(1);
    // The same thread answers the search of steps while it looks through terminals.
    const long = store.reader.searchSessions(search(run, 'never'));
    const steps = store.reader
      .search({ run, query: 'word', from: { step: 0, direction: 1 }, limit: 10 })
      .then(() => 'steps');
    expect(await Promise.race([long, steps])).toBe('steps');
    expect(await long).toEqual({ hits: [], truncated: false });
  } finally {
    await store.close();
  }
});

test('a session tells its gaps, and the search passes over them', async () => {
  const store = testStore();
  const run = await createRun(store);
  const gap = (from: number, to: number): NewEvent => ({
    kind: 'session.gap',
    body: { computer: 'local', session: 'main', uid: 'u1', from, to, reason: 'limit' },
  });
  await store.writer.append(run, 0, [opened('u1', 'main'), opened('u2', 'other')]);
  expect(await store.reader.sessions(run)).toMatchObject([{ gaps: [] }, { gaps: [] }]);
  await write(store, run, 'u1', 'before the gap\nhalf a li');
  await store.writer.append(run, 1, [gap(24, 9000)]);
  await write(store, run, 'u1', 'ne after the gap\n', 9000);
  await store.writer.append(run, 1, [gap(9017, 9018)]);
  expect(await store.reader.sessions(run)).toMatchObject([
    {
      uid: 'u1',
      gaps: [
        { from: 24, to: 9000 },
        { from: 9017, to: 9018 },
      ],
    },
    { uid: 'u2', gaps: [] },
  ]);
  expect(await store.reader.verify([run])).toMatchObject({ ok: true });
  const { hits } = await store.reader.searchSessions(search(run, 'gap'));
  expect(hits).toMatchObject([
    { offset: 0, endOffset: 15, line: 'before the \u0001gap\u0002' },
    { offset: 9000, endOffset: 9017, line: 'ne after the \u0001gap\u0002' },
  ]);
  // Nothing is made one line that was not.
  expect((await store.reader.searchSessions(search(run, 'half a line'))).hits).toEqual([]);
});
