import { copyFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { isId } from '@shared/contract/id';
import { expect, test } from 'vitest';
import { alice, bob, twoRuns } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from './restore-workspace';

/** Ten labels of one device, alternately by two people, on two runs. */
async function labelled() {
  const folder = join(temporaryFolder(), 'workspace');
  const store = testStore(folder);
  const { first, second } = await twoRuns(store, async (writer, name) => {
    for (let step = 1; step <= 5; step += 1) await writer.command(`echo ${name}`, 'out', { exitCode: 0 });
  });
  for (let step = 1; step <= 5; step += 1) {
    await label(store, first, step, 'train', alice);
    await label(store, second, step, 'mask', bob);
  }
  await store.drain();
  return { folder, store, first, second, to: join(folder, '..', 'restored') };
}

const label = (store: Store, run: string, step: number, value: 'train' | 'mask', author = alice) =>
  store.writer.annotate(author, { run, from: step, to: step }, { op: 'label', value, reason: null });

const restore = (from: string, to: string, backup: string | null = null) =>
  restoreWorkspace({ backup, from, to, projector: createProjector() });

function damage(folder: string, sql: string): void {
  const db = openDatabase(workspaceFile(folder));
  db.pragma('foreign_keys = OFF');
  for (const table of ['event', 'annotation', 'outbox']) {
    db.exec(`DROP TRIGGER IF EXISTS ${table}_no_update; DROP TRIGGER IF EXISTS ${table}_no_delete;`);
  }
  db.exec(sql);
  db.close();
}

async function valuesOf(store: Store, run: string): Promise<(string | null)[]> {
  return (await store.reader.annotations(run)).map(({ body }) =>
    'value' in body ? String(body.value) : null,
  );
}

async function expectSound(store: Store): Promise<void> {
  await store.drain();
  const { workspace, runs } = await store.reader.verify();
  expect([...workspace, ...runs.flatMap(({ problems }) => problems)]).toEqual([]);
}

test('a changed label is named by whom and of which run; all behind it come back', async () => {
  const { folder, store, first, second, to } = await labelled();
  await store.close();
  damage(folder, `UPDATE annotation SET body = replace(body, '"train"', '"TRAIN"') WHERE id = 3`);
  const report = await restore(folder, to);
  expect(report).toMatchObject({ labels: 9, complete: false });
  expect(report.notes.join(' ')).toContain(`1 label or comment could not be restored`);
  expect(report.notes.join(' ')).toContain(`1 Alice (run ${first})`);
  const again = testStore(to);
  await expectSound(again);
  expect(await valuesOf(again, first)).toEqual(Array(4).fill('train'));
  expect(await valuesOf(again, second)).toEqual(Array(5).fill('mask'));
  // It can be copied, added to and restored once more.
  await label(again, first, 2, 'mask');
  await again.writer.backup();
  await again.close();
  expect(await restore(to, `${to}2`)).toMatchObject({ labels: 10 });
});

test('a value that fits the form but not its hash is not taken for what was said', async () => {
  const { folder, store, to } = await labelled();
  await store.close();
  damage(folder, `UPDATE annotation SET body = replace(body, '"train"', '"mask"') WHERE id = 3`);
  expect(await restore(folder, to)).toMatchObject({ labels: 9, complete: false });
});

test('rows whose id is none come back under names that nobody has, and stay apart', async () => {
  const { folder, store, first, second, to } = await labelled();
  await store.close();
  damage(
    folder,
    `UPDATE annotation SET ulid = '../../escape' WHERE id = 1;
     UPDATE annotation SET ulid = lower(ulid) WHERE id = 2;
     UPDATE annotation SET ulid = '', body = '{' WHERE id = 3;
     UPDATE annotation SET run = 999 WHERE id = 4;`,
  );
  const report = await restore(folder, to);
  const again = testStore(to);
  await expectSound(again);
  const db = openDatabase(workspaceFile(to));
  const ids = db.prepare('SELECT ulid FROM annotation').pluck().all() as string[];
  db.close();
  expect(report).toMatchObject({ labels: 9, complete: false });
  expect(await valuesOf(again, first)).toEqual(Array(4).fill('train'));
  expect(await valuesOf(again, second)).toEqual(Array(5).fill('mask'));
  expect(ids.every(isId)).toBe(true);
  expect(new Set(ids).size).toBe(ids.length);
});

test.each([
  ['without an id', 3, "UPDATE annotation SET ulid = '', body = '' WHERE id = 3"],
  ['with its id', 3, "UPDATE annotation SET body = '' WHERE id = 3"],
  ['the last of its device, without an id', 10, "UPDATE annotation SET ulid = '', body = '' WHERE id = 10"],
])('a label whose words were emptied, %s, was not purged: it is counted and named', async (_, entry, sql) => {
  const { folder, store, to } = await labelled();
  await store.close();
  damage(folder, sql);
  const report = await restore(folder, to);
  expect(report).toMatchObject({ labels: 9, complete: false });
  expect(report.notes.join(' ')).toMatch(
    new RegExp(`^1 label or comment could not be restored.* entry ${entry}\\.`),
  );
  await expectSound(testStore(to));
});

test('labels that went with their run are no loss', async () => {
  const { folder, store, first, to } = await labelled();
  await store.writer.remove(first, 'run', alice);
  await store.close();
  expect(await restore(folder, to)).toMatchObject({ labels: 5, notes: [], complete: true });
});

test('a damaged hash loses nothing', async () => {
  const { folder, store, to } = await labelled();
  await store.close();
  damage(folder, 'UPDATE annotation SET hash = randomblob(32) WHERE id = 3');
  expect(await restore(folder, to)).toMatchObject({ labels: 10, notes: [], complete: true });
  await expectSound(testStore(to));
});

test('a missing label is counted, and said from which entry on the chain is not proved', async () => {
  const { folder, store, to } = await labelled();
  await store.close();
  damage(folder, 'DELETE FROM annotation WHERE id IN (3, 4)');
  const report = await restore(folder, to);
  expect(report).toMatchObject({ labels: 8, complete: false });
  expect(report.notes.join(' ')).toMatch(/^2 labels or comments .* entries 3, 4\./);
  expect(report.remarks.join(' ')).toContain('from entry 5 on');
  const again = testStore(to);
  await expectSound(again);
  const merged = join(to, '..', 'merged');
  const other = testStore(merged);
  expect(await other.writer.merge(to)).toMatchObject({ kept: { entries: 10 } });
  await expectSound(other);
  // Whoever has them still may be merged.
  expect(await again.writer.merge(folder).catch((thrown: unknown) => thrown)).toMatchObject({
    code: 'workspace_corrupt',
  });
  await again.close();
  // What was lost once is not lost again.
  expect(await restore(to, `${to}-again`)).toMatchObject({ labels: 8, complete: true });
});

test('a run that the list of runs has lost comes back by its log, with its labels', async () => {
  const { folder, store, first, to } = await labelled();
  await store.close();
  damage(folder, 'DELETE FROM run WHERE id = 1');
  const report = await restore(folder, to);
  expect(report).toMatchObject({ labels: 10, complete: true });
  expect(report.runs[0]).toMatchObject({ id: first, state: 'log', labels: 5 });
  await expectSound(testStore(to));
});

test('a run of which only labels are left is named, and its labels are kept aside', async () => {
  const { folder, store, first, to } = await labelled();
  await store.close();
  damage(folder, 'DELETE FROM run WHERE id = 1; DELETE FROM event WHERE id >> 32 = 1');
  const report = await restore(folder, to);
  expect(report).toMatchObject({ labels: 10, complete: false });
  const lost = report.runs.find(({ id }) => id === first);
  expect(lost).toMatchObject({ state: 'lost', labels: 5 });
  expect(lost?.notes.join(' ')).toContain('5 labels are set aside: they count only for this very run');
  await expectSound(testStore(to));
});

test('where backup and folder went apart both sides come back, and it is said how many', async () => {
  const { folder, store, first, to } = await labelled();
  await store.close();
  const saved = join(folder, '..', 'saved.db');
  copyFileSync(workspaceFile(folder), saved);
  const ahead = testStore(folder);
  await label(ahead, first, 1, 'mask');
  await label(ahead, first, 2, 'mask');
  await label(ahead, first, 3, 'mask');
  const backup = await ahead.writer.backup();
  await ahead.close();
  for (const end of ['-wal', '-shm']) rmSync(`${workspaceFile(folder)}${end}`, { force: true });
  copyFileSync(saved, workspaceFile(folder));
  const back = testStore(folder);
  await label(back, first, 4, 'mask');
  await back.close();
  const report = await restore(folder, to, backup);
  expect(report).toMatchObject({ labels: 14, complete: true });
  expect(report.remarks.join(' ')).toContain('diverge at entry 11 of device');
  expect(report.remarks.join(' ')).toContain(
    '1 entry from there on is in the folder, 3 other ones are in the',
  );
  const again = testStore(to);
  await expectSound(again);
  expect((await valuesOf(again, first)).filter((value) => value === 'mask')).toHaveLength(4);
});
