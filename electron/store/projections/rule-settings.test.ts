import { WaymarkError } from '@shared/contract/errors';
import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import { ulid } from 'ulid';
import { expect, test, vi } from 'vitest';
import { alice, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
import { openDatabase } from '../file/database';
import { Statements } from '../file/rows';
import { workspaceFile } from '../file/workspace-file';
import { GroupCommit } from '../log/group-commit';
import { writeRuleSettings } from './rule-settings';

const off: RuleSettings = { rules: { 'command-failed': { on: false, parameters: {} } } };

async function aRun(store: ReturnType<typeof testStore>, commands = 6) {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let i = 0; i < commands; i += 1)
    await writer.command(`make part${i}`, 'x', { exitCode: i % 2 ? 2 : 0 });
  return { run, writer, task: (await store.reader.run(run)).task.id };
}

const values = async (store: ReturnType<typeof testStore>, run: string, to = 6) =>
  (await store.reader.heads(run, 1, to)).map(({ label }) => label.value);

test('all that the rules read of a task counts for their version: what was appended is what a rebuild gives', async () => {
  const store = testStore();
  const run = ulid();
  const spec = {
    description: 'x'.repeat(10_000),
    evaluation: { max_score: 60 },
    rules: { full_training: true },
  };
  await store.writer.append(run, 0, [{ kind: 'run.created', body: { ...createdBody(run), spec } }]);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('make', 'x', { exitCode: 2 });
  await store.drain();
  const { runs } = await store.reader.verify([run]);
  expect(runs[0]?.problems).toEqual([]);
  expect(await store.reader.previewRules([run], { rules: {} })).toMatchObject({ superseded: false });
});

test('a preview says what would change, and changes nothing', async () => {
  const store = testStore();
  const { run } = await aRun(store);
  await store.writer.annotate(
    alice,
    { run, from: 4, to: 4 },
    { op: 'label', value: 'train', reason: 'fine' },
  );
  const lost = await store.reader.previewRules([run], off);
  expect(lost).toMatchObject({ labels: { toUndecided: 2, total: 2 }, superseded: false });
  expect(lost.rules).toEqual([
    expect.objectContaining({ rule: 'command-failed', total: 0, newly: 0, noLonger: 3, conflicts: 0 }),
  ]);
  expect(await values(store, run)).toEqual([null, 'mask', null, 'train', null, 'mask']);
  const { task } = await store.reader.run(run);
  await store.writer.setRules(task.id, off, alice);
  await store.drain();
  const back = await store.reader.previewRules([run], { rules: {} });
  expect(back.rules[0]).toMatchObject({
    rule: 'command-failed',
    newly: 3,
    noLonger: 0,
    conflicts: 1,
    now: { train: 1, mask: 0, undecided: 2 },
  });
  expect(back.rules[0]?.examples.map(({ step, conflict }) => [step, conflict])).toEqual([
    [2, false],
    [4, true],
    [6, false],
  ]);
});

test('a newer preview ends an older one', async () => {
  const store = testStore();
  const { run } = await aRun(store, 60);
  const [older, newer] = await Promise.all([
    store.reader.previewRules([run], off),
    store.reader.previewRules([run], { rules: {} }),
  ]);
  expect([older.superseded, newer.superseded]).toEqual([true, false]);
  await expect(store.reader.previewRules(['01KN0RVN000000000000000000'], off)).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('settings of a task derive the labels of its runs again, survive a restart, and can be taken back', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { run, writer, task } = await aRun(store);
  await store.writer.setRules(task, off, alice);
  await store.drain();
  expect(await values(store, run)).toEqual([null, null, null, null, null, null]);
  expect(await store.reader.ruleSettings(task)).toMatchObject({ settings: off, author: alice.name });
  expect(await store.reader.ruleProgress(task)).toMatchObject({ runs: 1, behind: 0 });
  // The next step is judged by the new rules at once.
  await writer.command('make more', 'x', { exitCode: 2 });
  expect(await values(store, run, 7)).toHaveLength(7);
  expect((await values(store, run, 7))[6]).toBe(null);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  await store.close();
  const second = testStore(folder);
  await second.drain();
  expect((await values(second, run, 7)).every((value) => value === null)).toBe(true);
  await second.writer.setRules(task, null, alice);
  await second.drain();
  expect(await values(second, run, 7)).toEqual([null, 'mask', null, 'mask', null, 'mask', 'mask']);
  expect(await second.reader.ruleSettings(task)).toBe(null);
  expect(await second.reader.verify()).toMatchObject({ ok: true });
});

test('how rules meet the judge belongs to the settings, and labels follow it', async () => {
  const store = testStore();
  const { run, task } = await aRun(store);
  await store.writer.annotate(
    alice,
    { run, from: 2, to: 2 },
    {
      op: 'judge',
      value: 'keep',
      confidence: 0.9,
      reason: 'fine',
      why: 'Fine.',
      steps: [],
      rubric: 'r1',
    },
  );
  expect((await values(store, run))[1]).toBe('mask');
  const settings = { rules: {}, precedence: 'judge_over_rule' as const };
  expect((await store.reader.previewRules([run], settings)).labels).toMatchObject({ toTrain: 1, total: 1 });
  await store.writer.setRules(task, settings, alice);
  await store.drain();
  expect((await values(store, run))[1]).toBe('train');
  expect((await store.reader.step(run, 2)).labels.effective.value).toBe('train');
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('a process that drives a run notices settings that another one stored', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { run, writer, task } = await aRun(store);
  const other = testStore(folder);
  await other.writer.setRules(task, off, alice);
  await other.drain();
  await writer.command('make again', 'x', { exitCode: 2 });
  await store.drain();
  await other.drain();
  expect((await values(store, run, 7)).every((value) => value === null)).toBe(true);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

/** A judge keeps step 2, which a rule masks. */
async function aContestedStep(store: ReturnType<typeof testStore>) {
  const found = await aRun(store);
  const { run } = found;
  const vote = { op: 'judge', value: 'keep', confidence: 0.9, reason: 'fine', why: 'Fine.' } as const;
  const rest = { steps: [], rubric: 'r1' };
  await store.writer.annotate(alice, { run, from: 2, to: 2 }, { ...vote, ...rest });
  expect((await values(store, run))[1]).toBe('mask');
  return found;
}

const judgeFirst: RuleSettings = { rules: {}, precedence: 'judge_over_rule' };

test('a comment after another process changed the precedence leaves the label as exports read it', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { run, task } = await aContestedStep(store);
  const other = testStore(folder);
  await other.writer.setRules(task, judgeFirst, alice);
  await other.drain();
  expect((await values(store, run))[1]).toBe('train');
  await store.writer.annotate(alice, { run, from: 2, to: 2 }, { op: 'comment', text: 'why?' });
  expect((await values(store, run))[1]).toBe('train');
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('settings of a process that died before it derived the labels are carried out by one that is open', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { run, task } = await aContestedStep(store);
  const relabelled = new Promise<void>((resolve) => {
    store.subscribe((notice) => {
      if (notice.kind === 'labels' && notice.run === run) resolve();
    });
  });
  const db = openDatabase(workspaceFile(folder));
  writeRuleSettings(new Statements(db), task, judgeFirst, 1, 'Alice');
  db.close();
  await relabelled;
  expect((await values(store, run))[1]).toBe('train');
  await store.drain();
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('a setting that was changed from outside is named by verify', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { task } = await aRun(store);
  await store.writer.setRules(task, off, alice);
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  db.exec("UPDATE rule_setting SET author = 'somebody else'");
  db.close();
  const second = testStore(folder);
  expect((await second.reader.verify()).workspace).toEqual([
    expect.objectContaining({ what: 'row', where: `rule_setting ${task}` }),
  ]);
});

test('a run that cannot be read keeps its verdicts and labels when the rules change, until it can be read', async () => {
  const folder = temporaryFolder();
  const first = testStore(folder);
  const { run, task } = await aRun(first);
  const { run: sound } = await aRun(first);
  await first.close();
  const id = `(SELECT id FROM run WHERE ulid = '${run}') * 4294967296 + 12`;
  const change = (...statements: string[]) => {
    const db = openDatabase(workspaceFile(folder));
    db.exec(['DROP TRIGGER IF EXISTS event_no_update', ...statements].join(';'));
    db.close();
  };
  change(
    `CREATE TABLE spare AS SELECT body FROM event WHERE id = ${id}`,
    `UPDATE event SET body = '{not json' WHERE id = ${id}`,
  );
  const second = testStore(folder);
  const labels = await values(second, run);
  expect(labels).toEqual([null, 'mask', null, 'mask', null, 'mask']);
  const { effective } = (await second.reader.step(run, 6)).labels;
  await second.writer.setRules(task, off, alice);
  await second.drain();
  expect(await values(second, sound)).toEqual([null, null, null, null, null, null]);
  expect(await values(second, run)).toEqual(labels);
  expect(await second.reader.ruleProgress(task)).toMatchObject({ runs: 2, behind: 1, waiting: [run] });
  await second.close();
  const third = testStore(folder);
  await third.drain();
  expect(await values(third, run)).toEqual(labels);
  expect((await third.reader.step(run, 6)).labels.effective).toEqual(effective);
  await third.close();
  change(`UPDATE event SET body = (SELECT body FROM spare) WHERE id = ${id}`);
  const fourth = testStore(folder);
  await fourth.drain();
  expect(await values(fourth, run)).toEqual([null, null, null, null, null, null]);
  expect(await fourth.reader.ruleProgress(task)).toMatchObject({ behind: 0, waiting: [] });
});

test('a run that is removed while the rules of its task are followed keeps none of the others waiting', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const kept = await aRun(store);
  const removed = [await aRun(store), await aRun(store, 600)];
  await store.writer.setRules(kept.task, off, alice);
  await store.drain();
  await store.writer.setRules(kept.task, { rules: {} }, alice);
  for (const { run } of removed) await store.writer.remove(run, 'run', alice);
  await store.drain();
  expect(await values(store, kept.run)).toEqual([null, 'mask', null, 'mask', null, 'mask']);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  await store.close();
  const db = openDatabase(workspaceFile(folder));
  const marked = db.prepare('SELECT DISTINCT step >> 32 AS run FROM rule_mark').all();
  expect(marked).toEqual(db.prepare('SELECT id AS run FROM run WHERE ulid = ?').all(kept.run));
  db.close();
});

test('verdicts of other rules are renewed although another process held the file for longer than a transaction waits', async () => {
  const store = testStore();
  const { run, task } = await aRun(store);
  await store.drain();
  expect(await values(store, run)).toEqual([null, 'mask', null, 'mask', null, 'mask']);
  await store.writer.setRules(task, off, alice);
  // What is asked for from here on is the renewal of verdicts alone.
  const add = vi.spyOn(GroupCommit.prototype, 'add');
  try {
    const locked = new WaymarkError('workspace_locked', 'Another program has held the workspace for 5 s.');
    for (let tries = 0; tries < 3; tries += 1) add.mockRejectedValueOnce(locked);
    await store.drain();
    expect(add.mock.calls.length).toBeGreaterThan(3);
  } finally {
    add.mockRestore();
  }
  expect(await values(store, run)).toEqual([null, null, null, null, null, null]);
  expect((await store.reader.verify([run])).runs[0]?.problems).toEqual([]);
});
