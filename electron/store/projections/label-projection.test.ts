import { expect, test } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { rowId, Statements } from '../file/rows';
import { workspaceFile } from '../file/workspace-file';
import { LabelProjection } from './label-projection';

const STEPS = 90;

/** A run of which every third step is labelled by one person, every fifth by another, and a stretch of 40 by both. */
async function labelledRun() {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= STEPS; step += 1) await writer.command('true', '', { exitCode: 0 });
  const stretch = { run, from: 41, to: 80 };
  await store.writer.annotate(alice, stretch, { op: 'label', value: 'train', reason: null });
  await store.writer.annotate(bob, stretch, { op: 'label', value: 'mask', reason: null });
  for (let step = 3; step <= 40; step += 3) {
    const value = step % 2 === 0 ? 'train' : 'mask';
    await store.writer.annotate(alice, { run, from: step, to: step }, { op: 'label', value, reason: null });
  }
  for (let step = 5; step <= 40; step += 5) {
    const target = { run, from: step, to: step };
    await store.writer.annotate(bob, target, { op: 'label', value: 'mask', reason: 'no use' });
  }
  await store.drain();
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  const columns = () =>
    db
      .prepare(
        `SELECT label, label_flags, label_source, label_reason, rules, authors, decided, judge, comments FROM step_head
         WHERE id BETWEEN ? AND ? ORDER BY id`,
      )
      .all(rowId(1, 1), rowId(1, STEPS));
  return { db, columns, labels: new LabelProjection(new Statements(db)) };
}

test('steps that are renewed together say what each of them says alone', async () => {
  const { db, columns, labels } = await labelledRun();
  const forget = () =>
    db.exec("UPDATE step_head SET label = 0, label_flags = 0, authors = '?', decided = '?'");
  forget();
  for (let step = 1; step <= STEPS; step += 1) labels.refresh(1, step);
  const alone = columns();
  expect(new Set(alone.map((row) => JSON.stringify(row))).size).toBe(6);
  forget();
  labels.refreshRange(1, 1, STEPS);
  expect(columns()).toEqual(alone);
  forget();
  labels.refreshParts(1, [
    { from: 1, to: 17 },
    { from: 18, to: 60 },
    { from: 61, to: STEPS },
  ]);
  expect(columns()).toEqual(alone);
  db.close();
});

test('what a failed renewal had not written is not written by the next one', async () => {
  const { db, columns, labels } = await labelledRun();
  db.exec(`INSERT INTO rule_mark (step, rule, verdict) VALUES (${rowId(1, 30)}, 'damaged', '{')`);
  const both = [
    { from: 1, to: 20 },
    { from: 25, to: 35 },
  ];
  expect(() => labels.refreshParts(1, both)).toThrow(SyntaxError);
  db.exec('UPDATE step_head SET comments = 99');
  labels.refresh(1, STEPS);
  expect(columns().map((row) => (row as { comments: number }).comments)).toEqual([
    ...Array<number>(STEPS - 1).fill(99),
    0,
  ]);
  db.close();
});
