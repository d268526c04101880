import { readdirSync, utimesSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { workLockPath } from '../files/workspace-paths';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { createBackup } from './backup';
import { openDatabase } from './database';
import { Statements } from './rows';
import { holdLock } from './run-lock';
import { checkAnnotations, checkOutbox } from './verify-entries';
import { workspaceFile } from './workspace-file';

async function labelled(folder: string, options = {}) {
  const store = testStore(folder, options);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'a', { exitCode: 0 });
  await writer.hint('go on');
  await store.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'label', value: 'train', reason: null });
  return { store, run };
}

test('a backup holds hints and labels with their chains', async () => {
  const { store, run } = await labelled(temporaryFolder());
  const copy = new Statements(openDatabase(await store.writer.backup(), { readonly: true }));
  expect([...checkOutbox(copy), ...checkAnnotations(copy)]).toEqual([]);
  const bodies = copy.all<{ body: string }>('SELECT body FROM annotation UNION ALL SELECT body FROM outbox');
  expect(bodies.map(({ body }) => JSON.parse(body))).toMatchObject([
    { target: { run, from: 1 }, body: { value: 'train' } },
    { run, body: { text: 'go on' } },
  ]);
  copy.db.close();
});

test('changed hints and labels are copied after the interval; an unchanged workspace is not', async () => {
  const folder = temporaryFolder();
  const { store, run } = await labelled(folder, { backupEveryMs: 50 });
  const copies = () => readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.db')).length;
  await expect.poll(copies).toBeGreaterThan(0);
  await store.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'comment', text: 'one more' });
  const before = copies();
  await expect.poll(copies).toBe(before + 1);
});

test('what a killed process left of a copy is deleted, and nobody copies beside another process', async () => {
  const folder = temporaryFolder();
  const { store } = await labelled(folder);
  const first = await store.writer.backup();
  writeFileSync(`${first}.tmp`, 'half a copy');
  const second = await store.writer.backup();
  expect(readdirSync(join(folder, 'backups'))).toEqual([first, second].map((path) => basename(path)));
  const held = holdLock(workLockPath(folder, 'backup'));
  const source = new Statements(openDatabase(workspaceFile(folder), { readonly: true }));
  expect(() => createBackup(source, folder, Date.now(), 0)).toThrow(
    expect.objectContaining({ code: 'conflict' }),
  );
  held?.release();
  expect(createBackup(source, folder, Date.now(), 0)).toContain('logs-');
  source.db.close();
});

test('old copies go: the newest eight stay and one of each of seven days', async () => {
  const folder = temporaryFolder();
  const { store } = await labelled(folder);
  const backups = join(folder, 'backups');
  await store.writer.backup();
  for (let day = 1; day <= 20; day += 1) {
    for (const hour of ['08', '20']) {
      const name = `logs-2020-01-${String(day).padStart(2, '0')}T${hour}-00-00-000Z.db`;
      writeFileSync(join(backups, name), '');
      utimesSync(join(backups, name), 0, 0);
    }
  }
  await store.writer.backup();
  const kept = readdirSync(backups).sort().reverse();
  expect(kept).toHaveLength(11);
  expect(kept.slice(2)).toEqual([
    'logs-2020-01-20T20-00-00-000Z.db',
    'logs-2020-01-20T08-00-00-000Z.db',
    'logs-2020-01-19T20-00-00-000Z.db',
    'logs-2020-01-19T08-00-00-000Z.db',
    'logs-2020-01-18T20-00-00-000Z.db',
    'logs-2020-01-18T08-00-00-000Z.db',
    'logs-2020-01-17T20-00-00-000Z.db',
    'logs-2020-01-16T20-00-00-000Z.db',
    'logs-2020-01-15T20-00-00-000Z.db',
  ]);
});

test('a log that does not check is not copied, and earlier copies stay', async () => {
  const folder = temporaryFolder();
  const { store } = await labelled(folder);
  await store.writer.backup();
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  db.exec('DROP TRIGGER annotation_no_update');
  db.exec(`UPDATE annotation SET body = replace(body, '"train"', '"mask"')`);
  db.close();
  const second = testStore(folder);
  await expect(second.writer.backup()).rejects.toMatchObject({ code: 'workspace_corrupt' });
  expect(readdirSync(join(folder, 'backups'))).toHaveLength(1);
});

test('sessions of a few minutes have copies as well: when the workspace is closed, at most one an interval', async () => {
  const folder = temporaryFolder();
  const { store, run } = await labelled(folder);
  const copies = () => readdirSync(join(folder, 'backups')).filter((name) => name.endsWith('.db')).length;
  await store.close();
  expect(copies()).toBe(1);
  const second = testStore(folder);
  await second.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'comment', text: 'one more' });
  await second.close();
  expect(copies()).toBe(1);
  const late = testStore(folder, { now: () => Date.now() + 16 * 60_000 });
  await late.close();
  expect(copies()).toBe(2);
  const unchanged = testStore(folder, { now: () => Date.now() + 40 * 60_000 });
  await unchanged.close();
  expect(copies()).toBe(2);
});

test('what an earlier process said and did not copy is copied by the next one', async () => {
  const folder = temporaryFolder();
  const { store, run } = await labelled(folder);
  await store.writer.backup();
  await store.writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'comment', text: 'one more' });
  await store.close();
  const second = testStore(folder, { backupEveryMs: 50 });
  await expect.poll(() => readdirSync(join(folder, 'backups')).length).toBe(2);
  await second.close();
});
