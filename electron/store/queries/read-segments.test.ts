import { expect, test } from 'vitest';
import { createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import { writeSummary } from '../../testing/write-summary';

const none = { train: 0, mask: 0, undecided: 0, disagreement: 0 };

test('segments tell their first step and the summary that opened them', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  expect(await store.reader.segments(run)).toEqual([]);
  await writer.start();
  expect(await store.reader.segments(run)).toEqual([
    { segment: 1, firstStep: 1, summaryStep: null, lastStep: 0, carried: null, counts: none },
  ]);
  for (let step = 1; step <= 5; step += 1) await writer.command(`echo ${step}`, `${step}`);
  await writeSummary(writer, {
    segment: 1,
    steps: { from: 1, to: 2 },
    carried: { from: 3, to: 5 },
    text: 'So far',
  });
  expect((await store.reader.segments(run)).at(-1)).toEqual({
    segment: 2,
    firstStep: 7,
    summaryStep: 6,
    lastStep: 6,
    carried: { from: 3, to: 5 },
    counts: none,
  });
  await writer.command('echo 7', '7');
  await writer.command('echo 8', '8');
  await writeSummary(writer, {
    segment: 2,
    steps: { from: 3, to: 5 },
    carried: { from: 7, to: 8 },
    text: 'Since then',
  });
  await writer.request();
  await writer.command('echo 10', '10');
  expect(await store.reader.segments(run)).toEqual([
    {
      segment: 1,
      firstStep: 1,
      summaryStep: null,
      lastStep: 6,
      carried: null,
      counts: { ...none, train: 1, undecided: 5 },
    },
    {
      segment: 2,
      firstStep: 7,
      summaryStep: 6,
      lastStep: 9,
      carried: { from: 3, to: 5 },
      counts: { ...none, train: 1, undecided: 2 },
    },
    {
      segment: 3,
      firstStep: 10,
      summaryStep: 9,
      lastStep: 10,
      carried: { from: 7, to: 8 },
      counts: { ...none, undecided: 1 },
    },
  ]);
  const [head] = await store.reader.heads(run, 9, 9);
  expect(head?.after).toEqual([
    {
      kind: 'summary',
      step: 9,
      steps: { from: 3, to: 5 },
      pair: true,
      carried: { from: 7, to: 8 },
      tokensBefore: 98_000,
      tokensAfter: 41_000,
      missing: [],
    },
  ]);
});

test('a segment that was opened again without a refused parameter is listed once', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  const [opened] = (await store.reader.events(run, 1, 100)).flatMap(({ kind, body }) =>
    kind === 'segment.started' ? [{ kind, body }] : [],
  );
  await writer.record(
    opened === undefined ? [] : [{ ...opened, body: { ...opened.body, request: { model: 'scripted' } } }],
  );
  await writer.command('ls', 'out', { exitCode: 0 });
  expect(await store.reader.segments(run)).toMatchObject([{ segment: 1, firstStep: 1, lastStep: 1 }]);
});
