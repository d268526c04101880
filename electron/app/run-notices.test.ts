import { defaultSettings } from '@shared/contract/settings';
import { type AttentionItem, type AttentionKind, urgencyOf } from '@shared/runs/attention/attention';
import { beforeEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../testing/manual-clock';
import { createRun, RunWriter } from '../testing/run-writer';
import { testStore } from '../testing/store-fixtures';
import { NoticeLimiter } from './notice-limiter';
import { noticeWords } from './notice-words';
import { RunNotices } from './run-notices';

const minute = 60_000;

describe('the limit', () => {
  let clock: ManualClock;
  let shown: { text: string; more: number; at: number }[];
  let limiter: NoticeLimiter;
  beforeEach(() => {
    clock = new ManualClock();
    shown = [];
    const began = clock.monotonic();
    limiter = new NoticeLimiter(
      clock,
      () => 3,
      2_000,
      ({ text, more }) => void shown.push({ text, more, at: clock.monotonic() - began }),
    );
  });
  const offer = (text: string, urgency = 2, task = 't', run = 'r') =>
    limiter.offer(task, { run, step: null, title: 'R', text, urgency });

  it('says what comes together in one notice, the most urgent first', async () => {
    offer('finding');
    offer('lost', 1);
    offer('other');
    await clock.advance(2_000);
    expect(shown).toEqual([{ text: 'lost', more: 2, at: 2_000 }]);
  });

  it('lets three pass in an hour, holds the others, and says them in one as soon as the hour allows', async () => {
    for (let i = 0; i < 3; i += 1) {
      offer(`${i}`);
      await clock.advance(10 * minute);
    }
    expect(shown).toHaveLength(3);
    offer('4');
    await clock.advance(minute);
    offer('5', 1);
    await clock.advance(20 * minute);
    expect(shown).toHaveLength(3);
    await clock.advance(20 * minute);
    expect(shown).toHaveLength(4);
    expect(shown[3]).toEqual({ text: '5', more: 1, at: 60 * minute + 2_000 });
  });

  it('never shows more than three in any hour of a night of trouble', async () => {
    for (let i = 0; i < 12 * 60; i += 1) {
      offer(`${i}`);
      await clock.advance(minute);
    }
    for (const { at } of shown) {
      expect(shown.filter((each) => each.at >= at && each.at < at + 60 * minute).length).toBeLessThanOrEqual(
        3,
      );
    }
    expect(shown.length).toBeGreaterThan(30);
  });

  it('holds for each task alone', async () => {
    for (let i = 0; i < 4; i += 1) {
      offer(`${i}`);
      await clock.advance(minute);
    }
    offer('of another task', 2, 'u', 's');
    await clock.advance(2_000);
    expect(shown.map(({ text }) => text)).toEqual(['0', '1', '2', 'of another task']);
  });

  it('drops what a person saw meanwhile', async () => {
    offer('seen', 2, 't', 'r');
    limiter.drop('r');
    await clock.advance(minute);
    expect(shown).toEqual([]);
    expect(clock.pending).toBe(0);
  });
});

describe('notices of runs', () => {
  interface Shown {
    title: string;
    body: string;
    click: () => void;
  }
  const stand = async () => {
    const clock = new ManualClock();
    const store = testStore(undefined, { now: () => clock.now() });
    const shown: Shown[] = [];
    const opened: unknown[] = [];
    const failures: unknown[] = [];
    const state = { settings: defaultSettings().notifications, away: true };
    const notices = new RunNotices({
      settings: () => state.settings,
      words: () => noticeWords.en,
      away: () => state.away,
      clock,
      show: (title, body, click) => void shown.push({ title, body, click }),
      open: (run, step) => void opened.push([run, step]),
      failed: (error) => void failures.push(error),
    });
    const run = await createRun(store);
    const writer = new RunWriter(store, run);
    const lock = store.lockRun(run);
    await writer.start();
    const pass = async (ms: number) => {
      // Reads of the store end between two ticks of the clock.
      for (let left = ms; left > 0; left -= 1_000) await clock.advance(Math.min(1_000, left));
    };
    return { clock, store, shown, opened, failures, state, notices, run, writer, lock, pass };
  };
  const status = (value: 'paused' | 'running' | 'failed' | 'waiting_host', reason: string | null) =>
    ({ kind: 'run.status', body: { status: value, reason, message: 'Text.' } }) as const;

  it('come within half a minute, name the run, and lead to it', async () => {
    const { store, notices, writer, pass, shown, opened, run, failures } = await stand();
    const stop = notices.watch(store);
    await pass(1_000);
    for (let i = 0; i < 5; i += 1) await writer.command(`make ${i}`, 'no', { exitCode: 2 });
    await writer.record([status('paused', 'model_key_missing')]);
    await pass(30_000);
    expect(shown.map(({ title, body }) => [title, body])).toEqual([
      ['A run', 'has paused and waits for you. 1 more thing.'],
    ]);
    shown[0]?.click();
    expect(opened).toEqual([[run, 5]]);
    await writer.command('make 6', 'no', { exitCode: 2 });
    await pass(minute);
    expect(shown).toHaveLength(1);
    expect(failures).toEqual([]);
    stop();
  });

  it('say nothing of what was there before', async () => {
    const { store, notices, writer, pass, shown } = await stand();
    await writer.record([status('paused', 'model_key_missing')]);
    const stop = notices.watch(store);
    await pass(1_000);
    await writer.command('ls', 'a');
    await pass(minute);
    expect(shown).toEqual([]);
    await writer.record([status('running', null), status('waiting_host', 'computer_unavailable')]);
    await pass(30_000);
    expect(shown.map(({ body }) => body)).toEqual(['waits for a computer that cannot be reached.']);
    stop();
  });

  it('say nothing of a run that the window shows in focus, and everything once it does not', async () => {
    const { store, notices, writer, pass, shown, run, state } = await stand();
    const stop = notices.watch(store);
    state.away = false;
    notices.shows(run);
    await writer.record([status('waiting_host', null)]);
    await pass(30_000);
    expect(shown).toEqual([]);
    notices.shows('another run');
    await writer.record([status('running', null), status('waiting_host', null)]);
    await pass(30_000);
    expect(shown).toHaveLength(1);
    notices.shows(run);
    state.away = true;
    await writer.record([status('failed', 'bug')]);
    await pass(30_000);
    expect(shown.map(({ body }) => body).at(-1)).toBe('has failed.');
    stop();
  });

  it('tell of idle GPUs by time alone', async () => {
    const { clock, store, notices, writer, pass, shown } = await stand();
    const stop = notices.watch(store);
    const gpus = [{ index: 0, utilization: 0, memoryUsedMb: 0 }];
    const body = { computer: 'gpu-1', state: 'idle' as const, since: clock.now(), gpus };
    await writer.record([{ kind: 'gpu.changed', body }]);
    await pass(9 * minute);
    expect(shown).toEqual([]);
    await pass(90_000);
    expect(shown.map((each) => each.body)).toEqual(['the GPUs of gpu-1 have been idle for 10 minutes.']);
    await pass(20 * minute);
    expect(shown).toHaveLength(1);
    stop();
  });

  it.each([
    ['asks_you', 'waiting'],
    ['finished', 'finished'],
    ['failed', 'failed'],
    ['host_lost', 'urgent'],
    ['error_streak', 'urgent'],
    ['score_dropped', 'findings'],
  ] as const)('of kind %s follow the setting "%s"', async (kind, setting) => {
    for (const on of [true, false]) {
      const { clock, shown, notices, state, pass } = await stand();
      state.settings = { ...state.settings, [setting]: on };
      const listeners: ((notice: never) => void)[] = [];
      const stop = notices.watch({
        subscribe: (listener) => {
          listeners.push(listener as (notice: never) => void);
          return () => undefined;
        },
        reader: {
          runs: async () => [],
          run: async () => ({ title: 'A run', task: { id: 't' } }) as never,
          attention: async () => ({ run: 'r', seq: 1, items: [item(kind, clock)], counts: {}, nextAt: null }),
        },
      });
      for (const listener of listeners) listener({ kind: 'run', run: 'r' } as never);
      await pass(10_000);
      expect(shown).toHaveLength(on ? 1 : 0);
      stop();
    }
  });

  const item = (kind: AttentionKind, clock: ManualClock): AttentionItem => ({
    id: 'r x',
    run: 'r',
    kind,
    urgency: urgencyOf[kind],
    step: 1,
    steps: [],
    seq: 1,
    at: clock.now(),
    facts: {},
    open: false,
  });
});

it('every kind has a sentence in both languages', () => {
  for (const kind of Object.keys(urgencyOf) as AttentionKind[]) {
    for (const words of [noticeWords.en, noticeWords.zh])
      expect(words.item({ kind, facts: {} })).toMatch(/[.。]$/);
  }
});
