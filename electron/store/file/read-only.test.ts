import { chownSync, cpSync, existsSync, linkSync, readdirSync, renameSync, unlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, inject, test } from 'vitest';
import { parseArguments } from '../../cli/arguments';
import { isReading } from '../../cli/reading-commands';
import { addTask } from '../../task/add';
import { alice, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { writeTaskPackage } from '../../testing/task-package';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from '../restore/restore-workspace';
import { openStore } from '../threads/client';
import { isFromElsewhere } from './workspace-file';

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
  await expect(asked.writer.clean()).rejects.toMatchObject({ code: 'read_only' });
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
    expect(isFromElsewhere(folder, 'mine')).toBe(true);
    await testStore(folder, { device: 'mine' }).close();
    expect(isFromElsewhere(folder, 'mine')).toBe(false);
    expect(isFromElsewhere(folder, 'theirs')).toBe(true);
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
