import { describe, expect, it } from 'vitest';
import type { Clock } from '../clock';
import { type BackDeps, isBackSoon, untilBack } from './until-back';

/** Time that passes only when somebody sleeps, and then at once; what was slept is written down. */
function stand(back?: BackDeps['back']) {
  const slept: number[] = [];
  const clock: Clock = {
    now: () => 0,
    monotonic: () => 0,
    sleep: async (ms, signal) => {
      signal.throwIfAborted();
      slept.push(ms);
      // A turn later than what is back already.
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    },
  };
  return { slept, deps: { clock, random: () => 0.5, back } };
}

const never = new AbortController().signal;
const away = new Error('away');

describe('waiting for a computer', () => {
  it('ends at once when the link is back', async () => {
    const named: unknown[] = [];
    const { slept, deps } = stand(async (error) => void named.push(error));
    expect(await isBackSoon(deps, away, never)).toBe(true);
    expect(await untilBack(deps, away, 1, never)).toBe(true);
    expect(named).toEqual([away, away]);
    expect(slept).toEqual([1000, 750]);
  });

  it('believes a link that says it is up a little later each time', async () => {
    const { slept, deps } = stand(async () => undefined);
    await untilBack(deps, away, 3, never);
    await untilBack(deps, away, 100, never);
    expect(slept.filter((_, i) => i % 2 === 0)).toEqual([500, 5000]);
  });

  it('waits with growing pauses where nobody can tell', async () => {
    for (const deps of [stand(), stand(() => new Promise(() => undefined))]) {
      const total = (from: number) => deps.slept.slice(from).reduce((sum, ms) => sum + ms, 0);
      expect(await isBackSoon(deps.deps, away, never)).toBe(false);
      const before = deps.slept.length;
      await untilBack(deps.deps, away, 1, never);
      expect(total(before)).toBe(750);
      const then = deps.slept.length;
      await untilBack(deps.deps, away, 20, never);
      expect(total(then)).toBeGreaterThan(20_000);
    }
  });

  it('asks every second whether to wait on', async () => {
    const { slept, deps } = stand();
    let asked = 0;
    const giveUp = () => {
      asked += 1;
      return asked > 3;
    };
    expect(await untilBack(deps, away, 20, never, giveUp)).toBe(false);
    expect(slept.slice(1)).toEqual([1000, 1000, 1000]);
  });

  it('ends with the signal', async () => {
    const stop = new AbortController();
    const { deps } = stand(() => new Promise(() => undefined));
    const waiting = untilBack(deps, away, 20, stop.signal);
    stop.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
  });
});
