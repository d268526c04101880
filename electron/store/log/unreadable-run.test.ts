import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { contextAfter } from '../../branches/branch-context';
import { loadRun } from '../../runs/drive/load-run';
import { eventually } from '../../testing/deadline';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import type { StoreNotice } from '../notices';
import { type EventRow, eventHash } from './event-codec';
import { FOLD_VERSION } from './run-state';

async function drivenRun(store: Store, word: string): Promise<string> {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command(`echo ${word}`, `${word} was said`, { exitCode: 0 });
  await writer.command(`sleep 1`, 'slept', { exitCode: 0 });
  return run;
}

function change(folder: string, ...statements: string[]): void {
  const db = openDatabase(workspaceFile(folder));
  for (const sql of statements) db.exec(sql);
  db.close();
}

const numberOf = (run: string) => `(SELECT id FROM run WHERE ulid = '${run}')`;

/** What another process of a newer version may append, or what a damaged disk makes of an event. */
function appendUnreadable(folder: string, run: string, { version = 1, kind = 'run.status' } = {}): void {
  const head = `(SELECT seq FROM run_head WHERE run = ${numberOf(run)})`;
  change(
    folder,
    `INSERT INTO event (id, version, kind, at, epoch, body, hash)
     VALUES (${numberOf(run)} * 4294967296 + ${head} + 1, ${version}, '${kind}', 1, 1, '{}', zeroblob(32))`,
    `UPDATE run_head SET seq = seq + 1 WHERE run = ${numberOf(run)}`,
  );
}

/** An event that was readable when it was stored. */
function damage(folder: string, run: string): void {
  change(
    folder,
    'DROP TRIGGER event_no_update',
    `UPDATE event SET body = '{"damaged' WHERE id = ${numberOf(run)} * 4294967296 + 5`,
  );
}

/** Events that are no longer there. */
function lose(folder: string, run: string, ...seqs: number[]): void {
  const ids = seqs.map((seq) => `${numberOf(run)} * 4294967296 + ${seq}`);
  change(folder, 'DROP TRIGGER event_no_delete', `DELETE FROM event WHERE id IN (${ids.join()})`);
}

function heardBy(store: Store): StoreNotice[] {
  const heard: StoreNotice[] = [];
  store.subscribe((notice) => heard.push(notice));
  return heard;
}

/** A closed workspace with three runs, of which the one in the middle cannot be read. */
async function oneDamaged(): Promise<{ folder: string; before: string; broken: string; after: string }> {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const before = await drivenRun(store, 'one');
  const broken = await drivenRun(store, 'two');
  const after = await drivenRun(store, 'three');
  await store.close();
  damage(folder, broken);
  return { folder, before, broken, after };
}

test('an event that cannot be read is said once, by its run, and everything else of other processes is heard', async () => {
  const folder = temporaryFolder();
  const window = testStore(folder);
  const broken = await drivenRun(window, 'one');
  const newer = await drivenRun(window, 'two');
  const unheardOf = await drivenRun(window, 'three');
  const sound = await drivenRun(window, 'four');
  const cli = testStore(folder);
  const heard = heardBy(window);
  const said = (kind: StoreNotice['kind'], run: string) =>
    heard.filter((notice) => notice.kind === kind && 'run' in notice && notice.run === run);
  appendUnreadable(folder, broken);
  await eventually('the broken run is named', () => said('unreadable', broken).length > 0);
  await eventually('it is heard of', () => said('run', broken).length > 0);
  expect(said('run', broken)).toMatchObject([{ events: null }]);
  appendUnreadable(folder, newer, { version: 99 });
  await eventually('the newer run is named', () => said('unreadable', newer).length > 0);
  appendUnreadable(folder, unheardOf, { kind: 'dream.dreamt' });
  await eventually('the run with an unknown kind is named', () => said('unreadable', unheardOf).length > 0);
  appendUnreadable(folder, broken);
  await cli.writer.post(sound, alice, { op: 'run.pause', mode: 'now' });
  await cli.writer.post(sound, alice, { op: 'hint.queued', hint: ulid(), text: 'Stop', category: 'other' });
  await cli.writer.annotate(
    alice,
    { run: sound, from: 1, to: 1 },
    { op: 'label', value: 'mask', reason: null },
  );
  await cli.writer.append(sound, 2, [
    { kind: 'run.status', body: { status: 'paused', reason: 'asked', message: 'By hand' } },
  ]);
  await eventually('the pause and the hint are heard', () => said('outbox', sound).length === 2);
  await eventually('the label is heard', () => said('labels', sound).length > 0);
  await eventually('the new status is heard', () => said('run', sound).length > 0);
  expect(said('unreadable', broken)).toMatchObject([
    { code: 'workspace_corrupt', message: expect.stringMatching(new RegExp(`${broken}.*verify`)) },
  ]);
  for (const run of [newer, unheardOf]) {
    expect(said('unreadable', run)).toMatchObject([
      { code: 'workspace_newer', message: expect.stringMatching(new RegExp(`${run}.*Update Waymark`)) },
    ]);
  }
  expect(heardBy(window).filter(({ kind }) => kind === 'problem')).toEqual([]);
});

test('whoever subscribes later hears which runs cannot be read', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const broken = await drivenRun(store, 'one');
  testStore(folder);
  const heard = heardBy(store);
  appendUnreadable(folder, broken);
  await eventually('the broken run is named', () => heard.some(({ kind }) => kind === 'unreadable'));
  const late = heardBy(store);
  await eventually('it is named again', () => late.some(({ kind }) => kind === 'unreadable'));
});

test('a workspace of an older version opens although one of its runs cannot be read, and the others are brought up to date', async () => {
  const { folder, before, broken, after } = await oneDamaged();
  change(
    folder,
    `UPDATE run_head SET state = json_set(state, '$.version', 3)`,
    "UPDATE step_head SET title = 'old'",
  );
  const store = testStore(folder);
  const heard = heardBy(store);
  await store.drain();
  for (const run of [before, after]) {
    expect((await store.reader.heads(run, 1, 1))[0]?.title).not.toBe('old');
    const status = { status: 'paused' as const, reason: 'asked', message: 'By hand' };
    await store.writer.append(run, 2, [{ kind: 'run.status', body: status }]);
  }
  const refused = store.writer.append(broken, 2, [
    { kind: 'run.status', body: { status: 'paused', reason: 'asked', message: 'By hand' } },
  ]);
  await expect(refused).rejects.toMatchObject({
    code: 'workspace_corrupt',
    message: expect.stringContaining(broken),
  });
  await eventually('the broken run is named', () =>
    heard.some((each) => each.kind === 'unreadable' && each.run === broken),
  );
});

test('search, rules and the inbox go on with the other runs', async () => {
  const { folder, before, after } = await oneDamaged();
  change(folder, 'UPDATE run_head SET rule_version = NULL, rule_seq = 0', 'DELETE FROM rule_mark');
  const store = testStore(folder);
  await store.writer.rebuildSearch();
  await store.drain();
  expect(await store.reader.stepsMatching(before, 'one')).toEqual([1]);
  expect(await store.reader.stepsMatching(after, 'three')).toEqual([1]);
  const list = await store.reader.attentionList(alice.uuid);
  expect(list.map(({ run }) => run)).toEqual(expect.arrayContaining([before, after]));
  const report = await store.reader.verify([before, after]);
  expect(report.runs.flatMap(({ problems }) => problems)).toEqual([]);
});

test('a log with a gap is refused as one with an unreadable event is: the gap and the next step are named', async () => {
  const folder = temporaryFolder();
  const first = testStore(folder);
  const run = await drivenRun(first, 'one');
  const other = await drivenRun(first, 'two');
  const { seq } = await first.reader.run(other);
  await first.close();
  lose(folder, run, 8);
  change(
    folder,
    `DELETE FROM event WHERE id BETWEEN ${numberOf(other)} * 4294967296 + ${seq - 1} AND ${numberOf(other)} * 4294967296 + ${seq}`,
  );
  const store = testStore(folder);
  const refused = {
    code: 'workspace_corrupt',
    message: `Event 8 of run ${run} is missing. Run "verify" to see what is damaged, "restore" to copy what is intact to a new folder, or "run remove" to give the run up.`,
  };
  expect(await store.reader.events(run, 1, 7)).toHaveLength(7);
  await expect(store.reader.events(run, 1, 8)).rejects.toMatchObject(refused);
  await expect(store.reader.events(run, 8, 100)).rejects.toMatchObject(refused);
  await expect(loadRun(store.reader, run, () => undefined)).rejects.toMatchObject(refused);
  await expect(contextAfter(store.reader, run, 1)).rejects.toMatchObject(refused);
  await expect(store.reader.events(other, 1, 100)).rejects.toMatchObject({
    code: 'workspace_corrupt',
    message: expect.stringContaining(`Events ${seq - 1} to ${seq} of run ${other} are missing.`),
  });
});

test('nothing is derived from a log with a gap, and what is kept stays as it is', async () => {
  const folder = temporaryFolder();
  const first = testStore(folder);
  const run = await drivenRun(first, 'one');
  const kept = await first.reader.heads(run, 1, 2);
  await first.close();
  lose(folder, run, 8);
  const store = testStore(folder);
  await expect(store.writer.rebuild(run)).rejects.toMatchObject({
    code: 'workspace_corrupt',
    message: expect.stringContaining(`Event 8 of run ${run} is missing.`),
  });
  expect(await store.reader.heads(run, 1, 2)).toEqual(kept);
  await store.close();
  change(folder, `UPDATE run_head SET state = json_set(state, '$.version', 3)`);
  const second = testStore(folder);
  await second.drain();
  expect(await second.reader.heads(run, 1, 2)).toEqual(kept);
});

test('texts of a run that cannot be read are not half purged, and the whole run can be removed', async () => {
  const folder = temporaryFolder();
  const first = testStore(folder);
  const run = await drivenRun(first, 'one');
  const { seq } = await first.reader.run(run);
  await first.close();
  damage(folder, run);
  change(folder, `UPDATE run_head SET state = json_set(state, '$.version', 3)`);
  const store = testStore(folder);
  await store.drain();
  await expect(store.writer.remove(run, 'text', alice)).rejects.toBeDefined();
  await store.close();
  change(folder, `UPDATE run_head SET state = json_set(state, '$.version', ${FOLD_VERSION})`);
  const second = testStore(folder);
  await expect(second.writer.remove(run, 'text', alice)).rejects.toMatchObject({
    code: 'refused',
    message: expect.stringMatching(new RegExp(`${run} cannot be purged.*"run remove"`)),
    detail: expect.stringContaining('Event 5 of run'),
  });
  expect(await second.reader.run(run)).toMatchObject({ seq });
  await second.close();
  change(folder, `UPDATE run_head SET state = json_set(state, '$.version', 3)`);
  const third = testStore(folder);
  await third.drain();
  await third.writer.remove(run, 'run', alice);
  expect(await third.reader.runs()).toEqual([]);
  const report = await third.reader.verify();
  expect(report.runs.flatMap(({ problems }) => problems)).toEqual([]);
});

/** What a newer version appends, by this one's rules of the chain; another kind afterwards when it is changed. */
function appendNewer(folder: string, run: string, row: { version: number; kind: string }, after = row): void {
  const db = openDatabase(workspaceFile(folder));
  const head = db
    .prepare('SELECT h.run, h.seq, h.hash FROM run_head h JOIN run r ON r.id = h.run WHERE r.ulid = ?')
    .get(run) as { run: number; seq: number; hash: Buffer };
  const event: Omit<EventRow, 'hash' | 'purged'> = {
    id: head.run * 2 ** 32 + head.seq + 1,
    at: 1,
    epoch: 1,
    body: '{}',
    ...row,
  };
  const hash = eventHash(head.hash, event);
  db.prepare('INSERT INTO event (id, version, kind, at, epoch, body, hash) VALUES (?, ?, ?, 1, 1, ?, ?)').run(
    event.id,
    after.version,
    after.kind,
    event.body,
    hash,
  );
  db.prepare('UPDATE run_head SET seq = seq + 1, hash = ? WHERE run = ?').run(hash, head.run);
  db.close();
}

test('verify tells an event of a newer version from one that was changed', async () => {
  const folder = temporaryFolder();
  const first = testStore(folder);
  const runs = [
    await drivenRun(first, 'one'),
    await drivenRun(first, 'two'),
    await drivenRun(first, 'three'),
    await drivenRun(first, 'four'),
  ];
  await first.close();
  const [version = '', kind = '', changedVersion = '', changedKind = ''] = runs;
  const known = { version: 1, kind: 'run.status' };
  appendNewer(folder, version, { version: 99, kind: 'run.status' });
  appendNewer(folder, kind, { version: 1, kind: 'dream.dreamt' });
  appendNewer(folder, changedVersion, known, { version: 99, kind: 'run.status' });
  appendNewer(folder, changedKind, known, { version: 1, kind: 'dream.dreamt' });
  const store = testStore(folder);
  const { runs: reports } = await store.reader.verify();
  for (const run of [version, kind]) {
    expect(reports.find(({ id }) => id === run)?.problems).toMatchObject([
      { what: 'workspace_newer', message: expect.stringContaining('Update Waymark') },
    ]);
  }
  for (const run of [changedVersion, changedKind]) {
    expect(reports.find(({ id }) => id === run)?.problems).toMatchObject([
      { what: 'chain', message: 'This event or one before it was changed after it was stored.' },
    ]);
  }
});
