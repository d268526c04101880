import { execFileSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { deeds, liveThrough } from '../../testing/random-run';
import { alice, bob, twoRuns } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { createProjector } from '../projections/projector';
import { listBackups } from './list-backups';
import { backupNames, newestBackup } from './newest-backup';
import { restoreWorkspace } from './restore-workspace';

const COPIES = process.env.WAYMARK_FULL === '1' ? 400 : 20;

const LARGE = 'a large file '.repeat(30_000);

/** A workspace with labels by two people, hints, a large text, terminal bytes and files; and a backup of it. */
async function livedIn() {
  const folder = join(temporaryFolder(), 'workspace');
  const store = testStore(folder);
  const { first, second } = await twoRuns(store, async (writer, name) => {
    await writer.command(`echo ${name}`, `${name} ${'long '.repeat(2000)}`, { exitCode: 0 });
    await writer.command('cat large', `${LARGE}${name}`, { exitCode: 0 });
    await writer.hint(`try ${name}`);
    await writer.command('ls', 'same in both '.repeat(500), { exitCode: 0 });
    const { run } = writer;
    const chunk = { offset: 0, bytes: Buffer.from(`${name}\r\n`), receivedAt: 0, hostAt: null };
    await store.writer.sessionBytes(run, writer.epoch, 'main', chunk);
    await label(store, run, 1, 'train');
    await store.writer.annotate(bob, { run, from: 1, to: 1 }, { op: 'label', value: 'mask', reason: null });
    await store.writer.annotate(bob, { run, from: 2, to: 3 }, { op: 'comment', text: `about ${name}` });
    mkdirSync(join(folder, 'runs', run, 'work'), { recursive: true });
    writeFileSync(join(folder, 'runs', run, 'work', 'notes.txt'), name);
  });
  await store.writer.setRules(
    'demo',
    { on: ['blind-edit-strict'], off: [], set: {}, precedence: 'union' } as never,
    alice,
  );
  await store.drain();
  const backup = await store.writer.backup();
  return { folder, store, first, second, backup, to: join(folder, '..', 'restored') };
}

const label = (store: Store, run: string, step: number, value: 'train' | 'mask') =>
  store.writer.annotate(alice, { run, from: step, to: step }, { op: 'label', value, reason: null });

const restore = (options: { backup: string | null; from: string | null; to: string }) =>
  restoreWorkspace({ ...options, projector: createProjector() });

async function expectSound(store: Store): Promise<void> {
  await store.drain();
  const { workspace, runs } = await store.reader.verify();
  expect([...workspace, ...runs.flatMap(({ problems }) => problems)]).toEqual([]);
}

/** What people and the runs said, in a form that two workspaces can be compared by. */
async function contentOf(store: Store) {
  const runs = await store.reader.runs();
  return Promise.all(
    runs
      .map(({ id }) => id)
      .sort()
      .map(async (run) => ({
        events: await store.reader.events(run, 1, 100_000),
        heads: await store.reader.heads(run, 1, 1000),
        annotations: await store.reader.annotations(run),
        hints: await store.reader.hints(run),
      })),
  );
}

/** Every file below a folder with its bytes, to show that nothing was changed. */
function everything(folder: string): Map<string, string> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return new Map(
    files
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => !path.endsWith('-shm'))
      .map((path) => [path, readFileSync(path).toString('base64')]),
  );
}

function damage(folder: string, sql: string): void {
  const db = openDatabase(workspaceFile(folder));
  for (const table of ['event', 'annotation', 'outbox']) {
    db.exec(`DROP TRIGGER IF EXISTS ${table}_no_update; DROP TRIGGER IF EXISTS ${table}_no_delete;`);
  }
  db.exec(sql);
  db.close();
}

test('a sound workspace comes back whole, with its files, and the old one is not touched', async () => {
  const { folder, store, first, backup, to } = await livedIn();
  const before = await contentOf(store);
  await store.close();
  const files = everything(folder);
  const report = await restore({ backup, from: folder, to });
  expect(everything(folder)).toEqual(files);
  expect(report).toMatchObject({ folder: to, notes: [], people: ['Alice', 'Bob'], hints: 2, labels: 6 });
  expect(
    report.runs.map(({ state, steps, labels, hints, notes }) => [state, steps, labels, hints, notes]),
  ).toEqual([
    ['log', 3, 3, 1, []],
    ['log', 3, 3, 1, []],
  ]);
  const again = testStore(to);
  await expectSound(again);
  expect(await contentOf(again)).toEqual(before);
  expect(readFileSync(join(to, 'runs', first, 'work', 'notes.txt'), 'utf8')).toBe('first');
  await label(again, first, 2, 'train');
  await expectSound(again);
});

test('a run whose log is damaged is named; its labels wait and the other run comes back', async () => {
  const { folder, store, first, second, backup, to } = await livedIn();
  await store.close();
  damage(folder, `UPDATE event SET body = replace(body, 'echo first', 'echo FIRST') WHERE id >> 32 = 1`);
  const report = await restore({ backup, from: folder, to });
  expect(report.runs).toMatchObject([
    { id: first, title: 'A run', state: 'lost', labels: 3 },
    { id: second, title: 'A run', state: 'log', labels: 3, notes: [] },
  ]);
  expect(report.runs[0]?.notes.join(' ')).toContain('is not what was stored');
  expect(report.runs[0]?.notes.join(' ')).toContain('3 labels are set aside');
  const again = testStore(to);
  await expectSound(again);
  expect((await again.reader.runs()).map(({ id }) => id)).toEqual([second]);
  expect((await again.reader.heads(second, 1, 3)).map(({ comments }) => comments)).toEqual([0, 1, 1]);
  expect(existsSync(join(to, 'runs', first))).toBe(false);
});

test('labels that were damaged in the workspace come from the backup, and newer ones from the workspace', async () => {
  const { folder, store, first, second, backup, to } = await livedIn();
  await label(store, second, 3, 'mask');
  await store.writer.post(second, alice, {
    op: 'hint.queued',
    hint: '01HZZZZZZZZZZZZZZZZZZZZZZZ',
    text: 'later',
    category: 'other',
  });
  await store.close();
  const whole = await restore({ backup, from: folder, to });
  expect(whole).toMatchObject({ labels: 7, hints: 3 });
  damage(
    folder,
    `UPDATE annotation SET body = replace(body, '"train"', '"mask"') WHERE id = 1; DELETE FROM outbox WHERE run = 1`,
  );
  const part = await restore({ backup, from: folder, to: `${to} again` });
  expect(part).toMatchObject({ labels: 7, hints: 3 });
  // The backup has all that is damaged: there is nothing to be afraid of.
  expect(part).toMatchObject({ notes: [], complete: true });
  const again = testStore(`${to} again`);
  await expectSound(again);
  expect((await again.reader.hints(first)).hints.map(({ text }) => text)).toEqual(['try first']);
});

test('without a readable database every label and hint of the backup is kept and nothing is claimed', async () => {
  const { folder, store, first, second, backup, to } = await livedIn();
  await store.close();
  for (const [name, spoil] of [
    ['overwritten', () => writeFileSync(workspaceFile(folder), 'not a database')],
    ['truncated', () => truncateSync(workspaceFile(folder), 3000)],
  ] as const) {
    spoil();
    const report = await restore({ backup, from: folder, to: `${to} ${name}` });
    expect(report.runs.map(({ id, state, title, labels }) => [id, state, title, labels])).toEqual([
      [first, 'lost', 'A run', 3],
      [second, 'lost', 'A run', 3],
    ]);
    expect(report.runs[0]?.notes.join(' ')).toContain('1 hint is not in the new workspace');
    expect(report.notes.join(' ')).toContain('not readable as a database');
    const again = testStore(report.folder);
    await expectSound(again);
    // A copy of the run appears: what waited for it counts.
    expect(await again.reader.runs()).toEqual([]);
    await again.close();
  }
});

test('a backup alone, without its workspace, keeps labels for runs that come later', async () => {
  const { store, backup, to } = await livedIn();
  await store.close();
  const report = await restore({ backup, from: null, to });
  expect(report).toMatchObject({ from: null, labels: 6, hints: 0 });
  await expectSound(testStore(to));
});

test('a workspace without any backup gives back what it can', async () => {
  const { folder, store, to } = await livedIn();
  await store.close();
  expect((await restore({ backup: null, from: folder, to })).runs.map(({ state }) => state)).toEqual([
    'log',
    'log',
  ]);
  writeFileSync(workspaceFile(folder), 'gone');
  await expect(restore({ backup: null, from: folder, to: `${to}2` })).rejects.toMatchObject({
    code: 'workspace_corrupt',
    message: expect.stringContaining('no backup was named'),
  });
});

test('removed and purged runs stay so', async () => {
  const { folder, store, first, second, to } = await livedIn();
  await store.writer.remove(first, 'run', alice);
  await store.writer.remove(second, 'text', alice);
  const backup = await store.writer.backup();
  const before = await contentOf(store);
  await store.close();
  const report = await restore({ backup, from: folder, to });
  expect(report.runs.map(({ state }) => state)).toEqual(['removed', 'log']);
  const again = testStore(to);
  await expectSound(again);
  expect(await contentOf(again)).toEqual(before);
});

describe('nothing is ever overwritten, and a failure leaves nothing', () => {
  test.each([
    [
      'a folder with something in it',
      'already_exists',
      (to: string) => {
        mkdirSync(to);
        writeFileSync(join(to, 'mine'), '');
      },
    ],
    ['a file', 'already_exists', (to: string) => writeFileSync(to, 'mine')],
  ])('%s is refused', async (_, code, prepare) => {
    const { folder, store, backup, to } = await livedIn();
    await store.close();
    prepare(to);
    const before = readdirSync(join(to, '..'));
    await expect(restore({ backup, from: folder, to })).rejects.toMatchObject({ code });
    expect(readdirSync(join(to, '..'))).toEqual(before);
  });

  test('a folder within the damaged workspace is refused; an empty folder is taken', async () => {
    const { folder, store, backup, to } = await livedIn();
    await store.close();
    await expect(restore({ backup, from: folder, to: join(folder, 'new') })).rejects.toMatchObject({
      code: 'bad_input',
    });
    mkdirSync(to);
    expect((await restore({ backup, from: folder, to })).folder).toBe(to);
  });

  test('a backup of another workspace is refused by name', async () => {
    const [one, other] = [await livedIn(), await livedIn()];
    await one.store.close();
    await expect(restore({ backup: other.backup, from: one.folder, to: one.to })).rejects.toMatchObject({
      code: 'bad_input',
      message: expect.stringContaining('another workspace'),
    });
    expect(existsSync(one.to)).toBe(false);
  });
});

test.runIf(process.platform !== 'win32')(
  'what only has the name of a backup is listed with the reason',
  async () => {
    const { folder, store } = await livedIn();
    await store.close();
    const name = 'logs-2031-01-01T00-00-00-000Z.db';
    execFileSync('mkfifo', [join(folder, 'backups', name)]);
    expect(backupNames(folder)[0]).toBe(name);
    expect(listBackups(folder)[0]).toMatchObject({
      name,
      contents: null,
      problem: expect.stringContaining('is not a regular file'),
    });
    expect(newestBackup(folder)).toEqual({ at: 0, mark: '0 0' });
  },
);

describe('files that are no whole backup are refused with the reason', () => {
  const inPlace = (path: string, make: () => void) => {
    rmSync(path);
    make();
  };
  const spoil = (path: string, sql: string) => {
    const db = openDatabase(path);
    db.exec(sql);
    db.close();
  };
  test.each<[string, string, (path: string, folder: string) => void]>([
    ['a text file', 'bad_input', (path) => writeFileSync(path, 'hello')],
    ['a pipe', 'bad_input', (path) => inPlace(path, () => execFileSync('mkfifo', [path]))],
    ['a link to a device', 'bad_input', (path) => inPlace(path, () => symlinkSync('/dev/zero', path))],
    ['a folder', 'bad_input', (path) => inPlace(path, () => mkdirSync(path))],
    ['an empty file', 'bad_input', (path) => writeFileSync(path, '')],
    ['a truncated copy', 'workspace_corrupt', (path) => truncateSync(path, 8192)],
    ['a cut header', 'workspace_corrupt', (path) => truncateSync(path, 60)],
    ['a copy of a newer form', 'workspace_newer', (path) => spoil(path, 'PRAGMA user_version = 99')],
    ["a workspace's database", 'bad_input', (path, folder) => cpSync(workspaceFile(folder), path)],
    ['another database', 'bad_input', (path) => spoil(path, 'PRAGMA application_id = 7')],
    [
      'a changed label',
      'workspace_corrupt',
      (path) => spoil(path, `UPDATE annotation SET body = replace(body, 'train', 'mask')`),
    ],
    [
      'a body that is no JSON',
      'workspace_corrupt',
      (path) => spoil(path, `UPDATE annotation SET body = '{'`),
    ],
    [
      'a hash that is a number',
      'workspace_corrupt',
      (path) =>
        spoil(
          path,
          `CREATE TABLE x AS SELECT * FROM outbox; DROP TABLE outbox; ALTER TABLE x RENAME TO outbox; UPDATE outbox SET hash = 3`,
        ),
    ],
    [
      'a view that never ends in place of a table',
      'bad_input',
      (path) =>
        spoil(
          path,
          `DROP TABLE outbox; CREATE VIEW outbox AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n)
           SELECT id, '' AS ulid, 1 AS run, 0 AS purged, '' AS body, x'' AS hash FROM n`,
        ),
    ],
    [
      'a table with a trigger',
      'bad_input',
      (path) => spoil(path, 'CREATE TRIGGER t AFTER INSERT ON run BEGIN SELECT 1; END'),
    ],
  ])('%s', async (_, code, make) => {
    const { folder, store, backup, to } = await livedIn();
    await store.close();
    make(backup, folder);
    await expect(restore({ backup, from: folder, to })).rejects.toMatchObject({ code });
    expect(existsSync(to)).toBe(false);
  });

  test('a file that is not there', async () => {
    const { folder, store, to } = await livedIn();
    await store.close();
    await expect(restore({ backup: join(folder, 'none.db'), from: folder, to })).rejects.toMatchObject({
      code: 'not_found',
    });
  });
});

test.each([
  [
    'the first form, without titles and settings',
    'ALTER TABLE run DROP COLUMN title; DROP TABLE rule_setting; DROP TABLE rubric_setting; DROP TABLE summary_rubric; PRAGMA user_version = 0; PRAGMA application_id = 0',
  ],
  [
    'the second form, without rubrics',
    'DROP TABLE rubric_setting; DROP TABLE summary_rubric; PRAGMA user_version = 2',
  ],
  ['the third form, without rubrics for summaries', 'DROP TABLE summary_rubric; PRAGMA user_version = 3'],
])('copies of %s are read', async (_form, change) => {
  const { folder, store, backup, to } = await livedIn();
  await store.close();
  const db = openDatabase(backup);
  db.exec(change);
  db.close();
  expect((await restore({ backup, from: folder, to })).runs.map(({ state }) => state)).toEqual([
    'log',
    'log',
  ]);
});

test('whatever a run holds comes back the same', async () => {
  for (const life of fc.sample(deeds, { numRuns: 10, seed: 5 })) {
    const folder = join(temporaryFolder(), 'workspace');
    const store = testStore(folder);
    await liveThrough(store, life);
    await store.drain();
    const before = await contentOf(store);
    const backup = await store.writer.backup();
    await store.close();
    const to = `${folder} restored`;
    await restore({ backup, from: folder, to });
    const again = testStore(to);
    await expectSound(again);
    expect(await contentOf(again)).toEqual(before);
    await again.close();
  }
});

/** Repeatable numbers, so that a failing copy can be made again. */
function generator(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

test('whatever is damaged, what comes back is whole and what does not is named', async () => {
  const { folder, store, backup, to } = await livedIn();
  await store.close();
  const random = generator(3);
  const sound = readFileSync(workspaceFile(folder));
  let back = 0;
  for (let copy = 0; copy < COPIES; copy += 1) {
    const bytes = Buffer.from(sound);
    for (let spot = 0; spot <= copy % 4; spot += 1) {
      const at = random(bytes.length / 4096) * 4096;
      if (copy % 2 === 0) bytes.fill(0, at, at + 4096);
      else for (let byte = 0; byte < 64; byte += 1) bytes[at + random(4096)] = random(256);
    }
    writeFileSync(workspaceFile(folder), bytes);
    const target = `${to}-${copy}`;
    const report = await restore({ backup, from: folder, to: target });
    expect(report.runs).toHaveLength(2);
    for (const { state, notes } of report.runs) expect(state === 'log' || notes.length > 0).toBe(true);
    expect(report.labels).toBe(6);
    back += report.runs.filter(({ state }) => state === 'log').length;
    rmSync(target, { recursive: true });
  }
  expect(back).toBeGreaterThan(0);
}, 300_000);
