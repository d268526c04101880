import type { NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import { expect, onTestFinished, test } from 'vitest';
import { alice, bob, createRun, RunWriter } from '../../testing/run-writer';
import { testStore } from '../../testing/store-fixtures';
import { writeSummary } from '../../testing/write-summary';
import type { Store } from '../api';

/** A run that a driver has begun, in a workspace of its own. */
async function startedRun() {
  const store = testStore();
  const run = await createRun(store);
  const writer = new RunWriter(store, run);
  await writer.start();
  return { store, run, writer };
}

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

test('a delivered hint names the first prompt that holds it, which is no summary', async () => {
  const { store, run, writer } = await startedRun();
  await writer.command('ls', 'a', { exitCode: 0 });
  await writer.command('ls', 'b', { exitCode: 0 });
  const prompt = async () => (await store.reader.hints(run)).hints.map((hint) => [hint.step, hint.prompt]);
  await writer.hint('look in src');
  expect(await prompt()).toEqual([[2, 3]]);
  const steps = { from: 1, to: 1 };
  await writeSummary(writer, { segment: 1, steps, carried: { from: 2, to: 2 }, text: 'Summary' });
  expect(await prompt()).toEqual([[2, 4]]);
  await writer.command('ls', 'c', { exitCode: 0 });
  expect(await prompt()).toEqual([[2, 4]]);
});

test('a hint after a summary stands at the step whose observation carries it', async () => {
  const { store, run, writer } = await startedRun();
  await writer.command('ls', 'a', { exitCode: 0 });
  await writer.command('ls', 'b', { exitCode: 0 });
  const steps = { from: 1, to: 1 };
  await writeSummary(writer, { segment: 1, steps, carried: { from: 2, to: 2 }, text: 'Summary' });
  const hint = await writer.hint('look in src');
  await writer.command('ls', 'c', { exitCode: 0 });
  await store.drain();
  const { hints } = await store.reader.hints(run);
  expect(hints).toMatchObject([{ id: hint, step: 2, prompt: 4 }]);
  const heads = await store.reader.heads(run, 1, 4);
  expect(heads.map(({ after }) => after.filter(({ kind }) => kind === 'hint').length)).toEqual([0, 1, 0, 0]);
  const texts = await Promise.all(
    [2, 3, 4].map(async (step) => (await store.reader.step(run, step)).hintText),
  );
  expect(texts).toEqual(['\n\n<real_user>look in src</real_user>', null, null]);
  expect(
    (await store.reader.search({ run, query: 'src', from: { step: 1, direction: 1 }, limit: 10 })).hits.map(
      ({ step }) => step,
    ),
  ).toEqual([2]);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  await store.writer.remove(run, 'text', alice);
  expect(await store.reader.verify()).toMatchObject({ ok: true, runs: [{ purged: 'text' }] });
});

test('an edit that loses the race against delivery is refused, and leaves nothing behind', async () => {
  const { store, run, writer } = await startedRun();
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

test('a hint that waits for a condition: not sent before it is due, and verified whichever log comes first', async () => {
  const { store, run, writer } = await startedRun();
  await writer.command('ls', 'a', { exitCode: 0 });
  const lock = store.lockRun(run);
  onTestFinished(() => lock?.release());
  const hint = ulid();
  const deliver = { when: 'error_streak', steps: 2 } as const;
  const queued = { op: 'hint.queued', hint, text: 'look first', category: 'strategy', deliver } as const;
  const entry = await store.writer.post(run, alice, queued);
  expect(entry.seq).toBe((await store.reader.run(run)).seq);
  expect(await store.reader.hints(run)).toMatchObject({
    hints: [{ deliver, due: null, position: 1, state: 'queued' }],
    textToSend: '',
    waitsFor: { reason: 'condition', until: null },
  });
  const cameTrue = (by: string): NewEvent => ({ kind: 'hint.due', body: { id: hint, entry: by, why: 'so' } });
  await writer.record([cameTrue(entry.ulid)]);
  expect(await store.reader.hints(run)).toMatchObject({
    hints: [{ due: 'so', state: 'queued' }],
    textToSend: '\n\n<real_user>look first</real_user>',
    waitsFor: { reason: 'model' },
  });
  const edit = { op: 'hint.edited', hint, text: 'look twice', category: 'question' } as const;
  await store.writer.post(run, bob, { ...edit, deliver });
  expect((await store.reader.hints(run)).hints).toMatchObject([
    { due: 'so', category: 'question', text: 'look twice' },
  ]);
  const other = await store.writer.post(run, bob, { ...edit, deliver: { when: 'score_changes' } });
  await writer.record([cameTrue(entry.ulid)]);
  expect((await store.reader.hints(run)).hints).toMatchObject([
    { due: null, deliver: { when: 'score_changes' } },
  ]);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
  await writer.record([cameTrue(other.ulid)]);
  expect((await store.reader.hints(run)).hints).toMatchObject([{ due: 'so' }]);
  await store.writer.post(run, bob, { ...edit, deliver: { when: 'next_step' } });
  expect((await store.reader.hints(run)).hints).toMatchObject([
    { due: null, deliver: { when: 'next_step' } },
  ]);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});

test('the queue says why it waits: for the first hint that may go out, whatever stands before it', async () => {
  const { store, run, writer } = await startedRun();
  const reason = async () => (await store.reader.hints(run)).waitsFor?.reason;
  const deliver = { when: 'score_changes' } as const;
  await store.writer.post(run, alice, {
    op: 'hint.queued',
    hint: ulid(),
    text: 'later',
    category: 'other',
    deliver,
  });
  expect(await reason()).toBe('undriven');
  const lock = store.lockRun(run);
  onTestFinished(() => lock?.release());
  expect(await reason()).toBe('condition');
  await queue(store, run, 'now');
  await writer.answer('', 'sleep', { sleep_time: 60 });
  expect(await store.reader.hints(run)).toMatchObject({
    textToSend: '\n\n<real_user>now</real_user>',
    waitsFor: { reason: 'sleep', until: expect.any(Number) },
  });
  for (const [status, word] of [
    ['waiting_host', 'host'],
    ['waiting_human', 'human'],
    ['paused', 'paused'],
    ['stopped', 'ended'],
  ] as const) {
    await writer.record([{ kind: 'run.status', body: { status, reason: null, message: '' } }]);
    expect(await reason()).toBe(word);
  }
});

test('what became of a hint is said by people, taken back and undone, and changes no label', async () => {
  const { store, run, writer } = await startedRun();
  await writer.command('ls', 'a', { exitCode: 0 });
  const hint = await writer.hint('look in src');
  await writer.command('ls src', 'b', { exitCode: 0 });
  const target = { run, from: 1, to: 1 };
  const verdict = async () => (await store.reader.hints(run)).hints[0]?.verdict;
  const head = async () => (await store.reader.heads(run, 1, 1))[0]?.label;
  const before = await head();
  expect(await verdict()).toBeNull();
  await store.writer.annotate(alice, target, { op: 'hint', hint, verdict: 'acted_on' });
  expect(await verdict()).toBe('acted_on');
  await store.writer.annotate(bob, target, { op: 'hint', hint, verdict: 'ignored' });
  expect(await verdict()).toBeNull();
  await store.writer.undo(run, bob);
  expect(await verdict()).toBe('acted_on');
  await store.writer.redo(run, bob);
  expect(await verdict()).toBeNull();
  await store.writer.annotate(alice, target, { op: 'hint', hint, verdict: null });
  expect(await verdict()).toBe('ignored');
  expect(await head()).toEqual(before);
  await store.writer.annotate(alice, target, { op: 'label', value: 'mask', reason: null });
  await store.writer.annotate(alice, target, { op: 'hint', hint, verdict: 'ignored' });
  expect(await head()).toMatchObject({ value: 'mask', source: 'human' });
  expect(await store.reader.verify()).toMatchObject({ ok: true });
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
