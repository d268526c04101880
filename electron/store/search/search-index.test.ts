import { expect, onTestFinished, test } from 'vitest';
import { createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { workspaceFile } from '../file/workspace-file';
import { openReadContext } from '../queries/read-context';
import { deleteIndexFile } from './search-file';
import { SearchIndex } from './search-index';

const STEPS = 3;

/** A workspace of runs with a few steps each that nobody has indexed. */
async function unindexed(runs: number, damaged?: number): Promise<{ index: SearchIndex; found(): number }> {
  const folder = temporaryFolder();
  const store = testStore(folder);
  for (let each = 0; each < runs; each += 1) {
    const writer = new RunWriter(store, await createRun(store));
    await writer.start();
    for (let step = 0; step < STEPS; step += 1) {
      await writer.command(`echo ${step}`, 'indexed', { exitCode: 0 });
    }
  }
  await store.close();
  deleteIndexFile(folder);
  if (damaged !== undefined) {
    const db = openDatabase(workspaceFile(folder));
    db.exec('DROP TRIGGER event_no_update');
    db.prepare(`UPDATE event SET body = '{"damaged' WHERE id = ? * 4294967296 + 5`).run(damaged);
    db.close();
  }
  const context = openReadContext(folder, Date.now);
  const index = new SearchIndex(context, 'workspace');
  index.prepare();
  onTestFinished(() => {
    index.close();
    context.statements.db.close();
  });
  const count = () =>
    index.statements.get<{ n: number }>("SELECT count(*) AS n FROM step WHERE step MATCH 'indexed'")?.n ?? 0;
  return { index, found: count };
}

test('steps of several runs are indexed in one transaction', async () => {
  const { index, found } = await unindexed(5);
  expect(index.fillSome(true)).toBe(true);
  expect(found()).toBe(5 * STEPS);
  expect(index.isComplete()).toBe(true);
  expect(index.fillSome(true)).toBe(false);
});

test('a run that cannot be read does not keep the others out of the index', async () => {
  const { index, found } = await unindexed(4, 2);
  while (index.fillSome(true)) {
    expect(found()).toBeLessThanOrEqual(3 * STEPS);
  }
  expect(found()).toBe(3 * STEPS);
  expect(index.isComplete()).toBe(true);
});
