import { expect, test } from 'vitest';
import { EventQueue } from './event-queue';

const run = '01ARZ3NDEKTSV4RRFFQ69G5FAV';

test('what replaces itself is kept once, ranges are joined, live text is dropped', () => {
  const queue = new EventQueue();
  queue.add('live.delta', { run, step: 1, text: 'x' });
  for (let seq = 1; seq <= 1_000; seq += 1) queue.add('run.changed', { run, seq, steps: seq });
  queue.add('labels.changed', { run, from: 5, to: 6 });
  queue.add('labels.changed', { run, from: 2, to: 3 });
  queue.add('session.grew', { run, sessions: [{ uid: 'a', endOffset: 1, lastByteAt: 1 }] });
  queue.add('session.grew', { run, sessions: [{ uid: 'b', endOffset: 2, lastByteAt: 2 }] });
  const page = { run, uid: 'a', live: 1, offset: 0, endOffset: 1, bytes: new Uint8Array(1) };
  queue.add('live.session', page);
  queue.add('live.session', { ...page, offset: 1, endOffset: 2 });

  const events = [];
  for (let event = queue.next(); event !== null; event = queue.next()) events.push(event);
  expect(events).toEqual([
    { name: 'run.changed', payload: { run, seq: 1_000, steps: 1_000 } },
    { name: 'labels.changed', payload: { run, from: 2, to: 6 } },
    {
      name: 'session.grew',
      payload: {
        run,
        sessions: [
          { uid: 'a', endOffset: 1, lastByteAt: 1 },
          { uid: 'b', endOffset: 2, lastByteAt: 2 },
        ],
      },
    },
    { name: 'live.session', payload: page },
    { name: 'live.session', payload: { ...page, offset: 1, endOffset: 2 } },
  ]);
});

test('a link that stands still holds a bounded number of events', () => {
  const queue = new EventQueue();
  for (let count = 0; count < 20_000; count += 1) {
    queue.add('run.changed', { run: String(count), seq: 1, steps: 1 });
  }
  expect(queue.size).toBe(10_000);
});
