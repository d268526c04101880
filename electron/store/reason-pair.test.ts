import { addsReason } from '@shared/reason-pair';
import { expect, test } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';

test('a reason given after a decision is told from the log alone, and two undos restore what stood before', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  for (let step = 1; step <= 6; step += 1) await writer.command('ls', 'a', { exitCode: 0 });
  const label = (value: 'train' | 'mask', reason: string | null, to = 5, author = alice) =>
    store.writer.annotate(author, { run, from: 2, to }, { op: 'label', value, reason });
  const stands = async () =>
    (await store.reader.step(run, 3)).labels.humans.map(({ value, reason }) => [value, reason]);

  await label('train', null);
  const before = await stands();
  const bare = await label('mask', null);
  const whole = await label('mask', 'blind-edit');
  expect(addsReason(whole, bare)).toBe(true);
  expect(await stands()).toEqual([['mask', 'blind-edit']]);
  expect((await store.writer.undo(run, alice))?.undid.ulid).toBe(whole.ulid);
  expect((await store.writer.undo(run, alice))?.undid.ulid).toBe(bare.ulid);
  expect(await stands()).toEqual(before);
  expect((await store.writer.redo(run, alice))?.redid.ulid).toBe(bare.ulid);
  expect((await store.writer.redo(run, alice))?.redid.ulid).toBe(whole.ulid);
  expect(await stands()).toEqual([['mask', 'blind-edit']]);

  // Neither another value, nor other steps, nor another person, nor a decision with something in between.
  expect(addsReason(await label('train', 'x'), whole)).toBe(false);
  const again = await label('mask', null);
  expect(addsReason(await label('train', 'x'), again)).toBe(false);
  const third = await label('mask', null);
  expect(addsReason(await label('mask', 'x', 4), third)).toBe(false);
  const fourth = await label('mask', null);
  expect(addsReason(await label('mask', 'x', 5, bob), fourth)).toBe(false);
  expect(addsReason(await label('mask', 'x'), fourth)).toBe(false);
});
