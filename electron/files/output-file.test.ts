import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import { defaultSettings } from '@shared/contract/settings';
import { expect, test } from 'vitest';
import { writeDiagnostics } from '../app/diagnostics';
import { plotHandlers } from '../commands/application';
import { DatasetFolder } from '../dataset/dataset-folder';
import { SecretScanner } from '../secrets/scanner';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { fillDisk, smallDisk, takeAllFiles } from '../testing/small-disk';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { OutputFile, writeOutput, writePrivately } from './output-file';
import { WORKSPACE_PARTS } from './workspace-paths';

const writers: [string, (path: string) => Promise<unknown>][] = [
  ['one piece', (path) => writeOutput(path, Buffer.alloc(200_000))],
  ['a key file', (path) => writePrivately(path, 'k'.repeat(200_000))],
  [
    'a plot',
    (path) => {
      const save = plotHandlers({ chooseFile: async () => path })['plots.save'];
      return save({ name: 'plot', format: 'csv', content: 'a,b\n'.repeat(50_000) });
    },
  ],
  [
    'a report for a bug',
    (path) => {
      const logFolder = temporaryFolder();
      writeFileSync(join(logFolder, 'waymark.log'), 'line\n'.repeat(50_000));
      const info = {} as Parameters<typeof writeDiagnostics>[1]['info'];
      const scanner = new SecretScanner();
      return writeDiagnostics(path, { info, settings: defaultSettings(), runs: [], logFolder, scanner });
    },
  ],
  ['labels', async (path) => (await labelled()).reader.exportAnnotations(path)],
  [
    'a dataset',
    async (path) => {
      const folder = await DatasetFolder.begin(path);
      try {
        await folder.write('train.jsonl', ['x'.repeat(200_000)]);
        await folder.commit();
      } catch (thrown) {
        await folder.abandon();
        throw thrown;
      }
    },
  ],
];

/** A store with labels that fill more than the small disk below. */
async function labelled() {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('echo 1', 'one', { exitCode: 0 });
  for (let entry = 0; entry < 20; entry += 1) {
    await store.writer.annotate(
      alice,
      { run, from: 1, to: 1 },
      { op: 'comment', text: 'word '.repeat(1_000) },
    );
  }
  return store;
}

test.for(writers)('a full disk: %s is not there, and the failure names its place', async ([
  ,
  write,
], context) => {
  const disk = smallDisk('size=64k');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  const path = join(disk, 'out');
  await expect(write(path)).rejects.toMatchObject({
    code: 'disk_full',
    message: expect.stringContaining(path),
  });
  expect(readdirSync(disk)).toEqual([]);
  fillDisk(disk);
  await expect(write(path)).rejects.toMatchObject({
    code: 'disk_full',
    message: expect.stringContaining(path),
  });
  expect(readdirSync(disk)).toEqual(['filler']);
});

test.for(writers)('no file left to make: %s', async ([, write], context) => {
  const disk = smallDisk('size=4m,nr_inodes=20');
  if (disk === null) return context.skip('mounting a small file system needs root on Linux');
  takeAllFiles(disk);
  const failure = write(join(disk, 'out'));
  await expect(failure).rejects.toMatchObject({
    code: 'disk_full',
    message: expect.stringContaining('no room for another file'),
  });
});

test.for(writers)('in the place of any part of a workspace: %s is not written', async ([, write]) => {
  const store = await labelled();
  const before = readFileSync(join(store.folder, 'workspace.db'));
  const linked = join(temporaryFolder(), 'linked');
  symlinkSync(store.folder, linked);
  const dangling = join(temporaryFolder(), 'dangling');
  symlinkSync(join(store.folder, 'backups', 'not-there-yet'), dangling);
  const places = [
    ...WORKSPACE_PARTS.map((part) => join(store.folder, part)),
    ...['workspace.db', 'backups/labels.db', 'runs/a/b'].map((place) => join(linked, place)),
    dangling,
  ];
  for (const place of places) {
    await expect(write(place), place).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('part of a Waymark workspace'),
    });
  }
  expect(readFileSync(join(store.folder, 'workspace.db')).equals(before)).toBe(true);
  // Beside them a person may keep what they like; a folder "runs" elsewhere is nobody's.
  await write(join(store.folder, 'mine'));
  const elsewhere = join(temporaryFolder(), 'runs');
  mkdirSync(elsewhere);
  await write(join(elsewhere, 'out'));
});

test('what was there stays until the new file is whole; a link stays a link', async () => {
  const folder = temporaryFolder();
  const real = join(folder, 'real.txt');
  const link = join(folder, 'link.txt');
  writeFileSync(real, 'before');
  symlinkSync(real, link);
  const file = await OutputFile.begin(link);
  await file.write('aft');
  expect(readFileSync(link, 'utf8')).toBe('before');
  await file.write('er');
  await file.commit();
  expect(readFileSync(real, 'utf8')).toBe('after');
  expect(readdirSync(folder).sort()).toEqual([basename(link), basename(real)]);
});

test('a place that cannot be is named with what to do', async () => {
  const folder = temporaryFolder();
  const loops = temporaryFolder();
  symlinkSync(join(loops, 'b'), join(loops, 'a'));
  symlinkSync(join(loops, 'a'), join(loops, 'b'));
  await expect(writeOutput(join(loops, 'a'), 'x')).rejects.toMatchObject({ code: 'bad_input' });
  mkdirSync(join(folder, 'there'));
  writeFileSync(join(folder, 'file'), '');
  for (const name of ['there', 'none/out', 'file/out', 'n'.repeat(300)]) {
    const path = join(folder, name);
    const failure = await writeOutput(path, 'x').catch((thrown: unknown) => thrown);
    expect(failure, name).toBeInstanceOf(WaymarkError);
    expect(failure, name).toMatchObject({ code: 'bad_input', message: expect.stringContaining(path) });
  }
  expect(readdirSync(dirname(join(folder, 'x'))).sort()).toEqual(['file', 'there']);
});

test('a full disk that nobody expected is still no bug', () => {
  const raised = Object.assign(new Error('ENOSPC: no space left on device, open /x/y'), {
    code: 'ENOSPC',
    syscall: 'open',
    path: '/x/y',
  });
  expect(toFailure(raised)).toMatchObject({ code: 'disk_full', message: expect.stringContaining('/x/y') });
  expect(toFailure(Object.assign(new Error('full'), { code: 'SQLITE_FULL' })).code).toBe('disk_full');
  expect(toFailure(Object.assign(new Error('no'), { code: 'EROFS' })).code).toBe('read_only');
  expect(toFailure(new Error('odd')).code).toBe('bug');
});
