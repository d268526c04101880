import { expect, test } from 'vitest';
import { workLockPath } from '../files/workspace-paths';
import type { Store } from '../store/api';
import { openDatabase } from '../store/file/database';
import { workspaceFile } from '../store/file/workspace-file';
import { holdLock } from '../store/log/run-lock';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { temporaryFolder, testStore } from '../testing/store-fixtures';
import { parseArguments } from './arguments';
import type { CliContext } from './context';
import { rulesCommand } from './rule-commands';

function waymark(store: Store) {
  const context = { store, reader: store.reader, author: alice } as unknown as CliContext;
  return async (...argv: string[]) => rulesCommand(context, parseArguments(['rules', ...argv]));
}

async function aRun(store: Store) {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let i = 0; i < 4; i += 1) await writer.command(`make part${i}`, 'x', { exitCode: i % 2 ? 2 : 0 });
  return { run, task: (await store.reader.run(run)).task.id };
}

test('says what the rules say, previews, sets and takes back', async () => {
  const store = testStore();
  const { run, task } = await aRun(store);
  const rules = waymark(store);
  expect((await rules(run)).json).toMatchObject({
    verdicts: [
      { step: 2, rule: 'command-failed', effect: 'mask' },
      { step: 4, rule: 'command-failed' },
    ],
  });
  const preview = await rules('preview', run, '--off', 'command-failed', '--on', 'keep-exploration');
  expect(preview.json).toMatchObject({ labels: { toUndecided: 2, total: 2 } });
  expect(preview.lines.join('\n')).toMatch(/command-failed\s+mask\s+\+0\s+-2/);
  expect((await rules(run)).json).toMatchObject({ verdicts: [{ step: 2 }, { step: 4 }] });

  await rules('set', '--task', task, '--off', 'command-failed', '--set', 'keep-debugging.within_steps=5');
  expect((await rules(run)).lines).toEqual(['No rule has a verdict on this run.']);
  expect(await store.reader.ruleSettings(task)).toMatchObject({
    settings: {
      rules: { 'command-failed': { on: false }, 'keep-debugging': { parameters: { within_steps: 5 } } },
    },
  });
  await rules('clear', '--task', task);
  expect((await rules(run)).json).toMatchObject({ verdicts: [{ step: 2 }, { step: 4 }] });
});

test('rules are set while a process that fills the search index stands still', async () => {
  const folder = temporaryFolder();
  const first = testStore(folder);
  const { task } = await aRun(first);
  await first.close();
  const stopped = holdLock(workLockPath(folder, 'indexer'));
  expect(stopped).not.toBeNull();
  const store = testStore(folder);
  const { lines } = await waymark(store)('set', '--task', task, '--off', 'command-failed');
  expect(lines[1]).toBe('The labels of 1 run follow them now.');
  stopped?.release();
});

test('lists and shows rules, with what each value comes from', async () => {
  const rules = waymark(testStore());
  const { json, lines } = await rules('list');
  expect((json as { rules: { id: string }[] }).rules.map(({ id }) => id)).toContain('finish-below-best');
  expect(lines.join('\n')).toMatch(/error-observation\s+v2\s+mask \(hard\)\s+on/);
  expect((await rules('show', 'idle-gpus')).lines.join('\n')).toMatch(/grace_steps\s+5\s+rule/);
});

test('a task that no package and no run names is refused before anything is stored', async () => {
  const store = testStore();
  for (const argv of [
    ['set', '--task', 'slip', '--off', 'null'],
    ['clear', '--task', 'slip'],
    ['list', '--task', 'slip'],
  ]) {
    await expect(waymark(store)(...argv)).rejects.toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('"slip"'),
    });
  }
  expect(await store.reader.ruleSettings('slip')).toBeNull();
});

test.each([
  [['show', 'no-such-rule'], 'no rule "no-such-rule"'],
  [['set', '--on', 'null'], '--task'],
  [['set', '--task', 't', '--set', 'keep-debugging=5'], 'RULE.PARAMETER=VALUE'],
  [['set', '--task', 't', '--set', 'keep-debugging.steps=5'], 'no parameter "steps"'],
  [['set', '--task', 't', '--set', 'keep-debugging.within_steps=many'], 'must be a number'],
  [['set', '--task', 't', '--set', 'idle-gpus.trial=('], 'not a regular expression'],
  [['set', '--task', 't'], 'Nothing would change'],
])('refuses %j in words', async (argv, message) => {
  await expect(waymark(testStore())(...argv)).rejects.toMatchObject({
    code: 'bad_input',
    message: expect.stringContaining(message),
  });
});

test('names the runs that were left out because they cannot be read', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  const { run, task } = await aRun(store);
  await aRun(store);
  const db = openDatabase(workspaceFile(folder));
  db.exec(`DROP TRIGGER event_no_update; UPDATE event SET body = '{' WHERE id = 4294967296 + 12`);
  db.close();
  const { json, lines } = await waymark(store)('set', '--task', task, '--precedence', 'judge_over_rule');
  expect(json).toMatchObject({ runs: 1, left: [run] });
  expect(lines.slice(1)).toEqual([
    'The labels of 1 run follow them now.',
    `Run ${run} cannot be read, so it was left out and keeps its labels.`,
  ]);
});
