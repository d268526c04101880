import type { NewEvent } from '@shared/events';
import { ulid } from 'ulid';
import { expect, test } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';
import type { Store } from './api';

async function queue(store: Store, run: string, text: string): Promise<string> {
  const hint = ulid();
  await store.writer.post(run, alice, { op: 'hint.queued', hint, text, category: 'strategy' });
  return hint;
}

async function order(store: Store, run: string): Promise<string[]> {
  const { hints } = await store.reader.hints(run);
  return hints
    .filter(({ position }) => position !== null)
    .sort((a, b) => (a.position ?? 0) - (b.position ?? 0))
    .map(({ text }) => text);
}

test('hints are queued, edited, moved and withdrawn', async () => {
  const store = testStore();
  const run = await createRun(store);
  const one = await queue(store, run, 'one');
  const two = await queue(store, run, 'two');
  const three = await queue(store, run, 'three');
  await store.writer.post(run, bob, { op: 'hint.moved', hint: three, before: one });
  expect(await order(store, run)).toEqual(['three', 'one', 'two']);
  await store.writer.post(run, bob, { op: 'hint.moved', hint: three, before: null });
  await store.writer.post(run, bob, { op: 'hint.edited', hint: two, text: 'deux' });
  await store.writer.post(run, bob, { op: 'hint.withdrawn', hint: one });
  expect(await order(store, run)).toEqual(['deux', 'three']);
  const { hints, textToSend, waitsFor } = await store.reader.hints(run);
  expect(hints.map(({ number, state, author }) => [number, state, author])).toEqual([
    [1, 'withdrawn', 'Alice'],
    [2, 'queued', 'Alice'],
    [3, 'queued', 'Alice'],
  ]);
  expect(textToSend).toBe('\n\n<real_user>deux</real_user>\n\n<real_user>three</real_user>');
  expect(waitsFor).toEqual({ reason: 'undriven', until: null });
  await expect(
    store.writer.post(run, bob, { op: 'hint.edited', hint: one, text: 'x' }),
  ).rejects.toMatchObject({
    code: 'hint_withdrawn',
  });
  await expect(store.writer.post(run, bob, { op: 'hint.withdrawn', hint: ulid() })).rejects.toMatchObject({
    code: 'not_found',
  });
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('an edit that loses the race against delivery is refused, and leaves nothing behind', async () => {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  await writer.command('ls', 'a', { exitCode: 0 });
  const hint = await writer.hint('look in src');
  const before = await store.reader.outbox(run, 0);
  for (const op of [
    { op: 'hint.edited', hint, text: 'later' },
    { op: 'hint.withdrawn', hint },
    { op: 'hint.moved', hint, before: null },
  ] as const) {
    await expect(store.writer.post(run, alice, op)).rejects.toMatchObject({ code: 'hint_already_delivered' });
  }
  expect(await store.reader.outbox(run, 0)).toEqual(before);
  expect((await store.reader.hints(run)).hints[0]).toMatchObject({
    state: 'delivered',
    step: 1,
    position: null,
  });
  const [head] = await store.reader.heads(run, 1, 1);
  expect(head?.after).toEqual([{ kind: 'hint', hints: [{ id: hint, number: 1, text: 'look in src' }] }]);
});

test('a delivery that did not know the newest entry is not written', async () => {
  const store = testStore();
  const run = await createRun(store);
  const head = await store.reader.outboxHead(run);
  await queue(store, run, 'new');
  const { seq } = await store.reader.run(run);
  const event: NewEvent = { kind: 'hint.undelivered', body: { ids: [] } };
  expect(await store.writer.appendIfOutboxAt(run, 1, head, [event])).toEqual({ raced: true, seq });
  const now = await store.reader.outboxHead(run);
  expect(await store.writer.appendIfOutboxAt(run, 1, now, [event])).toEqual({ raced: false, seq: seq + 1 });
});
