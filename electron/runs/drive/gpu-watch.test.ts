import type { HostGpu, LinkState } from '@shared/contract/computers';
import type { EventBody, NewEvent } from '@shared/log/events';
import { afterEach, describe, expect, it } from 'vitest';
import type { Clock } from '../../clock';
import { ComputerUnavailable } from '../../computer/failures';
import type { HostComputer } from '../../computer/hosts';
import { ManualClock } from '../../testing/manual-clock';
import { GpuReadings } from './gpu-readings';
import { GpuWatch } from './gpu-watch';

const minute = 60_000;
const gpu = (index: number, utilization: number | null, usedMb = 0): HostGpu => ({
  index,
  name: 'H100',
  memoryMb: 81_559,
  usedMb,
  utilization,
});

describe('readings of GPUs', () => {
  const feed = (values: (number | null)[], readings = new GpuReadings('gpu-1')) =>
    values.map((value, i) =>
      readings.take(value === null ? null : [gpu(0, 0), gpu(1, value, 7)], i * minute),
    );

  it('are idle after three quiet ones, since the first of them, and told once', () => {
    expect(feed([90, 0, 4, 2, 0, 0]).map((change) => change && [change.state, change.since])).toEqual([
      ['busy', 0],
      null,
      null,
      ['idle', minute],
      null,
      null,
    ]);
  });

  it('are busy when one of them works, at once, with what they use', () => {
    const [, , idle, busy] = feed([0, 0, 0, 5]);
    expect(idle?.state).toBe('idle');
    expect(busy).toEqual({
      computer: 'gpu-1',
      state: 'busy',
      since: 3 * minute,
      gpus: [
        { index: 0, utilization: 0, memoryUsedMb: 0 },
        { index: 1, utilization: 5, memoryUsedMb: 7 },
      ],
    });
  });

  it('that rest between two steps of training change nothing', () => {
    expect(feed([90, 0, 0, 90, 0, 95]).filter((change) => change !== null)).toHaveLength(1);
  });

  it('that fail for a moment change nothing; after five minutes nothing is known', () => {
    expect(feed([90, null, null, 80, null]).filter((change) => change !== null)).toHaveLength(1);
    const changes = feed([90, null, null, null, null, null, null, null, 80]);
    expect(changes.map((change) => change?.state ?? null)).toEqual([
      ...['busy', null, null, null, null, null, 'unknown', null, 'busy'],
    ]);
  });

  it('do not reach over a time in which the machine slept', () => {
    const readings = new GpuReadings('gpu-1');
    const take = (at: number) => readings.take([gpu(0, 0)], at * minute)?.since ?? null;
    expect([take(0), take(1), take(400), take(401), take(402)]).toEqual([
      null,
      null,
      null,
      null,
      400 * minute,
    ]);
  });

  it('of cards that do not tell are unknown', () => {
    const readings = new GpuReadings('gpu-1');
    const states = [0, 3, 6].map((at) => readings.take([gpu(0, null)], at * minute)?.state ?? null);
    expect(states).toEqual([null, null, 'unknown']);
  });
});

describe('the GPU watch', () => {
  const hand = new ManualClock();
  const clock: Clock = {
    now: () => hand.now(),
    monotonic: () => hand.monotonic(),
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const stop = () => {
          off();
          reject(signal.reason);
        };
        const off = hand.after(ms, () => {
          signal.removeEventListener('abort', stop);
          resolve();
        });
        signal.addEventListener('abort', stop);
      }),
  };
  const recorded: EventBody<'gpu.changed'>[] = [];
  const failures: unknown[] = [];
  let watch: GpuWatch | null = null;
  afterEach(async () => {
    await watch?.stop();
    recorded.length = 0;
    failures.length = 0;
  });

  /** A host that answers `nvidia-smi` as the test says. */
  function host(answer: () => Promise<{ exitCode: number | null; output: string }>, state = () => 'good') {
    const stand: Pick<HostComputer, 'kind' | 'name' | 'alias' | 'health' | 'exec'> = {
      kind: 'ssh',
      name: 'gpu-1',
      alias: 'gpu-1',
      exec: answer,
      health: () => ({
        alias: 'gpu-1',
        state: state() as LinkState,
        since: 0,
        message: '',
        lastByteAt: null,
        roundTripMs: null,
        retryAt: null,
        tries: 0,
      }),
    };
    return stand as HostComputer;
  }

  function begin(computer: HostComputer, record?: () => Promise<void>) {
    watch = new GpuWatch({
      computers: [computer],
      clock,
      record: async (events: NewEvent[]) => {
        await record?.();
        for (const event of events) if (event.kind === 'gpu.changed') recorded.push(event.body);
      },
      failed: (error) => void failures.push(error),
    });
  }
  const line = (utilization: number) => ({ exitCode: 0, output: `0, H100, 81559, 400, ${utilization}\n` });

  it('asks once a minute and records changes only', async () => {
    let utilization = 97;
    let asked = 0;
    begin(
      host(async () => {
        asked += 1;
        return line(utilization);
      }),
    );
    await hand.advance(5 * minute);
    expect(recorded.map(({ state }) => state)).toEqual(['busy']);
    utilization = 0;
    const from = hand.now();
    await hand.advance(15 * minute);
    expect(recorded.map(({ state }) => state)).toEqual(['busy', 'idle']);
    expect(recorded[1]?.since).toBe(from + minute);
    expect(asked).toBe(21);
    utilization = 60;
    await hand.advance(minute);
    expect(recorded.at(-1)?.state).toBe('busy');
    expect(failures).toEqual([]);
  });

  it('asks no host whose link is down, and a link that breaks is no error', async () => {
    let link = 'good';
    let asked = 0;
    begin(
      host(
        async () => {
          asked += 1;
          if (asked === 2) throw new ComputerUnavailable('gpu-1', 'The link broke.');
          return line(50);
        },
        () => link,
      ),
    );
    await hand.advance(minute);
    link = 'down';
    await hand.advance(3 * minute);
    expect(asked).toBe(2);
    link = 'good';
    await hand.advance(minute);
    expect(recorded.map(({ state }) => state)).toEqual(['busy']);
    expect(failures).toEqual([]);
  });

  it('goes on after a reading that could not be recorded, and says so', async () => {
    let full = true;
    begin(
      host(async () => line(0)),
      async () => {
        if (full) throw new Error('The disk is full.');
      },
    );
    await hand.advance(2 * minute);
    expect(failures).toHaveLength(1);
    full = false;
    await hand.advance(minute);
    expect(failures).toHaveLength(1);
    expect(recorded.map(({ state }) => state)).toEqual(['idle']);
  });

  it('ends at once although a host does not answer', async () => {
    begin(host(() => new Promise(() => undefined)));
    await hand.settle();
    await watch?.stop();
    expect(hand.pending).toBe(0);
  });
});
