import { describe, expect, it } from 'vitest';
import { BackOff } from './back-off';

describe('waits between tries', () => {
  it('double up to 30 s and start again after a reset', () => {
    const backOff = new BackOff(() => 0.5);
    const waits = Array.from({ length: 9 }, () => backOff.next());
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
    backOff.reset();
    expect(backOff.next()).toBe(500);
  });

  it('vary by a fifth either way', () => {
    expect(new BackOff(() => 0).next()).toBe(400);
    expect(new BackOff(() => 1).next()).toBe(600);
  });

  it('stay finite however long a host is away', () => {
    const backOff = new BackOff(() => 1);
    for (let failures = 0; failures < 5000; failures += 1) backOff.next();
    expect(backOff.next()).toBe(36_000);
  });
});
