import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { fillDisk, smallDisk, takeAllFiles } from '../../testing/small-disk';
import { testStore } from '../../testing/store-fixtures';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from '../restore/restore-workspace';
import { openStoreInProcess } from '../threads/in-process';
import { verifyWorkspace } from '../verify/verify';
import { openDatabase } from './database';
import { openStillStore } from './still-store';
import { workspaceFile } from './workspace-file';

const remount = (disk: string, mode: 'ro' | 'rw') => execFileSync('mount', ['-o', `remount,${mode}`, disk]);

/** A workspace that nobody has open, with one labelled step. */
async function closed(folder: string): Promise<string> {
  const store = testStore(folder);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('ls', 'found', { exitCode: 0 });
  const target = { run: writer.run, from: 1, to: 1 };
  await store.writer.annotate(alice, target, { op: 'label', value: 'train', reason: null });
  await store.drain();
  await store.close();
  return writer.run;
}

describe.each<[string, (disk: string) => () => void]>([
  [
    'a read-only disk',
    (disk) => {
      remount(disk, 'ro');
      return () => remount(disk, 'rw');
    },
  ],
  [
    'a disk without a free byte',
    (disk) => {
      const filler = fillDisk(disk);
      return () => rmSync(filler);
    },
  ],
  [
    'a disk that takes no further file',
    (disk) => {
      const taken = takeAllFiles(disk);
      return () => {
        for (const path of taken) rmSync(path);
      };
    },
  ],
])('%s', (_, spoil) => {
  test('its workspace is read and verified, and nothing is written', async (context) => {
    const disk = smallDisk('size=8m,nr_inodes=200');
    if (disk === null) return context.skip('mounting a small file system needs root on Linux');
    const folder = join(disk, 'workspace');
    const run = await closed(folder);
    const mend = spoil(disk);
    try {
      expect(() => openStoreInProcess(folder)).toThrowError(
        expect.objectContaining({ code: expect.stringMatching(/^(read_only|disk_full)$/) }),
      );
      const before = readdirSync(folder).sort();
      const store = openStillStore(folder);
      expect(await store.reader.runs()).toMatchObject([{ id: run, steps: 1 }]);
      expect(await store.reader.heads(run, 1, 1)).toMatchObject([{ label: { value: 'train' } }]);
      expect((await store.reader.step(run, 1)).observations[0]?.ok).toBe(true);
      expect(await store.reader.verify()).toMatchObject({ ok: true });
      expect(await verifyWorkspace(folder, createProjector())).toMatchObject({ ok: true });
      await expect(store.writer.remove(run, 'run', alice)).rejects.toMatchObject({
        code: 'read_only',
        message: expect.stringContaining('cannot be written now'),
      });
      expect(() => store.lockRun(run)).toThrowError(expect.objectContaining({ code: 'read_only' }));
      await store.close();
      expect(readdirSync(folder).sort()).toEqual(before);
    } finally {
      mend();
    }
    const again = testStore(folder);
    expect(await again.reader.verify()).toMatchObject({ ok: true });
  });
});

test('a read-only disk with commits that wait in the log is named, with the next step; restoring reads them', async (context) => {
  const disk = smallDisk('size=8m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const folder = join(disk, 'workspace');
  const run = await closed(folder);
  const copy = join(disk, 'copy');
  const held = openDatabase(workspaceFile(folder));
  held.exec('CREATE TABLE more (id INTEGER); DROP TABLE more;');
  // As a computer leaves it whose power goes.
  execFileSync('cp', ['-r', folder, copy]);
  expect(statSync(`${workspaceFile(copy)}-wal`).size).toBeGreaterThan(0);
  held.close();
  rmSync(`${workspaceFile(copy)}-shm`, { force: true });
  remount(disk, 'ro');
  try {
    expect(() => openStillStore(copy)).toThrowError(
      expect.objectContaining({ code: 'read_only', message: expect.stringContaining('copy its folder') }),
    );
    expect(await verifyWorkspace(copy, createProjector())).toMatchObject({
      ok: false,
      workspace: [{ what: 'read_only' }],
    });
    const to = join(disk, '..', 'restored');
    const report = await restoreWorkspace({ backup: null, from: copy, to, projector: createProjector() });
    expect(report).toMatchObject({ complete: true, runs: [{ id: run, state: 'log' }] });
  } finally {
    remount(disk, 'rw');
  }
});

test('a workspace of another version is not read where it cannot be brought up to date', async (context) => {
  const disk = smallDisk('size=8m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const folder = join(disk, 'workspace');
  await closed(folder);
  const db = openDatabase(workspaceFile(folder));
  db.exec("UPDATE run_head SET state = json_set(state, '$.version', 0)");
  db.close();
  mkdirSync(join(disk, 'other'));
  remount(disk, 'ro');
  try {
    expect(() => openStillStore(folder)).toThrowError(
      expect.objectContaining({ message: expect.stringContaining('brought up to date') }),
    );
  } finally {
    remount(disk, 'rw');
  }
});
