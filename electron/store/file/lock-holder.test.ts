import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase, storeFailure } from './database';
import { holderWords, lockHolder } from './lock-holder';
import { workspaceFile } from './workspace-file';

test.skipIf(!existsSync('/proc/locks'))('who holds a workspace is named while it holds it', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  expect(lockHolder(folder)).toBeNull();
  const db = openDatabase(workspaceFile(folder));
  db.exec('BEGIN IMMEDIATE');
  expect(lockHolder(folder)).toMatchObject({ pid: process.pid, halted: false });
  const age = Date.now() - (lockHolder(folder)?.startedAt ?? 0);
  expect(Math.abs(age - process.uptime() * 1000)).toBeLessThan(60_000);
  const busy = Object.assign(new Error('database is locked'), { code: 'SQLITE_BUSY' });
  expect(storeFailure(busy, 'the workspace', folder)).toMatchObject({
    code: 'workspace_locked',
    message: expect.stringMatching(
      new RegExp(
        `^Another program has held the workspace for more than 5 seconds: process ${process.pid} \\(.+\\), started .+ UTC\\. `,
      ),
    ),
  });
  db.exec('ROLLBACK');
  db.close();
  expect(lockHolder(folder)).toBeNull();
  await store.close();
});

test('a halted process is said to be halted, and without one there are no words', () => {
  const holder = { pid: 12, command: 'waymark import x.json', startedAt: 0, halted: true };
  expect(holderWords(holder)).toBe(
    ': process 12 (waymark import x.json), started 1970-01-01 00:00 UTC; it is halted: let it continue (kill -CONT 12) or end it',
  );
  expect(holderWords(null)).toBe('');
});
