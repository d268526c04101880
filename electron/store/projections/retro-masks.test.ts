import { expect, test } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';

async function masks(store: Store, run: string, author = alice.uuid) {
  const open = await store.reader.openHints(run, author);
  return Promise.all(open.map((hint) => store.reader.retroMask(run, hint)));
}

async function twoHints(store: Store) {
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls data', 'a', { exitCode: 0 });
  await writer.command('python train.py --use_lora', 'ok', { exitCode: 0, thought: 'LoRA is quick' });
  await writer.command('tail train.log', 'loss', { exitCode: 0 });
  const lora = await writer.hint('Do not use LoRA: train the whole model.');
  await writer.command('python eval.py --use_lora', 'ok', { exitCode: 0 });
  await writer.command('sleep 30', '', { exitCode: 0 });
  const thanks = await writer.hint('Thank you, go on.');
  await writer.command('ls', '', { exitCode: 0 });
  return { run, lora, thanks };
}

test('a delivered hint proposes what it contradicts, and nothing without evidence', async () => {
  const store = testStore();
  const { run, lora } = await twoHints(store);
  expect(await masks(store, run)).toEqual([
    {
      run,
      hint: lora,
      number: 1,
      text: 'Do not use LoRA: train the whole model.',
      delivered: 3,
      from: 2,
      to: 2,
      evidence: [{ step: 2, words: ['LoRA'] }],
    },
    null,
  ]);
});

test('an accepted proposal is gone for everybody until it is undone, a dismissed one for that person', async () => {
  const store = testStore();
  const { run, lora, thanks } = await twoHints(store);
  const open = async (author: string) => (await store.reader.openHints(run, author)).map(({ hint }) => hint);
  const mask = { op: 'label', value: 'mask', reason: 'contradicts-hint' } as const;
  await store.writer.annotate(alice, { run, from: 2, to: 3 }, mask);
  expect(await open(alice.uuid)).toEqual([thanks]);
  expect(await open(bob.uuid)).toEqual([thanks]);
  await store.writer.undo(run, alice);
  expect(await open(bob.uuid)).toEqual([lora, thanks]);
  await store.writer.dismissRetroMask(run, lora, alice.uuid);
  await store.writer.dismissRetroMask(run, lora, alice.uuid);
  expect(await open(alice.uuid)).toEqual([thanks]);
  expect(await open(bob.uuid)).toEqual([lora, thanks]);
  await expect(store.writer.dismissRetroMask('01ARZ3NDEKTSV4RRFFQ69G5FAV', lora, 'x')).rejects.toMatchObject({
    code: 'not_found',
  });
});

test('another reason on the same steps does not answer a proposal', async () => {
  const store = testStore();
  const { run, lora, thanks } = await twoHints(store);
  await store.writer.annotate(
    alice,
    { run, from: 1, to: 6 },
    { op: 'label', value: 'mask', reason: 'other' },
  );
  expect((await store.reader.openHints(run, alice.uuid)).map(({ hint }) => hint)).toEqual([lora, thanks]);
});

test('decided steps are examples of the reason they were decided for, as long as the decision stands', async () => {
  const store = testStore();
  const { run } = await twoHints(store);
  const label = (from: number, to: number, reason: string | null) =>
    store.writer.annotate(alice, { run, from, to }, { op: 'label', value: 'mask', reason });
  await label(1, 4, 'blind-edit');
  await label(2, 2, null);
  await label(6, 6, 'idle-compute');
  expect(await store.reader.decidedExamples(run)).toEqual([
    { reason: 'blind-edit', steps: [1, 3, 4], total: 3 },
    { reason: 'idle-compute', steps: [6], total: 1 },
  ]);
  await store.writer.undo(run, alice);
  expect((await store.reader.decidedExamples(run)).map(({ reason }) => reason)).toEqual(['blind-edit']);
});
