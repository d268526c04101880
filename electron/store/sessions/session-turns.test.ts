import { mkdtempSync, readdirSync, readlinkSync } from 'node:fs';
import { join } from 'node:path';
import type { NewEvent } from '@shared/log/events';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { byteAt } from '../../testing/part-files';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { Statements } from '../file/rows';
import { workspaceFile } from '../file/workspace-file';
import { StalePreparation } from '../log/group-commit';
import { SessionLog } from './session-log';

const uid = 'u1';

async function readAll(store: Store, run: string, session = uid): Promise<string> {
  const { bytes, endOffset } = await store.reader.readSession(run, session, 0, 4_000_000);
  expect(bytes).toHaveLength(endOffset);
  return Buffer.from(bytes).toString();
}

const problems = async (store: Store) => {
  const { workspace, runs } = await store.reader.verify();
  return [...workspace, ...runs.flatMap((run) => run.problems)];
};

const chunk = (offset: number, text: string) => ({
  offset,
  bytes: Buffer.from(text),
  receivedAt: offset * 1000,
  hostAt: null,
});

const driver = (epoch: number): NewEvent => ({
  kind: 'driver.started',
  body: { epoch, pid: 1, host: 'h', app: '0', runtime: 'node', reason: 'resume' },
});

test('two processes take turns over a session, and each goes on where the other ended', async () => {
  const folder = temporaryFolder();
  const one = testStore(folder);
  const two = testStore(folder);
  const run = await createRun(one);
  let text = '';
  for (let turn = 1; turn <= 12; turn += 1) {
    const store = turn % 2 === 1 ? one : two;
    await store.writer.append(run, turn, [driver(turn)]);
    for (const word of [`turn ${turn} began, `, `turn ${turn} ended; `]) {
      await store.writer.sessionBytes(run, turn, uid, chunk(text.length, word));
      text += word;
    }
    expect(await readAll(one, run)).toBe(text);
    expect(await readAll(two, run)).toBe(text);
  }
  expect(await problems(one)).toEqual([]);
});

test('a late chunk of a replaced driver is refused, whatever it holds, and changes nothing', async () => {
  const folder = temporaryFolder();
  const one = testStore(folder);
  const two = testStore(folder);
  const run = await createRun(one);
  await one.writer.sessionBytes(run, 1, uid, chunk(0, 'abcde'));
  await two.writer.append(run, 2, [driver(2)]);
  await two.writer.sessionBytes(run, 2, uid, chunk(5, 'fghijklmno'));
  for (const late of [chunk(5, 'XXXXX'), chunk(0, 'XXXXXXXXXXXXXXXXXXXXXX'), chunk(15, 'X')]) {
    await expect(one.writer.sessionBytes(run, 1, uid, late)).rejects.toMatchObject({
      code: 'run_driven_elsewhere',
    });
  }
  const body = { computer: 'local', session: 'main', uid, from: 15, to: 20, reason: 'limit' as const };
  await expect(one.writer.append(run, 1, [{ kind: 'session.gap', body }])).rejects.toMatchObject({
    code: 'run_driven_elsewhere',
  });
  expect(await readAll(one, run)).toBe('abcdefghijklmno');
  await two.writer.sessionBytes(run, 2, uid, chunk(15, 'pq'));
  expect(await readAll(two, run)).toBe('abcdefghijklmnopq');
  expect(await problems(two)).toEqual([]);
});

test('a driver that stored bytes and no event yet replaces the one before all the same', async () => {
  const folder = temporaryFolder();
  const [one, two] = [testStore(folder), testStore(folder)];
  const run = await createRun(one);
  await two.writer.sessionBytes(run, 3, uid, chunk(0, 'new'));
  await expect(one.writer.sessionBytes(run, 2, uid, chunk(3, 'old'))).rejects.toMatchObject({
    code: 'run_driven_elsewhere',
  });
  expect(await readAll(one, run)).toBe('new');
});

/** The byte log alone, on a connection of its own: what a process does between its steps can be chosen. */
function bareLog(workspace: string): { log: SessionLog; transaction(work: () => void): void } {
  const db = openDatabase(workspaceFile(workspace));
  const log = new SessionLog(new Statements(db), { workspace, partBytes: 64 });
  onTestFinished(() => {
    log.close();
    db.close();
  });
  return {
    log,
    transaction: (work) => {
      log.sync();
      db.exec('BEGIN IMMEDIATE');
      try {
        work();
        db.exec('COMMIT');
      } finally {
        if (db.inTransaction) db.exec('ROLLBACK');
      }
    },
  };
}

test('a chunk that was prepared while another process stored bytes is prepared again, and hurts nobody', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const [one, two] = [bareLog(folder), bareLog(folder)];
  const first = two.log.write(run, 1, uid, chunk(0, 'first,'));
  two.transaction(() => two.log.store(first));
  two.log.committed(first);
  const prepared = one.log.write(run, 1, uid, chunk(6, 'ONE'));
  const meanwhile = two.log.write(run, 1, uid, chunk(6, 'two, and more than one part holds '.repeat(3)));
  two.transaction(() => two.log.store(meanwhile));
  two.log.committed(meanwhile);
  expect(() => one.transaction(() => one.log.store(prepared))).toThrow(StalePreparation);
  one.log.abandon(prepared);
  const text = `first,${'two, and more than one part holds '.repeat(3)}`;
  expect(await readAll(store, run)).toBe(text);
  const again = one.log.write(run, 1, uid, chunk(text.length - 4, 'lds ONE'));
  one.transaction(() => one.log.store(again));
  one.log.committed(again);
  expect(await readAll(store, run)).toBe(`${text}ONE`);
  expect(await problems(store)).toEqual([]);
});

test('what was prepared on top of a chunk that came to nothing is stale', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const { log, transaction } = bareLog(folder);
  const lost = log.write(run, 1, uid, chunk(0, 'lost'));
  const next = log.write(run, 1, uid, chunk(4, 'next'));
  const same = log.write(run, 1, uid, chunk(4, 'next'));
  log.abandon(lost);
  for (const pending of [next, same]) {
    expect(() => transaction(() => log.store(pending))).toThrow(StalePreparation);
    log.abandon(pending);
  }
  expect(() => log.write(run, 1, uid, chunk(4, 'next'))).toThrow('would leave a gap');
});

test('a process that has a file open does not write on into what another one purged', async () => {
  const folder = temporaryFolder();
  const [one, two] = [testStore(folder), testStore(folder)];
  const run = await createRun(one);
  await one.writer.sessionBytes(run, 1, uid, chunk(0, 'secret'));
  await two.writer.remove(run, 'text', alice);
  await one.writer.sessionBytes(run, 1, uid, chunk(6, 'after'));
  const { bytes } = await two.reader.readSession(run, uid, 6, 100);
  expect(Buffer.from(bytes).toString()).toBe('after');
  expect(await two.reader.readSession(run, uid, 0, 100)).toMatchObject({ offset: 6, bytes, endOffset: 11 });
  expect(await problems(one)).toEqual([]);
});

test('200 sessions do not hold 200 descriptors, and each is stored whole', async (context) => {
  if (process.platform !== 'linux') {
    context.skip('what a process has open is read from /proc');
    return;
  }
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const open = () =>
    readdirSync('/proc/self/fd').filter((fd) => linkOf(fd).startsWith(join(folder, 'sessions'))).length;
  const names = Array.from({ length: 200 }, (_, index) => `s${index}`);
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(
      names.map((name) =>
        store.writer.sessionBytes(run, 1, name, chunk(round * 4, `${String(round).repeat(3)}\n`)),
      ),
    );
    expect(open()).toBeLessThanOrEqual(32);
  }
  for (const name of names) {
    expect(await readAll(store, run, name)).toBe('000\n111\n222\n');
  }
  expect(readdirSync(join(folder, 'sessions', run, 's7'))).toHaveLength(1);
  expect(await problems(store)).toEqual([]);
}, 60_000);

function linkOf(fd: string): string {
  try {
    return readlinkSync(join('/proc/self/fd', fd));
  } catch (thrown) {
    // The folder's own descriptor is closed by now.
    if (thrown instanceof Error && 'code' in thrown && thrown.code === 'ENOENT') return '';
    throw thrown;
  }
}

const deeds = fc.array(
  fc.record({
    store: fc.nat(2),
    session: fc.nat(2),
    deed: fc.constantFrom('chunk', 'chunk', 'chunk', 'gap', 'late', 'driver', 'reopen'),
    /** How far before the stored end a chunk begins, and how long it is. */
    back: fc.nat(30),
    length: fc.integer({ min: 1, max: 90 }),
  }),
  { minLength: 5, maxLength: 60 },
);

test('whoever takes turns with whom, the bytes are those of one process', async () => {
  const parent = temporaryFolder();
  await fc.assert(
    fc.asyncProperty(deeds, async (life) => {
      const folder = mkdtempSync(join(parent, 'w-'));
      const opened: Store[] = [0, 1, 2].map(() => testStore(folder, { partBytes: 50 }));
      const at = (index: number) => opened[index] as Store;
      const run = await createRun(at(0));
      // Every byte says where it is; a gap is a hole.
      const ends = [0, 0, 0];
      const gaps: Record<number, { from: number; to: number }[]> = { 0: [], 1: [], 2: [] };
      let epoch = 1;
      for (const { store, session, deed, back, length } of life) {
        const { writer } = at(store);
        const end = ends[session] ?? 0;
        const name = `s${session}`;
        const lastGap = gaps[session]?.at(-1)?.to ?? 0;
        const from = Math.max(lastGap, end - back);
        const to = from + length;
        if (deed === 'chunk') {
          await writer.sessionBytes(run, epoch, name, { ...chunk(from, ''), bytes: byteAt(from, to) });
          ends[session] = Math.max(end, to);
        } else if (deed === 'gap') {
          const body = { computer: 'c', session: name, uid: name, from: end, to: end + length };
          await writer.append(run, epoch, [{ kind: 'session.gap', body: { ...body, reason: 'limit' } }]);
          gaps[session]?.push({ from: end, to: end + length });
          ends[session] = end + length;
        } else if (deed === 'late' && epoch > 1) {
          const late = writer.sessionBytes(run, epoch - 1, name, chunk(from, 'X'.repeat(length)));
          await expect(late).rejects.toMatchObject({ code: 'run_driven_elsewhere' });
        } else if (deed === 'driver') {
          epoch += 1;
          await writer.append(run, epoch, [driver(epoch)]);
        } else if (deed === 'reopen') {
          await at(store).close();
          opened[store] = testStore(folder, { partBytes: 50 });
        }
      }
      for (const [session, end] of ends.entries()) {
        await compare(at(session), run, `s${session}`, end, gaps[session] ?? []);
      }
      expect(await problems(at(0))).toEqual([]);
      for (const store of opened) await store.close();
    }),
    { numRuns: process.env.WAYMARK_FULL === '1' ? 500 : 25 },
  );
}, 600_000);

async function compare(
  store: Store,
  run: string,
  name: string,
  end: number,
  gaps: { from: number; to: number }[],
): Promise<void> {
  let from = 0;
  for (const gap of [...gaps, { from: end, to: end }]) {
    if (gap.from > from) {
      const page = await store.reader.readSession(run, name, from, 1_000_000);
      expect([page.offset, page.endOffset]).toEqual([from, end]);
      expect(Buffer.from(page.bytes).equals(byteAt(from, gap.from))).toBe(true);
    }
    from = gap.to;
  }
}

test('verify finds output that an observation saw and that is not stored', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  const opened = { computer: 'local', session: 'main', uid, rows: 24, cols: 80 };
  await writer.record([{ kind: 'session.opened', body: opened }]);
  await store.writer.sessionBytes(run, writer.epoch, uid, chunk(0, '0123456789'));
  // Its observation says that the session reaches byte 10, the one of the second step byte 20.
  await writer.command('one', 'one');
  expect(await problems(store)).toEqual([]);
  await writer.command('two', 'two');
  for (const depth of ['logs', 'all'] as const) {
    const { runs } = await store.reader.verify([run], depth);
    expect(runs[0]?.problems).toEqual([
      {
        what: 'session_short',
        where: `run ${run} session local:main`,
        message: expect.stringMatching(
          /^Step 2 saw the output of local:main up to byte 20, but only 10 bytes are stored\./,
        ),
      },
    ]);
  }
  const lock = store.lockRun(run);
  expect(await problems(store)).toEqual([]);
  lock?.release();
  await store.writer.sessionBytes(run, writer.epoch, uid, chunk(10, '0123456789'));
  expect(await problems(store)).toEqual([]);
});
