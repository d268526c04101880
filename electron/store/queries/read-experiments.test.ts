import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { effortOf } from '@shared/experiments/hints-and-effort';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { parseArguments } from '../../cli/arguments';
import type { CliContext } from '../../cli/context';
import { experimentCommand } from '../../cli/experiment-commands';
import { exportCommand } from '../../cli/exports/export-commands';
import { statsCommand } from '../../cli/stats-commands';
import { takenEnvironment } from '../../environment/taken-environment';
import { writeExperiment } from '../../testing/experiment-runs';
import { alice, bob, createdBody, RunWriter } from '../../testing/run-writer';
import { temporaryFolder, testStore } from '../../testing/store-fixtures';
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
    review: { ms: 0, steps: 0, labels: 0 },
    looks: { n: 0, ms: 0 },
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
  expect(shown.lines.join('\n')).toMatch(/Minutes watched/);
  expect(await statsCommand(context, parseArguments(['stats', '--experiment', 'hints']))).toEqual(shown);
  const { lines } = await ask('experiment', 'show', 'hints', '--format', 'csv');
  expect(lines).toHaveLength(2);
  expect(lines[1]).toContain(",'=cmd(),a,one,data,scripted,off,true,");
  expect((await ask('experiment', 'show', 'hints', '--format', 'markdown')).lines[0]).toBe('# hints');
  expect((await ask('experiment', 'list')).json).toMatchObject({ experiments: [{ name: 'hints' }] });
});

test('hints have the scores around them and the steps until a better one; effort is what people took', async () => {
  const store = testStore();
  const runs = await writeExperiment(store, { name: 'e', runs: 4, tasks: 1, steps: 24 });
  const hinted = runs[1] ?? '';
  // Six minutes in two looks, one of them told twice; a minute on a step in review.
  await store.writer.look(hinted, alice.uuid, { at: 5, ms: 60_000 });
  await store.writer.look(hinted, alice.uuid, { at: 5, ms: 240_000 });
  await store.writer.look(hinted, bob.uuid, { at: 5, ms: 120_000 });
  await store.writer.keepDwell(alice.uuid, { run: hinted, step: 1, ms: 60_000, class: null, agreed: false });
  const read = await store.reader.experiment('e');
  const run = read.find((each) => each.run === hinted);
  expect(run?.scores.map(({ step, score }) => [step, score])).toEqual([
    [8, 6],
    [16, 12],
    [24, 14],
  ]);
  expect(run?.hints).toEqual([
    { category: 'strategy', step: 8, before: 6, after: 12, stepsToBetter: 8 },
    { category: 'correction', step: 24, before: 14, after: null, stepsToBetter: null },
  ]);
  expect(run?.cost).toBeCloseTo(0.48);
  expect(run).toMatchObject({
    looks: { n: 2, ms: 360_000 },
    review: { ms: 60_000, steps: 1, labels: 1 },
  });
  const effort = effortOf(read.filter(({ arm }) => arm === 'hints'));
  const hours =
    read.filter(({ arm }) => arm === 'hints').reduce((sum, each) => sum + each.workingMs, 0) / 3_600_000;
  expect(effort).toMatchObject({
    runs: 2,
    hints: 4,
    watchMinutes: 6,
    looks: 2,
    labelsPerMinute: 1,
    minutesPerRun: 3.5,
  });
  expect(effort.looksPerHour).toBeCloseTo(2 / hours);
});

test('one answer without a price makes the cost unknown', async () => {
  const store = testStore();
  const [priced = '', other = ''] = await writeExperiment(store, { name: 'e', runs: 2, tasks: 1, steps: 2 });
  const [answer] = (await store.reader.events(other, 1, 50)).filter(
    (event) => event.kind === 'model.answered',
  );
  if (answer?.kind !== 'model.answered') throw new Error('no answer');
  const body = { ...answer.body, step: 3, stepId: ulid(), cost: null };
  await store.writer.append(other, 1, [{ kind: 'model.answered', body }]);
  const costs = async () => {
    const runs = await store.reader.experiment('e');
    return [priced, other].map((id) => runs.find(({ run }) => run === id)?.cost);
  };
  expect(await costs()).toEqual([0.04, null]);
});

test('experiment overlap finds tasks that are in both, and stops a script; a dataset is found by its folder', async () => {
  const folder = temporaryFolder();
  const store = testStore(folder);
  await writeExperiment(store, { name: 'test', runs: 4, tasks: 2, steps: 2 });
  await writeExperiment(store, { name: 'training', runs: 2, tasks: 1, steps: 2 });
  const long = Array.from({ length: 900 }, (_, nth) => `word${nth}`).join(' ');
  for (const [experiment, task] of [
    ['long', 'one'],
    ['copied', 'other'],
  ] as const) {
    const run = ulid();
    const made = createdBody(run);
    const body = {
      ...made,
      experiment,
      task: { ...made.task, id: task, hash: task === 'one' ? '1'.repeat(64) : '2'.repeat(64) },
      spec: { description: long },
    };
    await store.writer.append(run, 0, [{ kind: 'run.created', body }]);
  }
  const context = { store, reader: store.reader, folder } as unknown as CliContext;
  const ask = (...words: string[]) => experimentCommand(context, parseArguments(['experiment', ...words]));
  const found = await ask('overlap', 'test', '--with', 'training');
  expect(found).toMatchObject({
    exitCode: 1,
    json: { overlaps: [{ task: 'task-1', other: 'task-1', kind: 'package' }] },
  });
  // A description of this length lies apart from its event.
  expect((await ask('overlap', 'long', '--with', 'copied')).json).toMatchObject({
    overlaps: [{ task: 'one', other: 'other', kind: 'text', shared: 1 }],
  });
  const clean = await ask('overlap', 'long', '--with', 'training');
  expect(clean.exitCode).toBeUndefined();
  expect(clean.lines).toEqual(['No task is in both, and no description shares passages with another.']);
  await expect(ask('overlap', 'test')).rejects.toMatchObject({ code: 'bad_input' });
  await expect(ask('overlap', 'test', '--dataset', 'none')).rejects.toMatchObject({ code: 'not_found' });

  const out = join(temporaryFolder(), 'out');
  const settings = { annotator: { uuid: 'u', name: 'Ada' }, computers: [] };
  await exportCommand(
    { ...context, settings, environment: takenEnvironment({}) } as unknown as CliContext,
    parseArguments([
      ...['export', '--out', out, '--filter', 'experiment=training'],
      ...['--undecided', 'train', '--no-tools', 'allow'],
    ]),
  );
  const manifest = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
  const hash = '1'.padStart(64, '0');
  expect(manifest.composition).toEqual([
    { task: 'task-1', hash, domain: 'Data Construction', runs: 2, rows: 2, trained: 4, masked: 0 },
  ]);
  expect((await ask('overlap', 'test', '--dataset', out)).json).toMatchObject({
    overlaps: [{ task: 'task-1', other: 'task-1', kind: 'package' }],
  });
});
