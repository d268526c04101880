import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseArguments } from '../../cli/arguments';
import type { CliContext } from '../../cli/context';
import { statsCommand } from '../../cli/stats-commands';
import { importResearchGym } from '../../dataset/importers/researchgym/import-researchgym';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';

const node = join(import.meta.dirname, '../../../e2e/fixtures/researchgym/react-node-real-depth70.json');

test('figures follow the log, the labels and the people', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 4; step++) {
    await writer.command('ls', 'x', { exitCode: step === 2 ? 1 : 0, data: { exitCode: step === 2 ? 1 : 0 } });
  }
  const before = await store.reader.stats(run);
  expect(before).toMatchObject({
    steps: 4,
    people: [],
    tools: [{ tool: 'run_command', calls: 4, errors: 1 }],
  });
  await store.writer.annotate(alice, { run, from: 1, to: 3 }, { op: 'label', value: 'train', reason: null });
  await store.writer.annotate(alice, { run, from: 3, to: 3 }, { op: 'label', value: 'clear', reason: null });
  await store.writer.annotate(bob, { run, from: 1, to: 1 }, { op: 'label', value: 'mask', reason: null });
  await writer.command('ls', 'x');
  const after = await store.reader.stats(run);
  expect(after.steps).toBe(5);
  expect(after.people.map(({ name, decided }) => [name, decided])).toEqual([
    ['Alice', 2],
    ['Bob', 1],
  ]);
  expect(after.masks.reduce((sum, { steps }) => sum + steps, 0)).toBe(5);
  expect(after.masks.find(({ source, value }) => source === 'human' && value === 'train')?.steps).toBe(1);
  expect(after.rules).toContainEqual({ rule: 'command-failed', effect: 'mask', steps: 1 });
});

test('what was folded before is not folded again, and gives the same', async () => {
  const store = testStore();
  const { run } = await importResearchGym(store, { uuid: 'ada', name: 'Ada' }, node, {
    title: null,
    task: null,
    again: false,
  });
  const [first, second] = [await store.reader.stats(run), await store.reader.stats(run)];
  expect(second).toEqual(first);
  expect(first.evaluations.map(({ attempt, score }) => [attempt, score !== null])).toEqual([
    [1, true],
    [2, true],
  ]);
  const calls = first.tools.reduce((sum, each) => sum + each.calls, 0);
  expect(calls).toBe(first.steps);
});

test('stats RUN prints them', async () => {
  const store = testStore();
  const author = { uuid: 'ada', name: 'Ada' };
  const { run } = await importResearchGym(store, author, node, { title: 'Node', task: null, again: false });
  const context = { store, reader: store.reader, author } as unknown as CliContext;
  const { lines, json } = await statsCommand(context, parseArguments(['stats', run]));
  expect(lines[0]).toMatch(/^Node: 69 steps in 1 segment, 1\.\d h/);
  expect(lines.join('\n')).toMatch(/Evaluations\n {2}step \d+ +try 1/);
  expect(json).toMatchObject({ run, steps: 69 });
});
