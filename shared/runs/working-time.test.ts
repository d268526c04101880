import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { NewEvent, StoredStatus } from '../log/events';
import { WorkingTime } from './working-time';

const status = (value: StoredStatus): NewEvent => ({
  kind: 'run.status',
  body: { status: value, reason: null, message: '' },
});
const driver = (aliveUntil?: number): NewEvent => ({
  kind: 'driver.started',
  body: {
    epoch: 1,
    pid: 1,
    host: 'h',
    app: 'a',
    runtime: 'r',
    reason: 'resume' as const,
    ...(aliveUntil === undefined ? {} : { aliveUntil }),
  },
});
const suspended = (from: number, to: number): NewEvent => ({ kind: 'clock.suspended', body: { from, to } });
const command = (from: number, to: number): NewEvent => ({
  kind: 'command.ran',
  body: { computer: 'local', session: 'main', from, to },
});
const other: NewEvent = { kind: 'hint.undelivered', body: { ids: [] } };

function time(...events: [number, NewEvent][]): WorkingTime {
  const fold = new WorkingTime();
  for (const [at, event] of events) fold.apply(event, at);
  return fold;
}

describe('working time', () => {
  it('counts from running to any other status', () => {
    expect(time([0, driver()], [100, status('running')]).ms(350)).toBe(250);
    const paused = time(
      [100, status('running')],
      [300, status('paused')],
      [1_000, status('running')],
      [1_050, status('waiting_human')],
    );
    expect(paused.ms(9_999)).toBe(250);
    expect(paused.running).toBe(false);
    expect(paused.stoppedAt).toBe(1_050);
    expect(time().ms(5)).toBe(0);
  });

  it('does not count a standstill, wherever it lies', () => {
    expect(time([0, status('running')], [500, suspended(100, 400)]).ms(600)).toBe(300);
    expect(time([0, status('running')], [100, status('paused')], [500, suspended(50, 400)]).ms(600)).toBe(50);
    expect(time([0, status('running')], [500, suspended(100, 300)], [500, suspended(200, 400)]).ms(600)).toBe(
      300,
    );
  });

  it('keeps what it counted when the clock is set back, by a person or between two drivers', () => {
    const jumped: NewEvent = { kind: 'clock.jumped', body: { from: 10_500, to: 7_000 } };
    const driven = time([10_000, status('running')], [7_000, jumped]);
    expect(driven.ms(7_000)).toBe(500);
    expect(driven.ms(7_300)).toBe(800);
    const resumed = time(
      [10_000, status('running')],
      [10_400, status('paused')],
      [6_000, driver()],
      [6_100, status('running')],
    );
    expect(resumed.ms(6_350)).toBe(650);
    const later = time([10_000, status('running')], [7_000, jumped], [7_200, other], [9_000, driver()]);
    expect(later.ms(9_999)).toBe(700);
    expect(later.stoppedAt).toBe(7_200);
  });

  it('ends with the last heartbeat, else the last event, of a driver that died', () => {
    expect(
      time([0, status('running')], [200, other], [5_000, driver()], [5_100, status('running')]).ms(5_200),
    ).toBe(300);
    expect(
      time([0, status('running')], [200, other], [5_000, driver(900)], [5_100, status('running')]).ms(5_200),
    ).toBe(1_000);
  });

  it('counts commands that went on while nobody drove, once', () => {
    const fold = time(
      [0, status('running')],
      [100, status('paused')],
      [1_000, command(50, 400)],
      [1_000, command(300, 500)],
    );
    expect(fold.ms(2_000)).toBe(500);
  });

  it('never runs backwards and never counts more than has passed', () => {
    const event = fc.oneof(
      fc.constantFrom<NewEvent>(status('running'), status('paused'), status('waiting_host'), driver(), other),
      fc.tuple(fc.nat(1_000), fc.nat(1_000)).map(([a, b]) => suspended(a, b)),
      fc.tuple(fc.nat(1_000), fc.nat(1_000)).map(([a, b]) => command(a, b)),
    );
    fc.assert(
      // In the order of their stamps: after a clock that was set back the same stamps may come twice.
      fc.property(fc.array(fc.tuple(fc.nat(1_000), event), { maxLength: 12 }), (events) => {
        const fold = time(...events.sort(([a], [b]) => a - b));
        const ms = fold.ms(1_000);
        expect(ms).toBeGreaterThanOrEqual(0);
        expect(ms).toBeLessThanOrEqual(1_000);
        expect(fold.ms(2_000)).toBeGreaterThanOrEqual(ms);
      }),
    );
  });
});
