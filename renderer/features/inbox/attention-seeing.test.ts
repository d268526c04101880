import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { BridgeStand } from '../../state/bridge-fixtures';
import { useRuns } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { useView } from '../../state/view';
import { startInbox, useInbox } from './attention';

const summary = (id: string, seq: number) => ({ id, seq, title: id, state: 'thinking', steps: 5 }) as never;

describe('seeing a run', () => {
  let stand: BridgeStand;
  let stop: () => void;
  const page = { visibilityState: 'visible', focused: true, hasFocus: () => page.focused };
  const signs = new Map<string, () => void>();
  const seen = () => stand.calls.filter(([name]) => name === 'attention.seen').map(([, input]) => input);

  beforeEach(() => {
    vi.useFakeTimers();
    stand = new BridgeStand({
      'attention.list': () => [],
      'attention.seen': () => undefined,
      'attention.looked': () => undefined,
      'attention.showing': () => undefined,
      'app.power': () => ({ holdingFor: 0, onBattery: false, lastSleep: null }),
    });
    Object.assign(window, {
      addEventListener: (name: string, listener: () => void) => signs.set(name, listener),
      removeEventListener: (name: string) => signs.delete(name),
    });
    Object.assign(globalThis, { document: page });
    Object.assign(page, { visibilityState: 'visible', focused: true });
    useView.setState({ mode: 'watch' });
    useRuns.setState({ list: [summary('a', 40)], current: 'a', loaded: true });
    useTimeline.setState({ run: 'a', follow: { following: true, seen: 5 } });
    stop = startInbox();
  });
  afterEach(() => {
    stop();
    vi.useRealTimers();
  });
  const key = () => signs.get('keydown')?.();
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

  it('takes a few seconds at its newest step, with somebody there', async () => {
    key();
    await pass(3_000);
    expect(seen()).toEqual([]);
    await pass(3_000);
    expect(seen()).toEqual([{ run: 'a', seq: 40 }]);
    await pass(10_000);
    expect(seen()).toHaveLength(1);
    useRuns.setState({ list: [summary('a', 46)] });
    await pass(2_000);
    expect(seen().at(-1)).toEqual({ run: 'a', seq: 46 });
  });

  it('ends when nobody gives a sign for a minute, and begins again with the next', async () => {
    key();
    await pass(61_000);
    const before = seen().length;
    useRuns.setState({ list: [summary('a', 99)] });
    await pass(60_000);
    expect(seen()).toHaveLength(before);
    key();
    await pass(6_000);
    expect(seen().at(-1)).toEqual({ run: 'a', seq: 99 });
  });

  it.each([
    ['without the focus', () => Object.assign(page, { focused: false })],
    ['hidden', () => Object.assign(page, { visibilityState: 'hidden' })],
    ['at an earlier step', () => useTimeline.setState({ follow: { following: false, seen: 3 } })],
    ['while exporting', () => useView.setState({ mode: 'export' })],
    ['with nobody there', () => signs.get('nothing')?.()],
  ])('does not happen %s', async (name, make) => {
    make();
    if (name !== 'with nobody there') key();
    await pass(30_000);
    expect(seen()).toEqual([]);
  });

  const looked = () =>
    stand.calls.flatMap(([name, input]) => (name === 'attention.looked' ? [input as { ms: number }] : []));

  it('keeps how long a run is watched, told while it lasts and at its end, and one look is one', async () => {
    key();
    await pass(31_500);
    expect(looked()).toMatchObject([{ run: 'a', ms: 30_000 }]);
    // Reading an earlier step is watching as well.
    useTimeline.setState({ follow: { following: false, seen: 3 } });
    await pass(15_000);
    page.focused = false;
    await pass(1_000);
    expect(looked()).toMatchObject([{ ms: 30_000 }, { run: 'a', ms: 46_000 }]);
    expect(new Set(looked().map((look) => (look as unknown as { at: number }).at)).size).toBe(1);
    page.focused = true;
    key();
    await pass(6_000);
    useView.setState({ mode: 'review' });
    await pass(1_000);
    expect(new Set(looked().map((look) => (look as unknown as { at: number }).at)).size).toBe(2);
  });

  it('counts no look at a run that has ended, nor a glance', async () => {
    key();
    await pass(3_000);
    useView.setState({ mode: 'export' });
    await pass(2_000);
    useRuns.setState({ list: [{ ...(summary('a', 41) as object), state: 'finished' } as never] });
    useView.setState({ mode: 'watch' });
    key();
    await pass(40_000);
    expect(looked()).toEqual([]);
  });

  it('tells the main process which run is shown', async () => {
    useRuns.setState({ current: 'b' });
    const shown = stand.calls.filter(([name]) => name === 'attention.showing').map(([, input]) => input);
    expect(shown).toEqual([{ run: 'a' }, { run: 'b' }]);
  });

  it('hears of the battery, and again after it was plugged in between', async () => {
    stand.send('power.changed', { holdingFor: 1, onBattery: true, lastSleep: null });
    useInbox.setState({ batteryDismissed: true });
    stand.send('power.changed', { holdingFor: 2, onBattery: true, lastSleep: null });
    expect(useInbox.getState()).toMatchObject({ batteryDismissed: true, power: { holdingFor: 2 } });
    stand.send('power.changed', { holdingFor: 2, onBattery: false, lastSleep: null });
    expect(useInbox.getState().batteryDismissed).toBe(false);
  });
});
