import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { createRun, RunWriter } from '../../testing/run-writer';
import { smallDisk } from '../../testing/small-disk';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from './restore-workspace';

async function workspace() {
  const around = temporaryFolder();
  const folder = join(around, 'workspace');
  const store = testStore(folder);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('ls', 'out', { exitCode: 0 });
  await store.close();
  return { around, folder };
}

const restore = (from: string, to: string) =>
  restoreWorkspace({ backup: null, from, to, projector: createProjector() });

test.each<[string, string, (around: string) => string]>([
  [
    'a link that leads into the workspace',
    'bad_input',
    (around) => {
      symlinkSync(join(around, 'workspace'), join(around, 'link'));
      return join(around, 'link', 'inner');
    },
  ],
  [
    'a link to nothing',
    'bad_input',
    (around) => {
      symlinkSync(join(around, 'nothing'), join(around, 'link'));
      return join(around, 'link');
    },
  ],
  [
    'a folder below a file',
    'bad_input',
    (around) => {
      writeFileSync(join(around, 'file'), '');
      return join(around, 'file', 'x');
    },
  ],
  ['too long a name', 'bad_input', (around) => join(around, 'x'.repeat(300))],
])('%s is refused before the work, and nothing is left', async (_, code, prepare) => {
  const { around, folder } = await workspace();
  const to = prepare(around);
  const before = readdirSync(around, { recursive: true }).sort();
  await expect(restore(folder, to)).rejects.toMatchObject({ code });
  expect(readdirSync(around, { recursive: true }).sort()).toEqual(before);
});

test('an empty folder is filled from within: no rename replaces a mount point', async () => {
  const { around, folder } = await workspace();
  const to = join(around, 'disk');
  mkdirSync(join(to, 'lost+found'), { recursive: true });
  expect(await restore(folder, to)).toMatchObject({ complete: true });
  expect(readdirSync(to).filter((name) => name.startsWith('waymark-') || name.startsWith('.'))).toEqual([]);
  expect(await testStore(to).reader.runs()).toHaveLength(1);
});

test('a workspace beside which nothing can be written comes back whole', async () => {
  const { around, folder } = await workspace();
  // SQLite's shared memory cannot be made, as on a read-only or full disk.
  mkdirSync(`${workspaceFile(folder)}-shm`);
  const report = await restore(folder, join(around, 'to'));
  expect(report).toMatchObject({ complete: true, runs: [{ state: 'log', steps: 1 }] });
  expect(existsSync(join(around, 'to', 'reading'))).toBe(false);
});

test('a place on a disk that takes nothing is refused before the work, as what it is', async (context) => {
  const disk = smallDisk('size=1m');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const { folder } = await workspace();
  execFileSync('mount', ['-o', 'remount,ro', disk]);
  await expect(restore(folder, join(disk, 'to'))).rejects.toMatchObject({ code: 'read_only' });
});

test('a damaged format number is damage and no newer program, and what is whole comes back', async () => {
  const { around, folder } = await workspace();
  const db = openDatabase(workspaceFile(folder));
  db.pragma('user_version = 1718511967');
  db.close();
  expect(() => testStore(folder)).toThrow(expect.objectContaining({ code: 'workspace_corrupt' }));
  const report = await restore(folder, join(around, 'to'));
  expect(report).toMatchObject({ runs: [{ state: 'log', steps: 1 }] });
});

test('what a killed restore left is removed and named; the folder of somebody else is not', async () => {
  const { around, folder } = await workspace();
  const left = join(around, 'waymark-restoring-2147483646');
  const foreign = join(around, 'waymark-restoring-2147483645');
  for (const path of [left, foreign]) mkdirSync(path);
  writeFileSync(join(left, '.waymark-restoring'), '2147483646');
  const report = await restore(folder, join(around, 'to'));
  expect(report.remarks).toEqual([`Removed ${left}, which an interrupted restore had left.`]);
  expect(readdirSync(around).sort()).toEqual(['to', 'waymark-restoring-2147483645', 'workspace']);
});

test('what comes into the old workspace while it is read is counted as missing', async () => {
  const { around, folder } = await workspace();
  const projector = createProjector();
  let isWritten = false;
  const writing = new Proxy(projector, {
    get: (target, name) => {
      if (!isWritten) {
        isWritten = true;
        const db = openDatabase(workspaceFile(folder));
        db.prepare('INSERT INTO outbox (ulid, run, body, hash) VALUES (?, 1, ?, ?)').run(
          ulid(),
          '{}',
          Buffer.alloc(32),
        );
        db.close();
      }
      return Reflect.get(target, name);
    },
  });
  const options = { backup: null, from: folder, to: join(around, 'to'), projector: writing };
  const { remarks } = await restoreWorkspace(options);
  expect(remarks).toEqual([
    expect.stringMatching(/^Something wrote to .+ during the restore: 1 label or request and 0 events /),
  ]);
});
