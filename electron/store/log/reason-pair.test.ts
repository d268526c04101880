import type { Author } from '@shared/log/annotations';
import { expect, test } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';

test('a decision and the reason given right after it are one undo, told from the log alone', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 6; step += 1) await writer.command('ls', 'a', { exitCode: 0 });
  const label = (value: 'train' | 'mask', reason: string | null, to = 5, author = alice) =>
    store.writer.annotate(author, { run, from: 2, to }, { op: 'label', value, reason });
  const stands = async () =>
    (await store.reader.step(run, 3)).labels.humans.map(({ value, reason }) => [value, reason]);
  const undone = async (author: Author = alice) =>
    (await store.writer.undo(run, author))?.unit.map(({ ulid }) => ulid);

  await label('train', null);
  const before = await stands();
  const bare = await label('mask', null);
  const whole = await label('mask', 'blind-edit');
  expect(await stands()).toEqual([['mask', 'blind-edit']]);
  expect(await undone()).toEqual([bare.ulid, whole.ulid]);
  expect(await stands()).toEqual(before);
  expect((await store.writer.redo(run, alice))?.redid.ulid).toBe(whole.ulid);
  expect(await store.writer.redo(run, alice)).toBeNull();
  expect(await stands()).toEqual([['mask', 'blind-edit']]);

  // Neither another value, nor other steps, nor another person, nor a decision with something in between.
  const other = await label('train', 'x');
  expect(await undone()).toEqual([other.ulid]);
  await label('mask', null);
  const another = await label('train', 'x');
  expect(await undone()).toEqual([another.ulid]);
  await label('mask', null);
  const fewer = await label('mask', 'x', 4);
  expect(await undone()).toEqual([fewer.ulid]);
  await label('mask', null);
  const bobs = await label('mask', 'x', 5, bob);
  expect(await undone(bob)).toEqual([bobs.ulid]);
  const late = await label('mask', 'x');
  expect(await undone()).toEqual([late.ulid]);
});
