import type { OwnTerminal } from '@shared/contract/computers';
import type { SessionView } from '@shared/contract/views';
import { beforeEach, expect, it } from 'vitest';
import { lastGesture, noteGesture } from '../../state/gestures';
import { grown } from './sessions';
import {
  chooseTerminal,
  idOf,
  nextShown,
  showMoment,
  shownAt,
  shownList,
  takeEnter,
  useShown,
  zoomed,
} from './sessions-shown';

const session = (uid: string, lastByteAt: number | null): SessionView => ({
  run: 'r',
  computer: 'local',
  session: uid,
  uid,
  rows: 24,
  cols: 80,
  endOffset: 10,
  lastByteAt,
  state: 'idle',
  exitCode: null,
  command: null,
  gaps: [],
});
const own = (id: string): OwnTerminal => ({
  id,
  computer: 'local',
  name: id,
  rows: 24,
  cols: 80,
  startOffset: 0,
  endOffset: 0,
  lastByteAt: 99,
  state: 'idle',
  link: 'good',
});

const list = shownList([session('a', 5), session('b', 9), session('c', null)], [own('mine')]);

beforeEach(() =>
  useShown.setState({ chosen: null, wall: false, moment: null, enter: null, searching: false }),
);

it('zooms the chosen terminal, else the session of the agent that printed last', () => {
  expect(zoomed(list, null)).toMatchObject({ session: { uid: 'b' } });
  expect(zoomed(list, 'mine')).toMatchObject({ terminal: { id: 'mine' } });
  expect(zoomed(list, 'gone')).toMatchObject({ session: { uid: 'b' } });
  expect(zoomed(shownList([], [own('mine')]), null)).toMatchObject({ terminal: { id: 'mine' } });
  expect(zoomed([], null)).toBeUndefined();
});

it('goes round with one key, through the person’s terminals too', () => {
  const order: string[] = [];
  for (let at: string | null = 'a'; order.length < 4; ) {
    const next = nextShown(list, at);
    at = next === undefined ? null : idOf(next);
    order.push(at ?? '');
  }
  expect(order).toEqual(['b', 'c', 'mine', 'a']);
  expect(nextShown([], null)).toBeUndefined();
});

it('leaves wall and moment when a terminal is chosen, and goes into it only when asked', () => {
  useShown.setState({ wall: true });
  showMoment('a', 7);
  expect(useShown.getState()).toMatchObject({ chosen: 'a', wall: false, moment: { uid: 'a', until: 7 } });
  chooseTerminal('mine');
  expect(useShown.getState()).toMatchObject({ chosen: 'mine', moment: null, enter: null });
  chooseTerminal('mine', { enter: true });
  expect(useShown.getState().enter).toEqual({ id: 'mine', gesture: lastGesture().number });
});

it('lets the keyboard into a terminal once for each time it was asked for, and not after another key', () => {
  chooseTerminal('mine', { enter: true });
  expect(takeEnter('a')).toBe(false);
  expect(takeEnter('mine')).toBe(true);
  expect(takeEnter('mine')).toBe(false);
  chooseTerminal('mine', { enter: true });
  noteGesture(0);
  expect(takeEnter('mine')).toBe(false);
  expect(useShown.getState().enter).toBeNull();
});

it('grows sessions that printed and leaves the others as they are', () => {
  const before = [session('a', 5), session('b', 9)];
  const after = grown(before, [
    { uid: 'a', endOffset: 30, lastByteAt: 77 },
    { uid: 'b', endOffset: 4, lastByteAt: 78 },
    { uid: 'elsewhere', endOffset: 4, lastByteAt: 78 },
  ]);
  expect(after[0]).toMatchObject({ endOffset: 30, lastByteAt: 77 });
  expect(after[1]).toBe(before[1]);
  expect(after).toHaveLength(2);
});

it('at a step sessions are as they were, and the person’s terminals are left out', () => {
  const at = [{ uid: 'a', endOffset: 3, state: 'busy' as const, exitCode: null, command: 'train' }];
  const then = shownAt(list, at);
  expect(then).toMatchObject([
    { past: { here: true }, session: { endOffset: 3, state: 'busy', command: 'train', lastByteAt: null } },
    { past: { here: false }, session: { uid: 'b', endOffset: 0, state: 'unknown' } },
    { past: { here: false }, session: { uid: 'c' } },
  ]);
  expect(then).toHaveLength(3);
  expect(shownAt(list, null)[0]).toMatchObject({ past: { here: null }, session: { endOffset: 0 } });
});
