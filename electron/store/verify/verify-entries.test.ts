import { join } from 'node:path';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from '../restore/restore-workspace';

/** A run with two labels by one device, and what somebody does to the file behind the store's back. */
async function tampered(
  sql: readonly string[],
  before: 'nothing' | 'text' | 'run' = 'nothing',
): Promise<{ what: string; where: string }[]> {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('true', '', { exitCode: 0 });
  await writer.command('true', '', { exitCode: 0 });
  for (const step of [1, 2])
    await store.writer.annotate(
      alice,
      { run, from: step, to: step },
      { op: 'label', value: 'train', reason: null },
    );
  if (before !== 'nothing') await store.writer.remove(run, before, alice);
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  for (const line of sql) db.exec(line);
  db.close();
  const again = testStore(folder);
  const { workspace } = await again.reader.verify();
  return workspace.map(({ what, where }) => ({ what, where }));
}

const noTrigger = 'DROP TRIGGER annotation_no_update';
const label = "UPDATE annotation SET purged = 1, body = '' WHERE device_seq =";
const found = (seq: number) =>
  expect.objectContaining({ what: 'annotation_purged', where: expect.stringMatching(` ${seq}$`) });

test('labels that went with their run are no problem, and labels outlive the texts of their run', async () => {
  expect(await tampered([], 'run')).toEqual([]);
  expect(await tampered([], 'text')).toEqual([]);
});

test.each([1, 2])('label %i that somebody emptied, as if it had been purged, is found', async (seq) => {
  expect(await tampered([noTrigger, `${label} ${seq}`])).toContainEqual(found(seq));
});

test('also where the texts of the run were purged: that empties no label', async () => {
  expect(await tampered([`${label} 1`, 'DELETE FROM mark'], 'text')).toContainEqual(found(1));
});

test('an emptied label that was given words is found, and so is one with another link', async () => {
  expect(await tampered(["UPDATE annotation SET body = '{}' WHERE device_seq = 1"], 'run')).toContainEqual(
    found(1),
  );
  const link = 'UPDATE annotation SET hash = zeroblob(32) WHERE device_seq = 2';
  expect(await tampered([link], 'run')).not.toEqual([]);
});

test.each<[string, string]>([
  ['words', "UPDATE outbox SET purged = 1, body = '' WHERE id = 1"],
  ['the last words', "UPDATE outbox SET purged = 1, body = '' WHERE id = 2"],
  ['words, marked in another way', "UPDATE outbox SET purged = 2, body = '' WHERE id = 1"],
])('an entry of the outbox that somebody emptied, %s, is found; restoring says that it is lost', async (_, sql) => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  await new RunWriter(store, run).start();
  for (const text of ['one', 'two'])
    await store.writer.post(run, alice, { op: 'hint.queued', hint: ulid(), text, category: 'other' });
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  db.exec(`DROP TRIGGER outbox_no_update; ${sql}`);
  db.close();
  const problems = async (from: string) => {
    const opened = testStore(from);
    const { workspace } = await opened.reader.verify();
    await opened.close();
    return workspace.map(({ what }) => what);
  };
  expect(await problems(folder)).toContain('outbox_purged');
  const to = join(temporaryFolder(), 'restored');
  const report = await restoreWorkspace({ backup: null, from: folder, to, projector: createProjector() });
  expect(report.runs[0]?.notes.join(' ')).toContain('1 hint or request could not be restored');
  expect(await problems(to)).toEqual([]);
  // What was lost stays lost, and is not counted twice.
  const again = join(temporaryFolder(), 'again');
  const second = await restoreWorkspace({ backup: null, from: to, to: again, projector: createProjector() });
  expect(second.runs[0]?.notes).toEqual([]);
  expect(await problems(again)).toEqual([]);
});

test('entries of the outbox that went with their run are no problem, and none that were given words', async () => {
  const hint = (store: ReturnType<typeof testStore>, run: string) =>
    store.writer.post(run, alice, { op: 'hint.queued', hint: ulid(), text: 'one', category: 'other' });
  for (const [sql, found] of [
    ['SELECT 1', []],
    [`UPDATE outbox SET body = '{"body":{}}'`, ['outbox_purged']],
  ] as const) {
    const folder = temporaryFolder();
    const store = testStore(folder);
    const run = await createRun(store);
    await new RunWriter(store, run).start();
    await hint(store, run);
    await store.writer.remove(run, 'run', alice);
    await store.close();
    const db = openDatabase(workspaceFile(folder));
    db.exec(sql);
    db.close();
    const { workspace } = await testStore(folder).reader.verify();
    expect(workspace.map(({ what }) => what)).toEqual(found);
  }
});

test('a purge of texts takes every word out of the outbox, a reason among them; words put there again are found', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  await new RunWriter(store, run).start();
  const approval = ulid();
  await store.writer.post(run, alice, { op: 'hint.queued', hint: ulid(), text: 'words', category: 'other' });
  await store.writer.post(run, alice, {
    op: 'approval.decided',
    approval,
    decision: 'deny',
    reason: 'words',
  });
  await store.writer.remove(run, 'text', alice);
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  expect(JSON.stringify(db.prepare('SELECT body FROM outbox').all())).not.toContain('words');
  db.close();
  const found = async (sql: string) => {
    const damaged = openDatabase(workspaceFile(folder));
    damaged.exec(sql);
    damaged.close();
    const opened = testStore(folder);
    const { workspace } = await opened.reader.verify();
    await opened.close();
    return workspace.map(({ what, where }) => `${what} ${where}`);
  };
  expect(await found('SELECT 1')).toEqual([]);
  expect(
    await found("UPDATE outbox SET body = json_set(body, '$.body.reason', 'forged') WHERE id = 2"),
  ).toEqual(['outbox_purged outbox 2']);
  expect(await found("UPDATE outbox SET body = '' WHERE id = 1")).toContain('outbox_purged outbox 1');
});
