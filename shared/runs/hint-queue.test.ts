import { expect, it } from 'vitest';
import type { NewEvent } from '../log/events';
import type { HintDelivery, OutboxOp } from '../log/outbox';
import { HintQueue } from './hint-queue';

function queueOf(...ops: OutboxOp[]) {
  const queue = new HintQueue();
  let entries = 0;
  const post = (...more: OutboxOp[]) => {
    for (const body of more) {
      entries += 1;
      queue.applyEntry({ body, ulid: `e${entries}`, at: entries, seq: entries * 10 });
    }
  };
  post(...ops);
  return {
    queue,
    post,
    ids: () => queue.waiting().map(({ id }) => id),
    due: () => queue.due().map(({ id }) => id),
  };
}

const queued = (hint: string, deliver?: HintDelivery): OutboxOp => ({
  op: 'hint.queued',
  hint,
  text: hint,
  category: 'other',
  ...(deliver === undefined ? {} : { deliver }),
});

it('keeps the order, obeys edits and moves, and lets go of what was delivered, withdrawn or left over', () => {
  const { queue, post, ids } = queueOf(...['a', 'b', 'c', 'd', 'e'].map((hint) => queued(hint)));
  post(
    { op: 'hint.queued', hint: 'a', text: 'again', category: 'other' },
    { op: 'hint.edited', hint: 'b', text: 'B' },
    { op: 'hint.edited', hint: 'x', text: 'nobody' },
  );
  expect(queue.waiting().slice(0, 2)).toMatchObject([
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

it('a hint that waits for a condition holds back none behind it, and goes in queue order once it is due', () => {
  const { queue, ids, due } = queueOf(
    queued('a', { when: 'score_changes' }),
    queued('b'),
    queued('c', { when: 'wake' }),
  );
  expect(due()).toEqual(['b', 'c']);
  expect(ids()).toEqual(['a', 'b', 'c']);
  queue.applyEvent({ kind: 'hint.due', body: { id: 'a', entry: 'e1', why: 'Score 10' } });
  expect(due()).toEqual(['a', 'b', 'c']);
  expect(queue.waiting()[0]).toMatchObject({ due: 'Score 10', set: { entry: 'e1', seq: 10, at: 1 } });
});

it('an edit that changes the condition waits anew, one that repeats it does not', () => {
  const streak: HintDelivery = { when: 'error_streak', steps: 3 };
  const { queue, post, due } = queueOf(queued('a', streak));
  const cameTrue = (entry: string): NewEvent => ({ kind: 'hint.due', body: { id: 'a', entry, why: 'so' } });
  queue.applyEvent(cameTrue('e1'));
  post({ op: 'hint.edited', hint: 'a', text: 'A', deliver: { when: 'error_streak', steps: 3 } });
  expect(due()).toEqual(['a']);
  post({ op: 'hint.edited', hint: 'a', text: 'A', deliver: { when: 'error_streak', steps: 4 } });
  expect(due()).toEqual([]);
  // The driver had not seen the edit yet.
  queue.applyEvent(cameTrue('e1'));
  expect(due()).toEqual([]);
  queue.applyEvent(cameTrue('e3'));
  expect(due()).toEqual(['a']);
});

it('a resumed driver reads the run log before the outbox and comes to the same queue', () => {
  const { queue, post, due } = queueOf();
  queue.applyEvent({ kind: 'hint.due', body: { id: 'a', entry: 'e1', why: 'so' } });
  queue.applyEvent({ kind: 'hint.delivered', body: { step: 1, hints: [{ id: 'b', text: 'b' }], text: '' } });
  post(queued('a', { when: 'score_changes' }), queued('b'), queued('c', { when: 'score_changes' }));
  expect(due()).toEqual(['a']);
});
