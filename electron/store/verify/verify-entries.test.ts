import { expect, test } from 'vitest';
import { alice, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';

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
