import { expect, it } from 'vitest';
import { HintQueue } from './hint-queue';
import type { OutboxOp } from './outbox';

it('keeps the order, obeys edits and moves, and lets go of what was delivered, withdrawn or left over', () => {
  const queue = new HintQueue();
  const post = (...ops: OutboxOp[]) => {
    for (const body of ops) queue.applyEntry({ body });
  };
  const ids = () => queue.waiting().map(({ id }) => id);
  for (const hint of ['a', 'b', 'c', 'd', 'e'])
    post({ op: 'hint.queued', hint, text: hint, category: 'other' });
  post(
    { op: 'hint.queued', hint: 'a', text: 'again', category: 'other' },
    { op: 'hint.edited', hint: 'b', text: 'B' },
  );
  expect(queue.waiting().slice(0, 2)).toEqual([
    { id: 'a', text: 'a' },
    { id: 'b', text: 'B' },
  ]);
  post({ op: 'hint.moved', hint: 'e', before: 'a' }, { op: 'hint.moved', hint: 'a', before: null });
  expect(ids()).toEqual(['e', 'b', 'c', 'd', 'a']);
  post({ op: 'hint.moved', hint: 'b', before: 'b' }, { op: 'hint.moved', hint: 'x', before: 'a' });
  post({ op: 'hint.moved', hint: 'c', before: 'gone' }, { op: 'run.wake' });
  expect(ids()).toEqual(['e', 'b', 'd', 'a', 'c']);
  post({ op: 'hint.withdrawn', hint: 'd' });
  queue.applyEvent({ kind: 'hint.delivered', body: { step: 1, hints: [{ id: 'e', text: 'e' }], text: '' } });
  queue.applyEvent({ kind: 'hint.undelivered', body: { ids: ['a'] } });
  post({ op: 'hint.edited', hint: 'e', text: 'too late' }, { op: 'hint.moved', hint: 'e', before: null });
  expect(ids()).toEqual(['b', 'c']);
});
