import { spentIn } from '@shared/log/event-fixtures';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { alice, createdBody, createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';

test.each([
  128, 130, 191,
])('a branch after step %i has tiles for its own steps only, rebuilt or not', async (step) => {
  const store = testStore();
  const parent = { run: await createRun(store), step };
  const run = ulid();
  const writer = new RunWriter(store, run);
  await store.writer.append(run, 0, [{ kind: 'run.created', body: { ...createdBody(run), parent } }]);
  await writer.start();
  await writer.record([
    {
      kind: 'branch.began',
      body: {
        parent,
        checkpoint: null,
        spent: spentIn(step),
        dropped: [],
        added: [],
        message: '',
      },
    },
  ]);
  writer.step = step;
  for (let own = 0; own < 70; own += 1) await writer.command('true', '');
  const at = step + 3;
  await store.writer.annotate(alice, { run, from: at, to: at }, { op: 'label', value: 'mask', reason: null });
  expect((await store.reader.verify([run])).runs).toMatchObject([{ problems: [] }]);
});
