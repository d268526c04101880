import { join } from 'node:path';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { createProjector } from '../projections/projector';
import { restoreWorkspace } from './restore-workspace';

const TEXTS = ['one', 'two', 'three', 'four', 'five'];

/** Two runs with hints in turn; the outbox numbers of the first run's are 1, 3, 5, 7, 9. */
async function hinted() {
  const folder = join(temporaryFolder(), 'workspace');
  const store = testStore(folder);
  const writers: RunWriter[] = [];
  for (let count = 0; count < 2; count += 1) {
    const writer = new RunWriter(store, await createRun(store));
    await writer.start();
    writers.push(writer);
  }
  for (const text of TEXTS) for (const { run } of writers) await hint(store, run, text);
  await store.drain();
  const [first = '', second = ''] = writers.map(({ run }) => run);
  return { folder, store, first, second, to: join(folder, '..', 'restored') };
}

const hint = (store: Store, run: string, text: string) =>
  store.writer.post(run, alice, { op: 'hint.queued', hint: ulid(), text, category: 'other' });

const restore = (from: string, to: string, backup: string | null = null) =>
  restoreWorkspace({ backup, from, to, projector: createProjector() });

function damage(folder: string, sql: string): void {
  const db = openDatabase(workspaceFile(folder));
  db.exec('DROP TRIGGER outbox_no_update; DROP TRIGGER outbox_no_delete;');
  db.exec(sql);
  db.close();
}

async function textsOf(store: Store, run: string): Promise<string[]> {
  return (await store.reader.hints(run)).hints.map(({ text }) => text);
}

async function expectSound(store: Store): Promise<void> {
  await store.drain();
  const { workspace, runs } = await store.reader.verify();
  expect([...workspace, ...runs.flatMap(({ problems }) => problems)]).toEqual([]);
}

test.each<[string, string, string[], number]>([
  [
    'words that are not what was stored',
    "UPDATE outbox SET body = replace(body, 'two', 'TWO') WHERE id = 3",
    ['one', 'three', 'four', 'five'],
    1,
  ],
  [
    'a body that is no entry',
    "UPDATE outbox SET body = 'nothing' WHERE id = 3",
    ['one', 'three', 'four', 'five'],
    1,
  ],
  ['a missing row', 'DELETE FROM outbox WHERE id = 3', ['one', 'three', 'four', 'five'], 1],
  ['a missing first row', 'DELETE FROM outbox WHERE id = 1', ['two', 'three', 'four', 'five'], 1],
  ['a damaged link', 'UPDATE outbox SET hash = zeroblob(32) WHERE id = 3', TEXTS, 0],
])('%s takes none of the hints behind it along', async (_, sql, left, lost) => {
  const { folder, store, first, second, to } = await hinted();
  await store.close();
  damage(folder, sql);
  const report = await restore(folder, to);
  expect(report.runs).toMatchObject([
    {
      state: 'log',
      hints: left.length,
      notes: lost === 0 ? [] : [expect.stringMatching(/^1 hint or request /)],
    },
    { state: 'log', hints: 5, notes: [] },
  ]);
  const again = testStore(to);
  await expectSound(again);
  expect(await textsOf(again, first)).toEqual(left);
  expect(await textsOf(again, second)).toEqual(TEXTS);
  expect((await again.reader.outbox(first, 0)).length).toBe(left.length);
  await hint(again, first, 'six');
  await expectSound(again);
  expect(await textsOf(again, first)).toEqual([...left, 'six']);
  await again.close();
  // What was lost once is not lost again.
  expect(await restore(to, `${to}-again`)).toMatchObject({ complete: true });
});

test('a damaged hint comes from the backup, and newer ones from the workspace', async () => {
  const { folder, store, first, to } = await hinted();
  const backup = await store.writer.backup();
  await hint(store, first, 'six');
  await store.close();
  damage(folder, "UPDATE outbox SET body = replace(body, 'two', 'TWO') WHERE id = 3");
  expect(await restore(folder, to, backup)).toMatchObject({ complete: true, hints: 11 });
  expect(await textsOf(testStore(to), first)).toEqual([...TEXTS, 'six']);
});

test('an edit of a lost hint is lost with it', async () => {
  const { folder, store, first, to } = await hinted();
  const [, two, three] = (await store.reader.hints(first)).hints.map(({ id }) => id);
  const edit = (hint = '', text = '') => store.writer.post(first, alice, { op: 'hint.edited', hint, text });
  await edit(two, 'second');
  await edit(three, 'third');
  await store.close();
  damage(folder, 'DELETE FROM outbox WHERE id = 3');
  const report = await restore(folder, to);
  expect(report.runs[0]?.notes).toEqual([expect.stringMatching(/^2 hints or requests /)]);
  const again = testStore(to);
  await expectSound(again);
  expect(await textsOf(again, first)).toEqual(['one', 'third', 'four', 'five']);
});
