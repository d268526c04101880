import { judgedTurn } from '@shared/judging/judged-turn';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { deeds, liveThrough } from '../../testing/random-run';
import { createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';

test('a step knows that its observation was shortened later, and keeps the whole text', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('cat big', 'x'.repeat(5000));
  await writer.command('echo 2', '2');
  await writer.command('echo 3', '3');
  await writer.record([
    {
      kind: 'context.shortened',
      body: { segment: 1, step: 1, call: 0, keepStart: 600, keepEnd: 400, was: 5000 },
    },
  ]);
  const detail = await store.reader.step(run, 1);
  expect(detail.shortened).toEqual([{ was: 5000, kept: 1000 }]);
  expect(detail.observations[0]?.text).toHaveLength(5000);
  expect((await store.reader.step(run, 2)).shortened).toEqual([]);
  const [head] = await store.reader.heads(run, 3, 3);
  expect(head?.after).toEqual([{ kind: 'shortened', step: 1, was: 5000, kept: 1000 }]);
});

test('steps that are read together for a judge are what each of them is alone', async () => {
  let compared = 0;
  for (const life of fc.sample(deeds, { numRuns: 40, seed: 5 })) {
    const store = testStore();
    const run = await liveThrough(store, life);
    await store.drain();
    const { steps } = await store.reader.run(run);
    const alone = await Promise.all(
      Array.from({ length: steps }, async (_, at) => await store.reader.step(run, at + 1)),
    );
    const done = alone.filter(({ head }) => head.done).map(judgedTurn);
    expect(await store.reader.judgedTurns(run, 1, steps)).toEqual(done);
    expect(await store.reader.judgedTurns(run, 2, 3)).toEqual(
      done.filter(({ step }) => [2, 3].includes(step)),
    );
    compared += done.length;
    await store.close();
  }
  expect(compared).toBeGreaterThan(40);
});
