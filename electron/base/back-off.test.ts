import { describe, expect, it } from 'vitest';
import { BackOff, backOffMs } from './back-off';

const options = { firstMs: 500, longestMs: 30_000, jitter: [0.8, 1.2] } as const;

describe('pauses between tries', () => {
  it('double up to the longest and start again after a reset', () => {
    const backOff = new BackOff(options, () => 0.5);
    const waits = Array.from({ length: 9 }, () => backOff.next());
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    backOff.reset();
    expect(backOff.next()).toBe(500);
  });

  it('lie between the least and the most of the jitter', () => {
    expect(backOffMs(1, options, 0)).toBe(400);
    expect(backOffMs(1, options, 1)).toBe(600);
  });

  it('are exact without jitter', () => {
    expect([1, 2, 3].map((failures) => backOffMs(failures, { firstMs: 250, longestMs: 800 }, 0.9))).toEqual([
      250, 500, 800,
    ]);
  });

  it('stay finite however many failures there were', () => {
    expect(backOffMs(5000, options, 1)).toBe(36_000);
  });
});
