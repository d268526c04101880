import { expect, test } from 'vitest';
import { alice, createRun, RunWriter } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';
import type { StoreNotice } from './notices';

test('a run is created, driven and read back with its heads', async () => {
  const store = testStore();
  const notices: StoreNotice[] = [];
  store.subscribe((notice) => notices.push(notice));
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls -la\npwd', 'total 0\n', { exitCode: 0 });
  await writer.command('false', 'oops', { exitCode: 1 });
  await writer.request();
  const summary = await store.reader.run(run);
  expect(summary).toMatchObject({
    steps: 2,
    stored: 'running',
    segments: 1,
    labels: { mask: 1, undecided: 1 },
  });
  const heads = await store.reader.heads(run, 1, 10);
  expect(
    heads.map(({ step, title, observation, exitCode, done }) => [step, title, observation, exitCode, done]),
  ).toEqual([
    [1, 'ls -la', 'total 0', 0, true],
    [2, 'false', 'oops', 1, true],
    [3, '', '', null, false],
  ]);
  expect(await store.reader.matches(run, { error: true })).toEqual([2]);
  expect(await store.reader.countMatches(run, { tool: ['run_command'] })).toBe(2);
  expect(notices.filter(({ kind }) => kind === 'run')).toHaveLength(9);
  const events = await store.reader.events(run, 1, 2000);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));
});

test('the exact prompt of every step is rebuilt and its hash holds', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('cat big', 'x'.repeat(5000), { exitCode: 0 });
  await writer.hint('use less');
  await writer.command('less big', 'y', { exitCode: 0 });
  const prompt = await store.reader.prompt(run, 2);
  expect(prompt.verified).toBe(true);
  expect(prompt.messages.at(-1)?.content).toContain('<real_user>use less</real_user>');
  const detail = await store.reader.step(run, 1);
  expect(detail.observations[0]?.text).toHaveLength(5000);
  expect(detail.hintText).toContain('use less');
});

test('labels: a key, a range, undo and redo', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 5; step += 1) {
    await writer.command(`echo ${step}`, `${step}`, { exitCode: 0 });
  }
  await store.writer.annotate(alice, { run, from: 1, to: 5 }, { op: 'label', value: 'train', reason: null });
  await store.writer.annotate(
    alice,
    { run, from: 3, to: 3 },
    { op: 'label', value: 'mask', reason: 'wrong' },
  );
  const labels = async () => (await store.reader.heads(run, 1, 5)).map(({ label }) => label.value);
  expect(await labels()).toEqual(['train', 'train', 'mask', 'train', 'train']);
  expect((await store.writer.undo(run, alice))?.undid.body).toMatchObject({ value: 'mask' });
  expect(await labels()).toEqual(['train', 'train', 'train', 'train', 'train']);
  await store.writer.undo(run, alice);
  expect(await labels()).toEqual([null, null, null, null, null]);
  expect(await store.writer.undo(run, alice)).toBeNull();
  await store.writer.redo(run, alice);
  expect((await store.writer.redo(run, alice))?.redid.body).toMatchObject({ value: 'mask' });
  expect(await labels()).toEqual(['train', 'train', 'mask', 'train', 'train']);
  expect((await store.reader.run(run)).labels).toEqual({ train: 4, mask: 1, undecided: 0, disagreement: 0 });
});

test('a step that still acts is seen, found by number, labelled, and counted', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'a', { exitCode: 0 });
  await writer.answer('sleep 600', 'run_command', { command: 'sleep 600' });
  expect((await store.reader.heads(run, 1, 9)).map(({ step, title, done }) => [step, title, done])).toEqual([
    [1, 'ls', true],
    [2, 'sleep 600', false],
  ]);
  expect((await store.reader.step(run, 2)).observations).toMatchObject([{ name: 'run_command', ok: null }]);
  expect((await store.reader.prompt(run, 2)).verified).toBe(true);
  expect((await store.reader.run(run)).labels.undecided).toBe(2);
  expect((await store.reader.tiles(run))[0]).toMatchObject({ n: 2, undecided: 2 });
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  await store.writer.annotate(alice, { run, from: 2, to: 2 }, { op: 'label', value: 'train', reason: null });
  expect((await store.reader.heads(run, 2, 2))[0]?.label.value).toBe('train');
  expect((await store.reader.run(run)).labels).toMatchObject({ train: 1, undecided: 1 });
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  await writer.observe('done', { exitCode: 0 });
  expect((await store.reader.heads(run, 2, 2))[0]).toMatchObject({ done: true, label: { value: 'train' } });
  await store.drain();
  expect(
    (await store.reader.search({ run, query: 'sleep', from: { step: 1, direction: 1 }, limit: 5 })).total,
  ).toBe(1);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});
