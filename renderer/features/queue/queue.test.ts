import type { QueueItem } from '@shared/labels/review/queue-views';
import { beforeEach, expect, test } from 'vitest';
import { BridgeStand, settled } from '../../state/bridge-fixtures';
import { noteGesture } from '../../state/gestures';
import { useFilter } from '../../state/rows/filter';
import { useRuns } from '../../state/run/runs';
import { openTimeline, useTimeline } from '../../state/run/timeline';
import { decide, give } from '../labels/labels';
import { goQueue, leaveQueue, placeAfter, startQueue, useQueue } from './queue';

const one = '01K000000000000000000000R1';
const two = '01K000000000000000000000R2';
const item = (
  run: string,
  step: number,
  place: number | null = null,
  of: number | null = null,
): QueueItem => ({
  run,
  step,
  class: place === null ? 'open' : 'disagreement',
  place,
  of,
});
const runs = [one, two].map((id) => ({ id, seq: 9, steps: 9 }));

function stand(next: () => QueueItem | null): BridgeStand {
  return new BridgeStand({
    'queue.next': () => next(),
    'queue.view': () => ({ runs: [], total: 0, decided: 0, left: {} }),
    'timeline.heads': () => [],
    'timeline.tiles': () => [],
    'labels.apply': () => ({}),
    'runs.summary': ({ run }: { run: string }) => runs.find(({ id }) => id === run),
  });
}

beforeEach(() => {
  leaveQueue();
  useRuns.setState({ list: runs as never, current: one });
});

test('the next item is opened where it is, also in another run', async () => {
  const bridge = stand(() => item(two, 4));
  const stop = useRuns.subscribe(({ current }) => openTimeline(current, 9, 9));
  openTimeline(one, 9, 9);
  await goQueue(1);
  expect(useRuns.getState().current).toBe(two);
  expect(useTimeline.getState()).toMatchObject({ run: two, cursor: 4 });
  expect(bridge.calls.find(([name]) => name === 'queue.next')?.[1]).toEqual({
    run: one,
    from: { run: one, step: 9, class: null },
    direction: 1,
  });
  stop();
});

test('a decision about the item goes on to the next one; one about another step does not', async () => {
  let next: QueueItem | null = item(one, 3, 1, 2);
  const bridge = stand(() => next);
  openTimeline(one, 9, 9);
  const stop = startQueue();
  await goQueue(1);
  next = item(one, 7, 2, 2);
  const asked = () => bridge.calls.filter(([name]) => name === 'queue.next').length;
  await give({ run: one, parts: [{ from: 5, to: 5 }], value: 'train', reason: null });
  await settled();
  expect(asked()).toBe(1);
  await give({ run: one, parts: [{ from: 3, to: 3 }], value: 'train', reason: null });
  await settled();
  expect(asked()).toBe(2);
  expect(useTimeline.getState().cursor).toBe(7);
  expect(useQueue.getState().place).toEqual({ at: 2, of: 2 });
  stop();
});

test('a label key is refused between a decision and the look at the next item, which no filter hides', async () => {
  let next: QueueItem | null = item(one, 3, 1, 2);
  const bridge = stand(() => next);
  openTimeline(one, 9, 9);
  const stop = startQueue();
  await goQueue(1);
  noteGesture(performance.now() + 1_000);
  next = item(one, 7, 2, 2);
  useFilter.setState({ query: { error: true }, steps: [3, 5] });
  decide('mask');
  noteGesture(performance.now());
  decide('mask');
  await settled();
  expect(useTimeline.getState().cursor).toBe(7);
  expect(useFilter.getState().steps).toBeNull();
  noteGesture(performance.now());
  decide('mask');
  await settled();
  const labelled = () =>
    bridge.calls.flatMap(([name, input]) =>
      name === 'labels.apply' ? [(input as { from: number }).from] : [],
    );
  expect(labelled()).toEqual([3]);
  noteGesture(performance.now() + 1_000);
  decide('mask');
  await settled();
  expect(labelled()).toEqual([3, 7]);
  stop();
});

test('queue mode ends when nothing is left', async () => {
  let next: QueueItem | null = item(one, 3);
  stand(() => next);
  openTimeline(one, 9, 9);
  await goQueue(1);
  expect(useQueue.getState().item?.step).toBe(3);
  next = null;
  await goQueue(1);
  expect(useQueue.getState().item).toBeNull();
});

test('the place is counted from where the person began', () => {
  const first = placeAfter(null, item(one, 1, 1, 41), 1);
  expect(first).toEqual({ at: 1, of: 41 });
  const second = placeAfter(first, item(one, 2, 1, 40), 1);
  expect(placeAfter(second, item(one, 5, 1, 39), 1)).toEqual({ at: 3, of: 41 });
  expect(placeAfter(second, item(one, 1, 1, 41), -1)).toEqual({ at: 1, of: 41 });
  expect(placeAfter(second, item(one, 8), 1)).toBeNull();
  expect(placeAfter({ at: 41, of: 41 }, item(one, 2, 1, 3), 1)).toEqual({ at: 1, of: 3 });
});
