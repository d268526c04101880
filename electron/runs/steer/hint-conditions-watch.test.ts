import type { NewEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import type { Clock } from '../../clock';
import { eventually } from '../../testing/deadline';
import { MemoryRunLog } from '../../testing/memory-run-log';
import { HintWatch } from './hint-conditions-watch';
import { OutboxFollower } from './outbox-follower';

const minute = 60_000;

/** A watch over a log in memory, with a clock whose sleeps end when the test says so. */
async function watching() {
  const time = { now: 100 * minute };
  const sleeps = new Set<() => void>();
  const clock: Clock = {
    now: () => time.now,
    monotonic: () => time.now,
    sleep: (_, signal) =>
      new Promise<void>((resolve, reject) => {
        sleeps.add(resolve);
        signal.addEventListener('abort', () => reject(signal.reason), { once: true });
      }).finally(() => sleeps.clear()),
  };
  const log = new MemoryRunLog(ulid(), clock.now);
  const follower = new OutboxFollower(log, log.run);
  const failed: unknown[] = [];
  const record = async (events: NewEvent[]) => {
    await log.append(log.run, 1, events);
    for (const event of events) follower.applyEvent(event);
  };
  const watch = new HintWatch({
    follower,
    computers: new Map(),
    clock,
    record,
    failed: (error) => failed.push(error),
  });
  log.subscribe(() => void follower.refresh());
  return {
    log,
    follower,
    watch,
    record,
    sleeps,
    failed,
    /** Time passes, and the sleep that is under way ends. */
    pass: async (ms: number) => {
      await eventually('it waits for the next look', () => sleeps.size > 0);
      time.now += ms;
      for (const wake of sleeps) wake();
    },
    idle: (since: number) =>
      record([{ kind: 'gpu.changed', body: { computer: 'gpu', state: 'idle', since, gpus: [] } }]),
    dues: () => log.events.filter(({ kind }) => kind === 'hint.due').length,
  };
}

it('looks at the clock only while a hint waits for it, and says so without any request', async () => {
  const { log, watch, sleeps, pass, idle, dues, failed, follower } = await watching();
  await idle(0);
  watch.notice();
  log.post({ op: 'hint.queued', hint: ulid(), text: 'now', category: 'other' });
  await follower.refresh();
  expect(sleeps.size).toBe(0);
  const hint = ulid();
  const deliver = { when: 'gpu_idle', computer: 'gpu', minutes: 10 } as const;
  log.post({ op: 'hint.queued', hint, text: 'they rest', category: 'other', deliver });
  await pass(5 * minute);
  await pass(4 * minute);
  expect(dues()).toBe(0);
  await pass(minute);
  await eventually('the hint is due', () => dues() === 1);
  expect(follower.queue.due().map(({ text }) => text)).toEqual(['now', 'they rest']);
  await eventually('nobody looks any more', () => {
    for (const wake of sleeps) wake();
    return sleeps.size === 0;
  });
  await watch.stop();
  expect(dues()).toBe(1);
  expect(failed).toEqual([]);
});

it('stops at once, and looks at nothing afterwards', async () => {
  const { log, watch, sleeps, idle } = await watching();
  await idle(0);
  const deliver = { when: 'gpu_idle', computer: '', minutes: 1 } as const;
  log.post({ op: 'hint.queued', hint: ulid(), text: 'x', category: 'other', deliver });
  await eventually('it waits for the next look', () => sleeps.size > 0);
  await watch.stop();
  expect(sleeps.size).toBe(0);
  watch.notice();
  expect(sleeps.size).toBe(0);
});

it('a request waits until what came true is in the log', async () => {
  const { log, watch, record, dues, failed } = await watching();
  const deliver = { when: 'score_changes' } as const;
  log.post({ op: 'hint.queued', hint: ulid(), text: 'x', category: 'other', deliver });
  await watch.beforeRequest();
  expect(dues()).toBe(0);
  const body = { score: 40, forced: false } as Extract<NewEvent, { kind: 'evaluation.ended' }>['body'];
  await record([{ kind: 'evaluation.ended', body }]);
  await Promise.all([watch.beforeRequest(), watch.beforeRequest()]);
  expect(dues(), 'once').toBe(1);
  await watch.stop();
  expect(failed).toEqual([]);
});
