import {
  existsSync,
  mkdirSync,
  readdirSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from '../restore/restore-workspace';
import { verifyWorkspace } from '../verify/verify';
import { openForReading, workspaceFile } from './workspace-file';

async function workspace(): Promise<string> {
  const folder = join(temporaryFolder(), 'workspace');
  const store = testStore(folder);
  const writer = new RunWriter(store, await createRun(store));
  await writer.start();
  await writer.command('huge', 'z'.repeat(300_000), { exitCode: 0 });
  await store.writer.backup();
  await store.close();
  return folder;
}

/** Every file and folder with its place, to see that nothing came or went. */
function listing(folder: string): string[] {
  return (readdirSync(folder, { recursive: true }) as string[]).sort();
}

const losses: [string, RegExp, (path: string) => void][] = [
  ['missing', /workspace\.db is missing/, (path) => rmSync(path)],
  ['empty', /workspace\.db .*is empty/, (path) => truncateSync(path, 0)],
  [
    'a folder',
    /workspace\.db is a folder/,
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
  [
    'a link to nothing',
    /workspace\.db is a link to .*nowhere/,
    (path) => {
      rmSync(path);
      symlinkSync('/nowhere/workspace.db', path);
    },
  ],
];

test.each(
  losses,
)('where workspace.db is %s beside the rest of a workspace, nothing is made and restore is named', async (_, words, lose) => {
  const folder = await workspace();
  lose(workspaceFile(folder));
  const before = listing(folder);
  const refused = { code: 'workspace_corrupt', message: expect.stringMatching(words) };
  expect(() => testStore(folder)).toThrow(expect.objectContaining(refused));
  expect(() => testStore(folder)).toThrow('"restore"');
  expect(() => openForReading(folder)).toThrow(expect.objectContaining(refused));
  const report = await verifyWorkspace(folder, createProjector());
  expect(report).toMatchObject({ ok: false, runs: [], workspace: [{ where: 'workspace.db' }] });
  expect(report.workspace[0]?.message).toMatch(words);
  expect(listing(folder)).toEqual(before);
  const [name] = readdirSync(join(folder, 'backups'));
  const restored = await restoreWorkspace({
    backup: join(folder, 'backups', name ?? ''),
    from: folder,
    to: join(folder, '..', 'restored'),
    projector: createProjector(),
  });
  expect(restored.runs).toMatchObject([{ state: 'lost' }]);
  expect(restored.notes.join()).toMatch(words);
  expect(listing(folder)).toEqual(before);
});

test.each([
  ['runs', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['sessions', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['checkpoints', '01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ['blobs', '0f'],
  ['backups', 'logs-2026-01-02T03-04-05-678Z.db'],
  ['tasks', 'a'.repeat(64)],
  ['locks', '01ARZ3NDEKTSV4RRFFQ69G5FAV.db'],
])('one part of a workspace, %s, is enough to miss its workspace.db', (part, name) => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, part, name), { recursive: true });
  expect(() => testStore(folder)).toThrow(
    expect.objectContaining({ code: 'workspace_corrupt', message: expect.stringContaining(part) }),
  );
  expect(readdirSync(folder)).toEqual([part]);
});

test('commits that only the write-ahead log holds are not thrown away with an empty workspace.db', () => {
  const folder = temporaryFolder();
  writeFileSync(workspaceFile(folder), '');
  writeFileSync(`${workspaceFile(folder)}-wal`, 'frames');
  expect(() => testStore(folder)).toThrow(expect.objectContaining({ code: 'workspace_corrupt' }));
  expect(existsSync(`${workspaceFile(folder)}-wal`)).toBe(true);
});

test("an empty folder, one that begins, and one with other people's files become workspaces", async () => {
  const begun = temporaryFolder();
  writeFileSync(workspaceFile(begun), '');
  const others = temporaryFolder();
  for (const part of ['runs', 'sessions', 'tasks', 'backups', 'locks', 'blobs']) {
    mkdirSync(join(others, part));
    writeFileSync(join(others, part, 'notes.txt'), 'mine');
  }
  // Whoever indexes a workspace may take its lock before anybody wrote to it.
  const locked = temporaryFolder();
  mkdirSync(join(locked, 'locks'));
  writeFileSync(join(locked, 'locks', 'indexer.db'), '');
  for (const folder of [temporaryFolder(), join(temporaryFolder(), 'a', 'b'), begun, others, locked]) {
    const store = testStore(folder);
    expect(await store.reader.runs()).toEqual([]);
    expect(await store.reader.verify()).toMatchObject({ ok: true });
  }
});

test('a workspace whose file disappears while it is open is not given an empty one', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  rmSync(workspaceFile(folder));
  expect(() => store.lockRun(run)).toThrow(expect.objectContaining({ code: 'workspace_corrupt' }));
  expect(await store.reader.verify()).toMatchObject({ ok: false });
  expect(existsSync(workspaceFile(folder))).toBe(false);
});
