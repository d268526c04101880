import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventually } from '../../testing/deadline';
import { deeds, liveThrough } from '../../testing/random-run';
import { realisticWorkspace } from '../../testing/realistic-run';
import { alice } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import type { StoreNotice } from '../notices';

/** Everything that is kept beside the logs, as an older version or damage may have left it. */
const DAMAGE = [
  "UPDATE step_head SET title = 'other', tool = 'other', computer = 'other', score = 3, label = 1",
  'DELETE FROM step_head WHERE id % 3 = 0',
  'DELETE FROM note WHERE id % 2 = 0',
  "UPDATE note SET body = '{}' WHERE id % 5 = 0",
  'INSERT INTO query (id, step, tool, query, place) VALUES ((1 << 32) + 900000, 1, "x", "y", "z")'.replaceAll(
    '"',
    "'",
  ),
  'DELETE FROM tile; DELETE FROM hint; DELETE FROM mark; DELETE FROM rule_mark',
  'UPDATE file_revision SET size = size + 1',
  "UPDATE session SET state = 'lost'",
  'UPDATE evaluation SET score = 1',
];

function change(folder: string, ...statements: string[]): void {
  const db = openDatabase(workspaceFile(folder));
  for (const sql of statements) db.exec(sql);
  db.close();
}

async function problemsOf(store: Store): Promise<unknown[]> {
  const report = await store.reader.verify();
  return [...report.workspace, ...report.runs.flatMap(({ problems }) => problems)];
}

test('a rebuilt run is what its log says, whatever was done to its rows', async () => {
  for (const life of fc.sample(deeds, { numRuns: 12, seed: 11 })) {
    const folder = temporaryFolder();
    const store = testStore(folder);
    const run = await liveThrough(store, life);
    await store.drain();
    const before = await store.reader.heads(run, 1, 100);
    expect(await store.writer.rebuild(run)).toEqual({ changed: 0 });
    change(folder, ...DAMAGE);
    const { changed } = await store.writer.rebuild(run);
    expect(changed).toBeGreaterThan(0);
    expect(await store.reader.heads(run, 1, 100)).toEqual(before);
    expect(await problemsOf(store)).toEqual([]);
    await store.close();
  }
});

/** A run that is too long to be derived again at opening. */
async function longRun(folder: string): Promise<string> {
  const { run, events } = await realisticWorkspace('S', { folder, steps: 1_000 });
  expect(events).toBeGreaterThan(4_000);
  return run;
}

test('a long run of an older fold is read and labelled at once, and derived again meanwhile; an append waits for it', async () => {
  const folder = temporaryFolder();
  const run = await longRun(folder);
  change(
    folder,
    `UPDATE run_head SET state = json_set(state, '$.version', 3, '$.head.computer', NULL)`,
    "UPDATE step_head SET computer = ''",
  );
  const store = testStore(folder);
  const notices: StoreNotice[] = [];
  store.subscribe((notice) => notices.push(notice));
  await store.writer.annotate(alice, { run, from: 2, to: 2 }, { op: 'label', value: 'mask', reason: null });
  expect((await store.reader.heads(run, 2, 2))[0]?.label.value).toBe('mask');
  // The end of the run is derived last.
  expect(await store.reader.matches(run, { computer: ['local'], from: 900 })).toEqual([]);
  const status = { status: 'paused' as const, reason: 'asked', message: 'By hand' };
  const appended = store.writer.append(run, 2, [{ kind: 'run.status', body: status }]);
  await appended;
  expect(await store.reader.countMatches(run, { computer: ['local'] })).toBeGreaterThan(300);
  await store.drain();
  expect((await store.reader.heads(run, 2, 2))[0]).toMatchObject({
    computer: 'local',
    label: { value: 'mask' },
  });
  expect(await problemsOf(store)).toEqual([]);
  expect(notices.filter(({ kind }) => kind === 'rebuild').length).toBeGreaterThan(0);
});

test('a process that ends while it derives a run again leaves it to the next one', async () => {
  const folder = temporaryFolder();
  const run = await longRun(folder);
  change(
    folder,
    `UPDATE run_head SET state = json_set(state, '$.version', 3)`,
    "UPDATE step_head SET title = 'old'",
  );
  const first = testStore(folder);
  let told = 0;
  first.subscribe((notice) => {
    if (notice.kind === 'rebuild') told += 1;
  });
  await eventually('the run is being derived again', () => told > 0);
  const append = first.writer.append(run, 2, [
    { kind: 'run.status', body: { status: 'paused', reason: 'asked', message: 'By hand' } },
  ]);
  const outcome = append.then(
    () => 'stored',
    (thrown: unknown) => thrown,
  );
  await first.close();
  expect(await outcome).toMatchObject({ code: 'cancelled' });
  const second = testStore(folder);
  await second.drain();
  expect((await second.reader.heads(run, 500, 500))[0]?.title).not.toBe('old');
  expect(await problemsOf(second)).toEqual([]);
});

test('a run that another process removes while it is derived again leaves no row and keeps nobody busy', async () => {
  const folder = temporaryFolder();
  const run = await longRun(folder);
  const [one, other] = [testStore(folder), testStore(folder)];
  const folding = new Promise<void>((resolve) => {
    one.subscribe((notice) => {
      if (notice.kind === 'rebuild') resolve();
    });
  });
  const rebuilding = one.writer.rebuild(run).catch((thrown: unknown) => thrown);
  await folding;
  await other.writer.remove(run, 'run', alice);
  await rebuilding;
  await one.drain();
  expect(await problemsOf(other)).toEqual([]);
  await Promise.all([one.close(), other.close()]);
  const db = openDatabase(workspaceFile(folder));
  for (const table of ['step_head', 'note', 'segment', 'file_revision', 'rule_mark', 'mark', 'run_head']) {
    expect([table, db.prepare(`SELECT count(*) AS n FROM ${table}`).get()]).toEqual([table, { n: 0 }]);
  }
  db.close();
});
