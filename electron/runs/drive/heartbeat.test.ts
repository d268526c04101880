import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { systemClock } from '../../clock';
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
    suspended: async (from, to) => void gaps.push([from, to]),
    jumped: async (from, to) => void jumps.push([from, to]),
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

it('reckons evenly over a setting of the clock until the log knows of it', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'waymark-heart-'));
  let now = 1_000_000;
  let monotonic = 500;
  let stored: () => void = () => undefined;
  const heard: [number, number][] = [];
  const tell = (from: number, to: number) => {
    heard.push([from, to]);
    return new Promise<void>((resolve) => {
      stored = resolve;
    });
  };
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const clock = { ...systemClock, now: () => now, monotonic: () => monotonic };
  const heart = new Heartbeat({ folder, clock, suspended: tell, jumped: tell });
  try {
    const pass = (ms: number) => {
      now += ms;
      monotonic += ms;
    };
    pass(1_000);
    now += 31_536_000_000;
    expect(heart.reckoned()).toBe(1_001_000);
    pass(1_000);
    vi.advanceTimersByTime(2_000);
    pass(500);
    expect(heart.reckoned()).toBe(1_002_500);
    stored();
    await vi.waitFor(() => expect(heart.reckoned()).toBe(now));
    // Stopped for half a minute and set back meanwhile: the half minute was no work.
    const last = now - 500;
    pass(30_000);
    now -= 86_400_000;
    vi.advanceTimersByTime(2_000);
    expect(heard.at(-1)).toEqual([last, now]);
  } finally {
    stored();
    await heart.stop();
    vi.useRealTimers();
    await rm(folder, { recursive: true });
  }
});
