import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { parseArguments } from '../../cli/arguments';
import type { CliContext } from '../../cli/context';
import { experimentCommand } from '../../cli/experiment-commands';
import { statsCommand } from '../../cli/stats-commands';
import { createdBody, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';

async function armRun(store: Store, arm: string, task: string): Promise<string> {
  const run = ulid();
  const made = createdBody(run);
  const body = { ...made, title: '=cmd()', experiment: 'hints', arm, task: { ...made.task, id: task } };
  await store.writer.append(run, 0, [{ kind: 'run.created', body }]);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'x');
  await writer.hint('Look at the loss first');
  await writer.command('ls', 'x');
  return run;
}

test('an experiment has the runs that name it, and an unknown cost is no cost of 0', async () => {
  const store = testStore();
  const runs = [await armRun(store, 'a', 'one'), await armRun(store, 'b', 'one')];
  expect(await store.reader.experiments()).toMatchObject([
    { name: 'hints', runs: 2, arms: 2, tasks: 1, ended: 0 },
  ]);
  const read = await store.reader.experiment('hints');
  expect(read.map(({ run }) => run)).toEqual(runs);
  const [first] = read;
  const [summary] = (await store.reader.runs()).filter(({ id }) => id === first?.run);
  expect(first).toMatchObject({
    arm: 'a',
    taskHint: 'off',
    humanHints: true,
    branch: false,
    final: null,
    best: null,
    steps: summary?.steps,
    review: { ms: 0, steps: 0 },
  });
  const priced = (await store.reader.events(first?.run ?? '', 1, 2_000)).every(
    (event) => event.kind !== 'model.answered' || event.body.cost !== null,
  );
  expect(first?.cost).toBe(priced ? summary?.cost : null);
  await expect(store.reader.experiment('none')).rejects.toMatchObject({ code: 'not_found' });
});

test('experiment show prints tables, CSV and Markdown, and stats --experiment says the same', async () => {
  const store = testStore();
  await armRun(store, 'a', 'one');
  const context = { store, reader: store.reader } as unknown as CliContext;
  const ask = (...words: string[]) => experimentCommand(context, parseArguments(words));
  const shown = await ask('experiment', 'show', 'hints');
  expect(shown.lines.join('\n')).toMatch(/Not recorded: /);
  expect(await statsCommand(context, parseArguments(['stats', '--experiment', 'hints']))).toEqual(shown);
  const { lines } = await ask('experiment', 'show', 'hints', '--format', 'csv');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(",'=cmd(),a,one,data,scripted,off,true,");
  expect((await ask('experiment', 'show', 'hints', '--format', 'markdown')).lines[0]).toBe('# hints');
  expect((await ask('experiment', 'list')).json).toMatchObject({ experiments: [{ name: 'hints' }] });
});
