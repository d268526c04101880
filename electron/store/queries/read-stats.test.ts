import { join } from 'node:path';
import { evaluated } from '@shared/log/event-fixtures';
import type { DatedEvent, NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { parseArguments } from '../../cli/arguments';
import type { CliContext } from '../../cli/context';
import { statsCommand } from '../../cli/stats-commands';
import { importResearchGym } from '../../dataset/importers/researchgym/import-researchgym';
import { alice, bob, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';

const node = join(import.meta.dirname, '../../../e2e/fixtures/researchgym/react-node-real-depth70.json');

const answer = (step: number): NewEvent => ({
  kind: 'model.answered',
  body: {
    step,
    stepId: ulid(),
    kind: 'act',
    text: '',
    reasoning: '',
    calls: [],
    invalid: [],
    usage: null,
    cost: null,
    model: 'm',
    finishReason: null,
    durationMs: 1,
  },
});

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

test('hours are working time, as an experiment counts it: at each score, at each point and at the end', async () => {
  const store = testStore();
  const run = ulid();
  const minutes = (n: number) => 1_000_000 + n * 60_000;
  const status = (at: number, to: 'running' | 'paused' | 'waiting_human' | 'finished'): DatedEvent => ({
    kind: 'run.status',
    body: { status: to, reason: null, message: '' },
    at: minutes(at),
  });
  const scored = (at: number, step: number, score: number): DatedEvent => ({
    kind: 'evaluation.ended',
    body: evaluated(step, score, { attempt: step }),
    at: minutes(at),
  });
  const driver = (at: number, epoch: number): DatedEvent => ({
    kind: 'driver.started',
    body: { epoch, pid: 1, host: 'h', app: '1', runtime: 'node', reason: epoch === 1 ? 'start' : 'resume' },
    at: minutes(at),
  });
  const answered = (at: number, step: number): DatedEvent => ({ ...answer(step), at: minutes(at) });
  const parts: DatedEvent[][] = [
    [{ kind: 'run.created', body: { ...createdBody(run), experiment: 'hours' }, at: minutes(0) }],
    [driver(0, 1), status(0, 'running'), answered(10, 1), scored(20, 1, 30)],
    // A night of waiting, and a driver that was killed without a word.
    [status(30, 'waiting_human'), status(630, 'running'), answered(640, 2), scored(650, 2, 50)],
    [
      driver(1_650, 2),
      status(1_650, 'running'),
      answered(1_660, 3),
      scored(1_670, 3, 40),
      status(1_680, 'finished'),
    ],
  ];
  let seq = 0;
  for (const events of parts) {
    await store.writer.append(run, seq, events);
    seq += events.length;
  }
  const stats = await store.reader.stats(run);
  const inMinutes = (each: { workingMs: number | null }) => (each.workingMs ?? Number.NaN) / 60_000;
  expect(stats.points.map(inMinutes)).toEqual([10, 40, 60]);
  expect(stats.evaluations.map(inMinutes)).toEqual([20, 50, 70]);
  expect(inMinutes(stats)).toBe(80);
  const [asked] = await store.reader.experiment('hours');
  expect(stats.evaluations.map(({ workingMs }) => workingMs)).toEqual(asked?.scores.map(({ ms }) => ms));
  expect(stats.workingMs).toBe(asked?.workingMs);
  const context = { store, reader: store.reader, author: alice } as unknown as CliContext;
  expect((await statsCommand(context, parseArguments(['stats', run]))).lines[0]).toContain(
    '1.3 working hours',
  );
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
  expect(lines[0]).toMatch(/^Node: 69 steps in 1 segment, working time unknown, \d+ tokens in/);
  expect(lines.join('\n')).toMatch(/Evaluations\n {2}step \d+ +try 1/);
  expect(json).toMatchObject({ run, steps: 69 });
});
