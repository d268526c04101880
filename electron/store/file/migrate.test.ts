import { readdirSync, readFileSync, renameSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { vote } from '@shared/log/annotation-fixtures';
import { judgeAuthor } from '@shared/log/annotations';
import { expect, test } from 'vitest';
import { begunBatch } from '../../testing/begun-batch';
import { partFiles } from '../../testing/part-files';
import { createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { rowSum } from '../log/hashing';
import { type Db, type Migration, openDatabase } from './database';
import { migrate, migrations, readVersion } from './migrate';
import { isFromElsewhere, openForWriting, workspaceFile } from './workspace-file';

const next: Migration = {
  version: migrations.length + 1,
  name: 'next',
  sql: 'CREATE TABLE extra (id INTEGER PRIMARY KEY) STRICT;',
};
const broken: Migration = {
  version: migrations.length + 1,
  name: 'broken',
  sql: 'CREATE TABLE half (id INTEGER); CREATE TABLE half (id INTEGER);',
};

test('migrations count from 1 without gaps', () => {
  expect(migrations.map(({ version }) => version)).toEqual(migrations.map((_, index) => index + 1));
});

test('migration 1 makes logs that refuse change', () => {
  const db = openDatabase('');
  expect(migrate(db, migrations.slice(0, 1))).toEqual({ from: 0, to: 1 });
  db.exec("INSERT INTO run (id, ulid, created_at) VALUES (1, 'r', 0)");
  db.exec(
    `INSERT INTO event (id, version, kind, at, epoch, body, hash) VALUES (${2 ** 32 + 1}, 1, 'x', 0, 0, '{}', zeroblob(32))`,
  );
  db.exec("INSERT INTO outbox (ulid, run, body, hash) VALUES ('o', 1, '{}', zeroblob(32))");
  db.exec(
    "INSERT INTO annotation (ulid, run, author, op, device, device_seq, body, hash) VALUES ('a', 1, 'x', 'label', 'd', 1, '{}', zeroblob(32))",
  );
  for (const table of ['event', 'outbox', 'annotation']) {
    expect(() => db.exec(`UPDATE ${table} SET body = 'forged'`)).toThrow('append-only');
    expect(() => db.exec(`DELETE FROM ${table}`)).toThrow('append-only');
  }
  // A tombstone of the run opens the event log to removal, and never the annotation log.
  db.exec(
    "INSERT INTO tombstone (run, mode, at, author, counts, head, sum) VALUES (1, 'run', 0, 'x', '{}', zeroblob(32), zeroblob(8))",
  );
  expect(() => db.exec('DELETE FROM annotation')).toThrow('append-only');
  expect(() => db.exec('DELETE FROM tombstone')).toThrow('a tombstone stays');
  db.exec('DELETE FROM event');
  db.close();
});

test('migration 2 keeps hints that wait and lets them be delivered at the next step', () => {
  const db = openDatabase('');
  migrate(db, migrations.slice(0, 1));
  db.exec(
    "INSERT INTO hint (run, ulid, number, text, category, state, author, queued_at, position) VALUES (1, 'h', 1, 'Look', 'other', 'queued', 'A', 5, 1)",
  );
  expect(migrate(db, migrations.slice(0, 2))).toEqual({ from: 1, to: 2 });
  expect(db.prepare('SELECT text, deliver, due FROM hint').all()).toEqual([
    { text: 'Look', deliver: '{"when":"next_step"}', due: null },
  ]);
  expect(() => db.exec("INSERT INTO seen (run, author, seq, at) VALUES (1, 'x', 1, 2)")).not.toThrow();
  db.close();
});

test('migration 3 keeps heads and segments of earlier runs, which are folded anew later', () => {
  const db = openDatabase('');
  migrate(db, migrations.slice(0, 2));
  db.exec(
    `INSERT INTO step_head (id, seq0, seq1, at, ulid, segment, kind, tool, title, observation, bytes, flags, marks, guards)
     VALUES (1, 1, 2, 0, 'u', 1, 'act', 'run_command', 't', 'o', 2, 0, 3, '[]')`,
  );
  db.exec('INSERT INTO segment (id, segment) VALUES (1, 1)');
  db.exec('INSERT INTO label_work (run, next, last) VALUES (1, 2, 3)');
  expect(migrate(db, migrations.slice(0, 3))).toEqual({ from: 2, to: 3 });
  expect(db.prepare('SELECT tool, computer, judge, decided FROM step_head').all()).toEqual([
    { tool: 'run_command', computer: '', judge: null, decided: '[]' },
  ]);
  expect(db.prepare('SELECT segment, first_step, carried_from FROM segment').all()).toEqual([
    { segment: 1, first_step: 0, carried_from: null },
  ]);
  expect(db.prepare('SELECT next, parts FROM label_work').all()).toEqual([{ next: 2, parts: null }]);
  db.close();
});

function undoRubrics(db: Db): void {
  db.exec('DROP TABLE summary_rubric');
  db.exec('DROP TABLE judge_stop');
  for (const table of ['rubric_setting', 'judge_trial']) db.exec(`DROP TABLE ${table}`);
}

function undoLast(db: Db): void {
  undoRubrics(db);
  db.exec('DROP TABLE look');
  for (const table of ['judge_batch', 'judge_answer']) db.exec(`DROP TABLE ${table}`);
  db.exec('DROP TABLE annotation_end');
}

function undoLastThree(db: Db): void {
  undoLast(db);
  db.exec('DROP TABLE restore_loss');
  for (const table of ['run', 'outbox', 'annotation', 'kept_annotation'])
    db.exec(`DROP TRIGGER ${table}_id_checked`);
  db.exec('DROP TRIGGER run_keeps_id');
}

test('migration 4: a session that an earlier version wrote is whole, and goes on in a file of its own', async () => {
  const folder = temporaryFolder();
  const before = testStore(folder);
  const run = await createRun(before);
  const chunk = (offset: number, text: string) => ({
    offset,
    bytes: Buffer.from(text),
    receivedAt: 5,
    hostAt: null,
  });
  await before.writer.sessionBytes(run, 1, 'main', chunk(0, 'written by an earlier version'));
  await before.close();
  const [file = ''] = partFiles(folder, run, 'main', 0);
  renameSync(file, join(dirname(file), '0.log'));
  const db = openDatabase(workspaceFile(folder));
  for (const table of ['session_log', 'session_part']) db.exec(`ALTER TABLE ${table} DROP COLUMN file`);
  db.exec('ALTER TABLE session_log DROP COLUMN epoch');
  db.exec('DROP TABLE gesture');
  undoLastThree(db);
  const id = db.prepare('SELECT id FROM run').pluck().get() as number;
  db.prepare('UPDATE session_log SET sum = ?').run(rowSum(id, 'main', 29, 5));
  db.pragma('user_version = 3');
  db.close();
  const after = testStore(folder);
  expect(await after.reader.verify()).toMatchObject({ ok: true, runs: [{ problems: [] }] });
  await after.writer.sessionBytes(run, 1, 'main', chunk(29, ', and by this one'));
  const { bytes } = await after.reader.readSession(run, 'main', 0, 1000);
  expect(Buffer.from(bytes).toString()).toBe('written by an earlier version, and by this one');
  expect(readdirSync(dirname(file))).toHaveLength(2);
  expect(await after.reader.verify()).toMatchObject({ ok: true, runs: [{ problems: [] }] });
});

test('migration 5 leaves the entries of earlier applications gestures of their own', () => {
  const db = openDatabase('');
  migrate(db, migrations.slice(0, 4));
  db.exec("INSERT INTO run (id, ulid, created_at) VALUES (1, 'r', 0)");
  db.exec(
    "INSERT INTO annotation (ulid, run, author, op, device, device_seq, body, hash) VALUES ('a', 1, 'x', 'label', 'd', 1, '{}', zeroblob(32))",
  );
  expect(migrate(db, migrations.slice(0, 5))).toEqual({ from: 4, to: 5 });
  expect(db.prepare('SELECT ulid FROM annotation').all()).toEqual([{ ulid: 'a' }]);
  expect(db.prepare('SELECT count(*) AS n FROM gesture').get()).toEqual({ n: 0 });
  db.close();
});

test('a migration that fails leaves the file as it was', () => {
  const db = openDatabase('');
  migrate(db);
  expect(() => migrate(db, [...migrations, broken])).toThrow('already exists');
  expect(readVersion(db)).toBe(migrations.length);
  expect(db.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE name = 'half'").get()).toEqual({ n: 0 });
  expect(migrate(db, [...migrations, next])).toEqual({ from: migrations.length, to: next.version });
  db.close();
});

test('migration 6: a run that an earlier version kept under no id is set aside, and the others go on', async () => {
  const folder = temporaryFolder();
  const before = testStore(folder);
  const run = await createRun(before);
  await new RunWriter(before, run).start();
  await before.close();
  const db = openDatabase(workspaceFile(folder));
  undoLastThree(db);
  db.exec("INSERT INTO run (id, ulid, created_at) VALUES (9, '..........................', 0)");
  db.exec(
    'INSERT INTO run_head SELECT 9, seq, hash, epoch, changed_at, rule_version, rule_seq, facts, state, precedence FROM run_head',
  );
  db.pragma('user_version = 5');
  db.close();
  const after = testStore(folder);
  expect((await after.reader.runs()).map(({ id }) => id)).toEqual([run]);
  expect((await after.reader.verify()).workspace).toEqual([expect.objectContaining({ what: 'run_id' })]);
  await after.close();
});

test('migration 7: a workspace of before is whole, and no terminal of it lost anything', async () => {
  const folder = temporaryFolder();
  const before = testStore(folder);
  const run = await createRun(before);
  await before.writer.sessionBytes(run, 1, 'main', {
    offset: 0,
    bytes: Buffer.from('printed'),
    receivedAt: 5,
    hostAt: null,
  });
  await before.close();
  const db = openDatabase(workspaceFile(folder));
  undoLast(db);
  db.exec('DROP TABLE restore_loss');
  db.pragma('user_version = 6');
  db.close();
  const report = await testStore(folder).reader.verify();
  expect(report).toMatchObject({ ok: true, workspace: [], runs: [{ id: run, problems: [] }] });
  expect(report.runs[0]?.known).toBeUndefined();
});

test('migration 8 notes where the annotation log of each device ends, entries that are kept aside included', () => {
  const db = openDatabase('');
  migrate(db, migrations.slice(0, 5));
  const hash = (n: number) => `x'${String(n).padStart(64, '0')}'`;
  db.exec("INSERT INTO run (id, ulid, created_at) VALUES (1, 'r', 0)");
  const add = (device: string, seq: number) =>
    db.exec(
      `INSERT INTO annotation (ulid, run, author, op, device, device_seq, body, hash) VALUES ('${device}${seq}', 1, 'x', 'label', '${device}', ${seq}, '{}', ${hash(seq)})`,
    );
  add('one', 1);
  add('one', 2);
  add('other', 1);
  db.exec(
    `INSERT INTO kept_annotation (device, device_seq, ulid, run, body, hash) VALUES ('other', 2, 'k', 'r', '{}', ${hash(7)})`,
  );
  expect(migrate(db)).toEqual({ from: 5, to: migrations.length });
  expect(db.prepare('SELECT device, seq, hex(hash) AS hash FROM annotation_end').all()).toEqual([
    { device: 'one', seq: 2, hash: '2'.padStart(64, '0') },
    { device: 'other', seq: 2, hash: '7'.padStart(64, '0') },
  ]);
  expect(() => db.exec('DELETE FROM annotation_end')).toThrow('the end of a log stays');
  expect(() => db.exec('UPDATE annotation_end SET seq = 1')).toThrow('the end of a log stays');
  db.close();
});

test('migration 9: a workspace of before has no batches, keeps its votes, and takes batches from then on', async () => {
  const folder = temporaryFolder();
  const before = testStore(folder);
  const writer = new RunWriter(before, await createRun(before));
  await writer.start();
  await writer.command('make', 'done', { exitCode: 0 });
  const target = { run: writer.run, from: 1, to: 1 };
  await before.writer.annotate(judgeAuthor('strict'), target, vote('mask'));
  await before.close();
  const db = openDatabase(workspaceFile(folder));
  undoRubrics(db);
  for (const table of ['judge_batch', 'judge_answer', 'look']) db.exec(`DROP TABLE ${table}`);
  db.pragma('user_version = 8');
  db.close();
  const after = testStore(folder);
  expect(await after.reader.judgeBatches(100)).toEqual([]);
  expect((await after.reader.step(writer.run, 1)).labels.judges).toMatchObject([{ value: 'mask' }]);
  const { model } = createdBody(writer.run);
  const rubric = { text: 'Keep.', isOwn: true, version: 'steps@1' };
  const rubrics = { steps: rubric, summaries: rubric };
  const { id } = await begunBatch(after, { name: 'strict', model, rubrics });
  expect(await after.reader.judgeBatches(100)).toMatchObject([{ id, end: null, counts: { votes: 0 } }]);
  expect(await after.reader.verify()).toMatchObject({ ok: true });
  await after.close();
});

test('migration 10: nobody has watched the runs of before, and looks are kept from then on', async () => {
  const folder = temporaryFolder();
  const before = testStore(folder);
  const run = await createRun(before);
  await before.close();
  const db = openDatabase(workspaceFile(folder));
  undoRubrics(db);
  db.exec('DROP TABLE look');
  db.pragma('user_version = 9');
  db.close();
  const after = testStore(folder);
  await after.writer.look(run, 'somebody', { at: 1, ms: 5 });
  await after.close();
  const read = openDatabase(workspaceFile(folder));
  expect(read.prepare('SELECT author, at, ms FROM look').all()).toEqual([
    { author: 'somebody', at: 1, ms: 5 },
  ]);
  read.close();
});

test('migration 11: a workspace of before keeps no rubric, keeps its batches, and takes rubrics from then on', async () => {
  const folder = temporaryFolder();
  const before = testStore(folder);
  const run = await createRun(before);
  const rubric = { text: 'Keep.', isOwn: true, version: 'steps@1' };
  const rubrics = { steps: rubric, summaries: rubric };
  const { id } = await begunBatch(before, { name: 'strict', model: createdBody(run).model, rubrics });
  await before.close();
  const db = openDatabase(workspaceFile(folder));
  undoRubrics(db);
  db.pragma('user_version = 10');
  db.close();
  const after = testStore(folder);
  expect(await after.reader.rubric('demo', 'steps')).toBeNull();
  expect(await after.reader.judgeBatch(id)).toMatchObject({ choices: { mode: 'mask', rubrics } });
  await after.writer.keepRubric({ task: 'demo', kind: 'steps', text: 'Keep what helps.', author: 'Alice' });
  expect(await after.reader.rubric('demo', 'steps')).toMatchObject({ text: 'Keep what helps.' });
  expect(await after.reader.verify()).toMatchObject({ ok: true });
});

test('migration 12: nobody asked a batch of before to stop, and whoever works on it can be asked from then on', async () => {
  const folder = temporaryFolder();
  const before = testStore(folder);
  const run = await createRun(before);
  const rubric = { text: 'Keep.', isOwn: true, version: 'steps@1' };
  const rubrics = { steps: rubric, summaries: rubric };
  const held = await begunBatch(before, { name: 'strict', model: createdBody(run).model, rubrics });
  await before.close();
  const db = openDatabase(workspaceFile(folder));
  db.exec('DROP TABLE summary_rubric');
  db.exec('DROP TABLE judge_stop');
  db.pragma('user_version = 11');
  db.close();
  const after = testStore(folder);
  expect(await after.reader.judgeBatch(held.id)).toMatchObject({ end: null, isStopping: false });
  await after.writer.stopBatch(held.id);
  expect(await after.reader.stopAsked(held)).toBe(true);
  expect(await after.reader.verify()).toMatchObject({ ok: true });
});

test('migration 13: rubrics for steps stay, and there is room for those for summaries', async () => {
  const folder = temporaryFolder();
  const before = testStore(folder);
  const steps = { task: 'demo', kind: 'steps' as const, text: 'Keep what helps.' };
  await before.writer.keepRubric({ ...steps, author: 'Alice' });
  await before.close();
  const db = openDatabase(workspaceFile(folder));
  db.exec('DROP TABLE summary_rubric');
  db.pragma('user_version = 12');
  db.close();
  const after = testStore(folder);
  expect(await after.reader.rubricsOf(['demo'])).toMatchObject([steps]);
  const summaries = { task: 'demo', kind: 'summaries' as const, text: 'Keep what is whole.' };
  await after.writer.keepRubric({ ...summaries, author: 'Alice' });
  expect(await after.reader.rubricsOf(['demo'])).toMatchObject([steps, summaries]);
  expect(await after.reader.verify()).toMatchObject({ ok: true });
});

test('an older application refuses a newer workspace and leaves every byte as it was', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  await new RunWriter(store, run).start();
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  migrate(db, [...migrations, next]);
  db.pragma('wal_checkpoint(TRUNCATE)');
  db.close();
  const before = readFileSync(workspaceFile(folder));
  const files = readdirSync(folder).sort();
  expect(isFromElsewhere(folder, { device: 'another machine' })).toBe(false);
  expect(() => openForWriting(folder)).toThrowError(expect.objectContaining({ code: 'workspace_newer' }));
  expect(readFileSync(workspaceFile(folder)).equals(before)).toBe(true);
  expect(readdirSync(folder).sort()).toEqual(files);
});

test('a database that is not a workspace is refused untouched', () => {
  const folder = temporaryFolder();
  const db = openDatabase(join(folder, 'workspace.db'));
  db.exec('CREATE TABLE mine (id INTEGER)');
  db.close();
  const before = readFileSync(workspaceFile(folder));
  expect(() => openForWriting(folder)).toThrow('not a Waymark workspace');
  expect(readFileSync(workspaceFile(folder)).equals(before)).toBe(true);
});
