import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmSync, truncateSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, inject, onTestFinished, test } from 'vitest';
import { blobPath } from '../../files/workspace-paths';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { RunRemoval } from '../commands/run-removal';
import { GroupCommit } from '../log/group-commit';
import { sha256 } from '../log/hashing';
import { RunLog } from '../log/run-log';
import { RunProjection } from '../projections/run-projection';
import { BlobStore, type PreparedBlob, writeDurably } from './blob-store';
import { openDatabase } from './database';
import { Statements } from './rows';
import { TextRelease } from './text-release';
import { openForWriting, workspaceFile } from './workspace-file';

/** Large enough for a file of its own. */
const LARGE = 'a large file that two runs read '.repeat(10_000);
const hexOf = (text: string) => sha256(Buffer.from(text)).toString('hex');
const MINUTES_AGO = new Date(Date.now() - 10 * 60_000);

async function startRun(store: Store): Promise<RunWriter> {
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  return writer;
}

async function readerOf(store: Store, text: string): Promise<string> {
  const writer = await startRun(store);
  await writer.command('cat large', text, { exitCode: 0 });
  return writer.run;
}

function blobFiles(folder: string): string[] {
  const blobs = join(folder, 'blobs');
  return existsSync(blobs)
    ? readdirSync(blobs).flatMap((name) => readdirSync(join(blobs, name)).map((file) => join(name, file)))
    : [];
}

async function expectSound(store: Store): Promise<void> {
  const report = await store.reader.verify(undefined, 'logs');
  expect([...report.workspace, ...report.runs.flatMap(({ problems }) => problems)]).toEqual([]);
}

/** A run that holds the large text and one that does not yet, in a workspace that nobody has open. */
async function twoRuns(folder: string): Promise<void> {
  const store = testStore(folder);
  await readerOf(store, LARGE);
  await startRun(store);
  await store.close();
}

/** What a process has for texts; `committed` is called after each of its commits. */
function openTexts(folder: string, committed: () => void = () => undefined) {
  const statements = new Statements(openForWriting(folder));
  onTestFinished(() => void statements.db.close());
  const group = new GroupCommit(statements.db, {
    budgetMs: 15,
    failed: (thrown) => thrown,
    rolledBack: () => undefined,
    beforeBegin: () => undefined,
    committed,
  });
  const blobs = new BlobStore(statements, folder);
  let prepared: PreparedBlob;
  const storing = {
    prepare: () => {
      prepared = blobs.prepare(LARGE);
    },
    run: () => blobs.put(2, prepared, LARGE),
  };
  return { statements, group, blobs, storing, release: new TextRelease(statements, group, folder) };
}

test('a text that a run stores in the transaction in which a removal lets it go keeps its file', async () => {
  const folder = temporaryFolder();
  await twoRuns(folder);
  const { group, blobs, storing, release } = openTexts(folder);
  const releasing = release.release(1, new Set());
  await Promise.all([releasing, group.add(storing)]);
  expect(blobs.read(hexOf(LARGE))).toBe(LARGE);
});

test('a text that another process stores right after a removal let it go keeps its file', async () => {
  const folder = temporaryFolder();
  await twoRuns(folder);
  const other = openTexts(folder);
  other.storing.prepare();
  let stored = false;
  const mine = openTexts(folder, () => {
    if (!stored && mine.statements.get('SELECT 1 FROM blob') === undefined) {
      other.storing.run();
      stored = true;
    }
  });
  await mine.release.release(1, new Set());
  expect(stored).toBe(true);
  expect(mine.blobs.read(hexOf(LARGE))).toBe(LARGE);
});

test('a removal that two processes finish deletes no text that came in between', async () => {
  const folder = temporaryFolder();
  await twoRuns(folder);
  const [mine, other] = [openTexts(folder), openTexts(folder)];
  let open: () => void = () => undefined;
  const gate = new Promise<void>((resolve) => {
    open = resolve;
  });
  const held: Pick<GroupCommit, 'add'> = { add: (job) => gate.then(() => other.group.add(job)) };
  // It has read what the removed run owns, and comes to delete it last.
  const late = new TextRelease(other.statements, held, folder).release(1, new Set());
  await mine.release.release(1, new Set());
  await mine.group.add(mine.storing);
  open();
  await late;
  expect(mine.blobs.read(hexOf(LARGE))).toBe(LARGE);
});

test('a long run is removed and purged in transactions of a few rows each', async () => {
  for (const mode of ['text', 'run'] as const) {
    const folder = temporaryFolder();
    const store = testStore(folder);
    const { run } = await longRun(store);
    await store.close();
    const changes = await changesPerTransaction(folder, run, mode);
    expect(changes.length).toBeGreaterThan(10);
    expect(Math.max(...changes)).toBeLessThanOrEqual(500);
    const again = testStore(folder);
    expect(await again.reader.verify()).toMatchObject({ ok: true, runs: [{ problems: [] }] });
    await again.close();
  }
});

async function longRun(store: Store): Promise<RunWriter> {
  const writer = await startRun(store);
  const { run } = writer;
  for (let step = 1; step <= 600; step += 1) {
    await writer.command(`echo ${step}`, 'out', { exitCode: 0 });
  }
  await writer.hint('go on');
  const target = { run, from: 1, to: 600 };
  await store.writer.annotate(alice, target, { op: 'label', value: 'train', reason: null });
  return writer;
}

/** Removes the run on a connection of its own that counts the rows each job changes. */
async function changesPerTransaction(folder: string, run: string, mode: 'run' | 'text'): Promise<number[]> {
  const { statements, group, blobs } = openTexts(folder);
  const counted: number[] = [];
  const total = () => statements.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
  const counting: Pick<GroupCommit, 'add'> = {
    add: (job) =>
      group.add({
        ...job,
        run: () => {
          const before = total();
          const value = job.run();
          counted.push(total() - before);
          return value;
        },
      }),
  };
  const log = new RunLog(statements, blobs, Date.now);
  const projection = new RunProjection(statements, () => 'union');
  const removal = new RunRemoval(statements, log, projection, counting, {
    folder,
    now: Date.now,
    notify: () => undefined,
    makeRoom: () => undefined,
  });
  await removal.remove(log.load(run), mode, alice);
  return counted;
}

/** Starts a process that stores and removes runs with the same large text, and kills it after `lines` of its output. */
async function takeTurns(folder: string, rounds: number, lines = Number.POSITIVE_INFINITY): Promise<number> {
  const script = join(inject('storeWorkers'), 'shared-files-child.js');
  const child = spawn(process.execPath, [script, folder, String(rounds)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let count = 0;
  for await (const _ of createInterface({ input: child.stdout })) {
    count += 1;
    if (count === lines) {
      child.kill('SIGKILL');
    }
  }
  return count;
}

test('processes that store and remove the same large text at once lose it for nobody', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const kept = await startRun(store);
  const rounds = 25;
  expect(
    await Promise.all([
      takeTurns(folder, rounds),
      takeTurns(folder, rounds),
      kept.command('cat large', LARGE, { exitCode: 0 }),
    ]),
  ).toEqual([rounds, rounds, undefined]);
  await store.drain();
  await expectSound(store);
  expect(blobFiles(folder)).toHaveLength(1);
}, 60_000);

test('a process killed while it stores and removes large texts leaves nothing that is missing or left over', async () => {
  const folder = temporaryFolder();
  for (let kill = 1; kill <= 8; kill += 1) {
    await takeTurns(folder, 1000, 1 + (kill % 3));
    const store = testStore(folder);
    await store.drain();
    await expectSound(store);
    await store.writer.clean();
    await expectSound(store);
    const used = (await store.reader.runs()).some(({ steps }) => steps > 0);
    expect(blobFiles(folder)).toHaveLength(used ? 1 : 0);
    await store.close();
  }
}, 60_000);

test('a removal killed between the row and the file is finished at the next opening, the file with it', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const gone = await readerOf(store, LARGE);
  await store.writer.remove(gone, 'run', alice);
  await store.close();
  // As the kill leaves it: no row, the file still there, the tombstone open.
  writeDurably(blobPath(folder, hexOf(LARGE)), Buffer.from(LARGE));
  const db = openDatabase(workspaceFile(folder));
  db.exec('UPDATE tombstone SET done = 0');
  db.close();
  const second = testStore(folder);
  await second.drain();
  expect(blobFiles(folder)).toEqual([]);
  await expectSound(second);
});

test('a text whose file is gone or cut short is written again by the next run that stores it', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const noise = Array.from({ length: 60_000 }, (_, index) =>
    Math.imul(index + 7, 2654435761).toString(36),
  ).join('');
  for (const text of [LARGE, noise]) {
    const first = await readerOf(store, text);
    const path = blobPath(folder, hexOf(text));
    for (const damage of [() => rmSync(path), () => truncateSync(path, 100)]) {
      damage();
      await expect(store.reader.step(first, 1)).rejects.toMatchObject({ code: 'workspace_corrupt' });
      const next = await readerOf(store, text);
      expect((await store.reader.step(next, 1)).observations[0]?.text).toBe(text);
      expect((await store.reader.step(first, 1)).observations[0]?.text).toBe(text);
    }
  }
  await expectSound(store);
});

test('verify names files that no row names, unless they were only just written, and clean deletes them', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await readerOf(store, LARGE);
  const stray = blobPath(folder, hexOf('stray'));
  mkdirSync(dirname(stray), { recursive: true });
  writeDurably(stray, Buffer.from('stray'));
  await expectSound(store);
  utimesSync(stray, MINUTES_AGO, MINUTES_AGO);
  const half = `${stray}.99.tmp`;
  writeFileSync(half, 'half a file');
  utimesSync(half, MINUTES_AGO, MINUTES_AGO);
  const report = await store.reader.verify(undefined, 'logs');
  expect(report.workspace.map(({ what, where }) => `${what} ${where}`).sort()).toEqual([
    `left_over blobs/${hexOf('stray').slice(0, 2)}/${hexOf('stray')}`,
    `left_over blobs/${hexOf('stray').slice(0, 2)}/${hexOf('stray')}.99.tmp`,
  ]);
  expect(await store.writer.clean()).toEqual({ files: 2, bytes: 16 });
  await expectSound(store);
  expect((await store.reader.step(run, 1)).observations[0]?.text).toBe(LARGE);
});

test('a file that clean deletes between preparing a text and storing it is written again', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const other = testStore(folder);
  const writers = await Promise.all(Array.from({ length: 10 }, () => startRun(store)));
  for (const [index, writer] of writers.entries()) {
    const text = `${index} ${LARGE}`;
    const cleaning = Array.from({ length: 5 }, () => other.writer.clean());
    await writer.command('cat large', text, { exitCode: 0 });
    await Promise.all(cleaning);
    expect((await store.reader.step(writer.run, 1)).observations[0]?.text).toBe(text);
  }
  await expectSound(store);
});
