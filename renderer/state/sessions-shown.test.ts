import type { OwnTerminal } from '@shared/computers';
import type { SessionView } from '@shared/views';
import { beforeEach, expect, it } from 'vitest';
import { grown } from './sessions';
import { chooseTerminal, idOf, nextShown, showMoment, shownList, useShown, zoomed } from './sessions-shown';

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

beforeEach(() => useShown.setState({ chosen: null, wall: false, moment: null, enter: 0, searching: false }));

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
  expect(useShown.getState()).toMatchObject({ chosen: 'mine', moment: null, enter: 0 });
  chooseTerminal('mine', { enter: true });
  expect(useShown.getState().enter).toBe(1);
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
