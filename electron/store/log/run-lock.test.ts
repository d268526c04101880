import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fillDisk, smallDisk, takeAllFiles } from '../../testing/small-disk';
import { temporaryFolder } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { holdLock, isLockHeld } from './run-lock';

test('a lock whose process died while it took it is free, and is taken with a new epoch', () => {
  const folder = temporaryFolder();
  const live = join(folder, 'live.db');
  holdLock(live)?.release();
  // The files as a kill in the middle of a transaction leaves them: pages written, their journal not yet gone.
  const db = openDatabase(live);
  db.pragma('cache_size = 1');
  db.exec('BEGIN EXCLUSIVE; UPDATE driver SET epoch = 9; CREATE TABLE filler (bytes BLOB)');
  for (let row = 0; row < 50; row += 1) db.exec('INSERT INTO filler VALUES (randomblob(4000))');
  const dead = join(folder, 'dead.db');
  copyFileSync(live, dead);
  copyFileSync(`${live}-journal`, `${dead}-journal`);
  expect(isLockHeld(live)).toBe(true);
  expect(isLockHeld(dead)).toBe(false);
  const lock = holdLock(dead);
  expect(lock?.epoch).toBe(2);
  expect(isLockHeld(dead)).toBe(true);
  lock?.release();
  db.close();
});

test('a lock for which there is no room, or no file, is a full disk and no bug', (context) => {
  for (const options of ['size=1m', 'size=1m,nr_inodes=20']) {
    const disk = smallDisk(options);
    if (disk === null) return context.skip('mounting a small file system needs root on Linux');
    const locks = join(disk, 'locks');
    if (options.includes('inodes')) takeAllFiles(disk);
    else fillDisk(disk);
    const taking = () => holdLock(join(locks, 'run.db'));
    expect(taking).toThrow(
      expect.objectContaining({ code: 'disk_full', message: expect.stringContaining(locks) }),
    );
  }
});
