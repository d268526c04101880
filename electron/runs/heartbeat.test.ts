import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { systemClock } from '../system-clock';
import { Heartbeat, lastHeartbeat } from './heartbeat';

it('notes that the driver is alive and notices when everything stood still', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-heart-'));
  expect(await lastHeartbeat(folder)).toBeNull();
  let now = 1_000_000;
  let monotonic = 500;
  const gaps: [number, number][] = [];
  const jumps: [number, number][] = [];
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const heart = new Heartbeat({
    folder,
    clock: { ...systemClock, now: () => now, monotonic: () => monotonic },
    suspended: (from, to) => gaps.push([from, to]),
    jumped: (from, to) => jumps.push([from, to]),
  });
  try {
    const beat = (ms: number) => {
      now += ms;
      monotonic += 2_000;
      vi.advanceTimersByTime(2_000);
    };
    beat(2_000);
    beat(3_600_000);
    beat(2_500);
    beat(-5_000);
    expect(gaps).toEqual([[1_002_000, 4_602_000]]);
    expect(jumps).toEqual([[4_606_500, 4_599_500]]);
  } finally {
    await heart.stop();
    vi.useRealTimers();
  }
  expect(await lastHeartbeat(folder)).toBe(now);
  await rm(folder, { recursive: true });
});
