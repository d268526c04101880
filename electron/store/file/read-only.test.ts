import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chownSync,
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { toFailure } from '@shared/contract/errors';
import { ulid } from 'ulid';
import { describe, expect, inject, test } from 'vitest';
import { parseArguments } from '../../cli/arguments';
import { isReading } from '../../cli/reading-commands';
import { fromServer } from '../../serve/protocol';
import { addTask } from '../../task/add';
import { alice, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { smallDisk } from '../../testing/small-disk';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { writeTaskPackage } from '../../testing/task-package';
import { rowSum } from '../log/hashing';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from '../restore/restore-workspace';
import { openStore } from '../threads/client';
import { openDatabase } from './database';
import {
  isFromElsewhere,
  openForReading,
  openForWriting,
  rememberWorkspace,
  workspaceFile,
} from './workspace-file';

async function workspace(): Promise<{ base: string; folder: string; run: string }> {
  const base = temporaryFolder();
  const folder = join(base, 'theirs');
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('echo hello', 'hello', { exitCode: 0 });
  await store.close();
  return { base, folder, run };
}

test('what was begun here and killed before anything was in it is nobody else’s', () => {
  const [folder, data] = [join(temporaryFolder(), 'begun'), temporaryFolder()];
  openForWriting(folder, () => rememberWorkspace(folder, data)).close();
  expect(isFromElsewhere(folder, { data, device: 'this machine' })).toBe(false);
  const planted = join(temporaryFolder(), 'planted');
  openForWriting(planted).close();
  expect(isFromElsewhere(planted, { data, device: 'this machine' })).toBe(true);
});

test('a path that is too long for the database is refused before anything is made there', () => {
  let folder = temporaryFolder();
  while (folder.length < 470) folder = join(folder, 'd'.repeat(Math.min(100, 469 - folder.length) || 1));
  expect(() => openForWriting(folder)).toThrow(expect.objectContaining({ code: 'bad_input' }));
  expect(() => openForReading(folder)).toThrow('takes no more than 467');
  expect(existsSync(folder)).toBe(false);
  // The longest that is taken holds the files with the longest names.
  const longest = folder.slice(0, 467);
  const store = testStore(longest);
  return store.close();
});

test('a copy comes from elsewhere until it was written here; what was made or moved here does not', async () => {
  const { base, folder } = await workspace();
  expect(isFromElsewhere(folder)).toBe(false);
  expect(isFromElsewhere(join(base, 'nothing'))).toBe(false);
  renameSync(folder, join(base, 'moved'));
  expect(isFromElsewhere(join(base, 'moved'))).toBe(false);
  const copy = join(base, 'copy');
  cpSync(join(base, 'moved'), copy, { recursive: true });
  expect(isFromElsewhere(copy)).toBe(true);
  await testStore(copy, { readOnly: true }).close();
  const asked = await openStore(copy, { workerDir: inject('storeWorkers'), readOnly: 'from-elsewhere' });
  expect(asked.isReadOnly).toBe(true);
  // Whoever says it in another language gets what stands in the sentence, also across threads and to a window.
  const words = { is: 'from_elsewhere', folder: copy, act: 'cleaning' };
  const refusal = await asked.writer.clean().catch((thrown: unknown) => thrown);
  expect(refusal).toMatchObject({ code: 'read_only', words });
  expect(fromServer.parse({ kind: 'refused', failure: toFailure(refusal) })).toMatchObject({
    failure: { words },
  });
  await asked.close();
  expect(isFromElsewhere(copy)).toBe(true);
  await testStore(copy).close();
  expect(isFromElsewhere(copy)).toBe(false);
  const own = testStore(copy, { readOnly: 'from-elsewhere' });
  expect(own.isReadOnly).toBe(false);
  await own.close();
});

test.skipIf(process.getuid?.() !== 0)(
  'what belongs to another user comes from elsewhere until this installation has written in it',
  async () => {
    const { folder } = await workspace();
    chownSync(join(folder, 'workspace.db'), 65_534, 65_534);
    expect(isFromElsewhere(folder, { device: 'mine' })).toBe(true);
    await testStore(folder, { device: 'mine' }).close();
    expect(isFromElsewhere(folder, { device: 'mine' })).toBe(false);
    expect(isFromElsewhere(folder, { device: 'theirs' })).toBe(true);
  },
);

test('what is restored from an own workspace is worked in, what is restored from a copy is not', async () => {
  const { base, folder } = await workspace();
  const copy = join(base, 'copy');
  cpSync(folder, copy, { recursive: true });
  for (const [from, to, elsewhere] of [
    [folder, 'own again', false],
    [copy, 'theirs again', true],
  ] as const) {
    await restoreWorkspace({ backup: null, from, to: join(base, to), projector: createProjector() });
    expect(isFromElsewhere(join(base, to)), to).toBe(elsewhere);
  }
});

test('a file with two names is not written: through the other one it could be lost', async () => {
  const { base, folder } = await workspace();
  linkSync(join(folder, 'workspace.db'), join(base, 'second.db'));
  expect(() => testStore(folder)).toThrow(
    expect.objectContaining({ code: 'refused', message: expect.stringContaining('2 names') }),
  );
  unlinkSync(join(base, 'second.db'));
  await testStore(folder).close();
});

test('no task is put into a copy', async () => {
  const { base, folder } = await workspace();
  const copy = join(base, 'copy');
  cpSync(folder, copy, { recursive: true });
  const store = testStore(copy, { readOnly: true });
  const source = await writeTaskPackage(join(base, 'package'));
  await expect(addTask(store, source)).rejects.toMatchObject({ code: 'read_only' });
  expect(existsSync(join(copy, 'tasks'))).toBe(existsSync(join(folder, 'tasks')));
  await store.close();
});

test('it is read, searched and verified, and nothing in it is recorded, driven or deleted', async () => {
  const { base, folder, run } = await workspace();
  const copy = join(base, 'copy');
  cpSync(folder, copy, { recursive: true });
  const store = testStore(copy, { readOnly: true });
  expect((await store.reader.runs()).map(({ id }) => id)).toEqual([run]);
  expect((await store.reader.step(run, 1)).observations[0]?.text).toBe('hello');
  expect((await store.reader.verify()).ok).toBe(true);
  await store.writer.see(run, alice.uuid, 1);
  const refused = { code: 'read_only', message: expect.stringContaining('--trust') };
  const { writer } = store;
  const events = [{ kind: 'run.created' as const, body: createdBody(run) }];
  for (const write of [
    () => writer.append(run, 9, events),
    () => writer.appendIfOutboxAt(run, 9, 0, events),
    () => writer.post(run, alice, { op: 'run.stop' }),
    () => writer.annotate(alice, { run, from: 1, to: 1 }, { op: 'label', value: 'train', reason: null }),
    () => writer.merge(folder),
    () => writer.undo(run, alice),
    () => writer.redo(run, alice),
    () => writer.remove(run, 'run', alice),
    () => writer.clean(),
    () => writer.rebuild(run),
    () => writer.setRules('t', null, alice),
  ]) {
    await expect(write(), String(write)).rejects.toMatchObject(refused);
  }
  expect(() => store.lockRun(run)).toThrow(expect.objectContaining(refused));
  await store.close();
  expect(existsSync(join(copy, 'ballast'))).toBe(false);
  expect(readdirSync(folder)).toEqual(expect.arrayContaining(['workspace.db']));
});

test('a command reads only where that is said of it', () => {
  const reads = (line: string) => isReading(parseArguments(line.split(' ')));
  for (const line of [
    'run list',
    'run show X',
    'queue',
    'queue next',
    'export --out d',
    'stats X',
    'verify',
    'label export',
    'rules X',
    'rules list',
    'rules preview X',
  ]) {
    expect(reads(line), line).toBe(true);
  }
  for (const line of [
    ...[
      'run start',
      'run resume X',
      'run remove X',
      'run',
      'hint send X y',
      'label X 1 train',
      'clean',
      'rebuild',
    ],
    ...[
      'merge x',
      'import x',
      'branch X',
      'rules set',
      'rules clear',
      'queue assign',
      'task add x',
      'toString',
      '__proto__ x',
    ],
  ]) {
    expect(reads(line), line).toBe(false);
  }
});

describe('what this installation has worked in, its own data says', () => {
  /** Rows as whoever makes a disk image writes them: this very file, as written by an installation, the victim's own included. */
  function claimed(folder: string, device: string): void {
    const { ino, birthtimeNs } = statSync(workspaceFile(folder), { bigint: true });
    const key = createHash('sha256').update(`${ino} ${birthtimeNs}`).digest('hex').slice(0, 16);
    const db = openDatabase(workspaceFile(folder));
    const values = [`device:${device}:${key}`, `${device}.${ulid()}`] as const;
    db.prepare('INSERT INTO meta (key, value, sum) VALUES (?, ?, ?)').run(...values, rowSum(...values));
    db.close();
  }

  test.each([
    'mine',
    'somebody',
  ])('a disk image that claims to be known (as %s) is asked about', async (device) => {
    const disk = smallDisk('size=32m');
    const { base, folder } = await workspace();
    if (disk === null) return;
    const stick = join(disk, 'theirs');
    cpSync(folder, stick, { recursive: true });
    claimed(stick, device);
    const data = join(base, 'data');
    mkdirSync(data);
    // By its rows alone it would be this person's own.
    expect(isFromElsewhere(stick, { device: 'mine' })).toBe(false);
    expect(isFromElsewhere(stick, { device: 'mine', data })).toBe(true);
    const looked = testStore(stick, { device: 'mine', data, readOnly: 'from-elsewhere' });
    expect(looked.isReadOnly).toBe(true);
    await looked.close();
    // Nor does restoring from it launder it.
    const to = join(base, 'restored');
    const projector = createProjector();
    await restoreWorkspace({ backup: null, from: stick, to, projector, device: 'mine', data });
    expect(isFromElsewhere(to, { device: 'mine', data })).toBe(true);
    // A person trusts it once.
    await testStore(stick, { device: 'mine', data }).close();
    expect(isFromElsewhere(stick, { device: 'mine', data })).toBe(false);
    expect(isFromElsewhere(stick, { device: 'mine', data: join(base, 'other data') })).toBe(true);
  });

  test('own workspaces stay trusted: those of before by their rows, on the disk of the data', async () => {
    const { base, folder } = await workspace();
    const data = join(base, 'data');
    // Nothing is remembered yet, and no folder for it is there: then it is asked.
    expect(isFromElsewhere(folder, { data })).toBe(true);
    mkdirSync(data);
    expect(isFromElsewhere(folder, { data })).toBe(false);
    const store = testStore(folder, { data, readOnly: 'from-elsewhere' });
    expect(store.isReadOnly).toBe(false);
    await store.close();
    const list = join(data, 'known-workspaces');
    expect(readFileSync(list, 'utf8')).toMatch(/^[0-9a-f]{64}\n$/);
    expect(statSync(list).mode & 0o777).toBe(0o600);
    await testStore(folder, { data }).close();
    expect(readFileSync(list, 'utf8').split('\n')).toHaveLength(2);
    // A copy is none of them, and one that is made new is.
    const copy = join(base, 'copy');
    cpSync(folder, copy, { recursive: true });
    expect(isFromElsewhere(copy, { data })).toBe(true);
    await testStore(join(base, 'new'), { data, readOnly: 'from-elsewhere' }).close();
    expect(isFromElsewhere(join(base, 'new'), { data })).toBe(false);
    expect(readFileSync(list, 'utf8').split('\n')).toHaveLength(3);
  });

  test.skipIf(process.platform === 'win32')(
    'a link, a pipe or rubbish in its place says nothing, and nothing goes through it',
    async () => {
      const { base, folder } = await workspace();
      const data = join(base, 'data');
      mkdirSync(data);
      const list = join(data, 'known-workspaces');
      const elsewhere = join(base, 'elsewhere');
      writeFileSync(elsewhere, '');
      for (const make of [
        () => symlinkSync(elsewhere, list),
        () => execFileSync('mkfifo', [list]),
        () => writeFileSync(list, 'x'.repeat(2_000_000)),
      ]) {
        make();
        const store = testStore(folder, { data, readOnly: 'from-elsewhere' });
        expect(store.isReadOnly).toBe(false);
        await store.close();
        rmSync(list);
      }
      expect(readFileSync(elsewhere, 'utf8')).toBe('');
    },
  );
});
