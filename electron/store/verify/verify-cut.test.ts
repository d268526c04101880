import { copyFileSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import type { VerifyReport } from '@shared/contract/views';
import { expect, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from '../restore/restore-workspace';
import { verifyWorkspace } from './verify';

/** A run of five steps with a label on each. */
async function labelled(folder = join(temporaryFolder(), 'workspace')) {
  const store = testStore(folder);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  for (let step = 1; step <= 5; step += 1) await writer.command('echo a', 'a', { exitCode: 0 });
  for (let step = 1; step <= 5; step += 1) await label(store, writer.run, step);
  await store.drain();
  return { folder, store, run: writer.run };
}

const label = (store: Store, run: string, step: number, value: 'train' | 'mask' = 'train') =>
  store.writer.annotate(alice, { run, from: step, to: step }, { op: 'label', value, reason: null });

/** What anybody can do to a file who knows its tables. */
function damage(folder: string, sql: string): void {
  const db = openDatabase(workspaceFile(folder));
  db.pragma('foreign_keys = OFF');
  const triggers = db
    .prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger' AND name LIKE 'annotation%'")
    .all() as { name: string; sql: string }[];
  for (const { name } of triggers) db.exec(`DROP TRIGGER ${name}`);
  db.exec(sql);
  for (const trigger of triggers) db.exec(trigger.sql);
  db.close();
}

const cut = (folder: string, from: number) =>
  damage(folder, `DELETE FROM annotation WHERE device_seq >= ${from}`);

const verify = (folder: string) => verifyWorkspace(folder, createProjector(), undefined, 'logs');

const said = ({ workspace }: VerifyReport) =>
  workspace.map(({ what, where, message }) => `${what} ${where.replace(/\S+\.\S+/, 'DEVICE')}: ${message}`);

test('labels cut from the end of the log are missed by device and count', async () => {
  const { folder, store } = await labelled();
  await store.close();
  for (const { name } of readdirSync(join(folder, 'backups'), { withFileTypes: true }))
    rmSync(join(folder, 'backups', name));
  expect(said(await verify(folder))).toEqual([]);
  cut(folder, 4);
  expect(said(await verify(folder))).toEqual([
    'annotation_cut annotation DEVICE 4: The last 2 entries of this device are missing: 5 were stored, 3 are there.',
  ]);
  cut(folder, 1);
  expect(said(await verify(folder))).toEqual([
    'annotation_cut annotation DEVICE 1: The last 5 entries of this device are missing: 5 were stored, none is there.',
  ]);
});

test('a label that is stored after a cut takes no number that was given away, and the loss stays to be seen', async () => {
  const { folder, store, run } = await labelled();
  await store.close();
  cut(folder, 4);
  const again = testStore(folder);
  for (const step of [1, 2, 3]) {
    expect(await label(again, run, step, 'mask')).toMatchObject({ deviceSeq: 5 + step });
  }
  await again.drain();
  expect(said(await verify(folder)).join('\n')).toContain('Entry 4 of this device is missing.');
  await again.close();
});

test('a log that was cut is not copied over the backups of before', async () => {
  const { folder, store } = await labelled();
  const kept = await store.writer.backup();
  cut(folder, 4);
  await expect(store.writer.backup()).rejects.toMatchObject({ code: 'workspace_corrupt' });
  expect(readdirSync(join(folder, 'backups'))).toEqual([kept.split('/').at(-1)]);
});

test('where the noted end was cut as well, the newest backup that can be read tells', async () => {
  const { folder, store } = await labelled();
  const backup = await store.writer.backup();
  await store.close();
  damage(folder, 'DELETE FROM annotation WHERE device_seq >= 4; DELETE FROM annotation_end');
  const damaged = join(folder, 'backups', 'logs-2099-01-01T00-00-00-000Z.db');
  mkdirSync(join(folder, 'backups'), { recursive: true });
  copyFileSync(import.meta.filename, damaged);
  expect(said(await verify(folder))).toEqual([
    expect.stringContaining('annotation_end annotation DEVICE 3: The log of this device does not end'),
    expect.stringMatching(/^annotation_backup annotation DEVICE 4: 2 entries .* are not here\.$/),
  ]);
  // Brought back from there, nothing is missing.
  const to = join(folder, '..', 'restored');
  expect(await restoreWorkspace({ backup, from: folder, to, projector: createProjector() })).toMatchObject({
    labels: 5,
    complete: true,
  });
});

test('restoring names how many labels were cut, and the new workspace is sound', async () => {
  const { folder, store, run } = await labelled();
  await store.close();
  cut(folder, 4);
  const to = join(folder, '..', 'restored');
  const report = await restoreWorkspace({ backup: null, from: folder, to, projector: createProjector() });
  expect(report).toMatchObject({ labels: 3, complete: false });
  expect(report.notes.join(' ')).toContain('2 labels or comments could not be restored');
  const again = testStore(to);
  await label(again, run, 1, 'mask');
  await again.drain();
  expect(said(await verify(to))).toEqual([]);
});

test('ends are noted for whatever is stored: labels of another workspace, of removed runs and kept aside', async () => {
  const { folder, store, run } = await labelled();
  await store.writer.remove(run, 'run', alice);
  await store.drain();
  expect(said(await verify(folder))).toEqual([]);
  const other = await labelled();
  await store.writer.merge(other.folder);
  expect(said(await verify(folder))).toEqual([]);
  await other.store.close();
  await store.close();
  damage(folder, 'DELETE FROM kept_annotation WHERE device_seq = 5');
  expect(said(await verify(folder))[0]).toMatch(/^annotation_cut annotation DEVICE 5: The last entry/);
  // Whoever still has it may be merged again.
  const again = testStore(folder);
  await again.writer.merge(other.folder);
  expect(said(await verify(folder))).toEqual([]);
  await again.close();
});
