import { type AttentionItem, type RunAttention, urgencyOf } from '@shared/runs/attention/attention';
import { beforeEach, describe, expect, it } from 'vitest';
import { BridgeStand } from '../../state/bridge-fixtures';
import { en } from '../../text/en';
import { itemSentence } from '../../text/item-words';
import { zh } from '../../text/zh';
import {
  inboxCount,
  isUrgent,
  loadInbox,
  loadReport,
  needGroup,
  needOrder,
  reasonOf,
  reportSpan,
  urgentRuns,
  useInbox,
} from './attention';

const now = Date.UTC(2026, 10, 21, 12);
const item = (kind: AttentionItem['kind'], more: Partial<AttentionItem> = {}): AttentionItem => ({
  id: `r ${kind}`,
  run: 'r',
  kind,
  urgency: urgencyOf[kind],
  step: 3,
  steps: [],
  seq: 9,
  at: now,
  facts: {},
  open: true,
  ...more,
});
const news = (run: string, items: AttentionItem[], more: Partial<RunAttention> = {}): RunAttention => ({
  run,
  title: `Run ${run}`,
  seenSeq: 0,
  seenAt: null,
  newSteps: 0,
  items,
  counts: {},
  behind: 0,
  ...more,
});
const summary = (id: string, state = 'thinking') =>
  ({ id, state, changedAt: now, hints: { queued: 0, delivered: 0, undelivered: 0 } }) as never;

describe('the inbox', () => {
  it('counts what is more than good to know, and tells what is urgent', () => {
    const list = [news('a', [item('score_dropped'), item('hint_delivered')]), news('b', [item('finished')])];
    expect(inboxCount(list)).toBe(2);
    expect(isUrgent(list)).toBe(false);
    expect(isUrgent([news('c', [item('gpu_idle')])])).toBe(true);
  });

  it('puts a run with an urgent open item under "needs you" and first in its group', () => {
    const list = [news('stuck', [item('error_streak')]), news('fine', [item('hint_delivered')])];
    const groupOf = (run: Parameters<typeof needGroup>[0], news: readonly RunAttention[]) =>
      needGroup(run, urgentRuns(news));
    expect(groupOf(summary('stuck'), list)).toBe('needsYou');
    expect(groupOf(summary('fine'), list)).toBe('quiet');
    expect(groupOf(summary('stuck'), [news('stuck', [item('error_streak', { open: false })])])).toBe('quiet');
    expect(reasonOf(list, 'stuck')?.kind).toBe('error_streak');
    expect(reasonOf(list, 'fine')).toBeUndefined();
    const rests = news('rests', [item('paused'), item('hint_delivered'), item('score_dropped')]);
    expect(reasonOf([rests], 'rests')?.kind).toBe('score_dropped');
    expect(groupOf(summary('rests', 'paused'), [rests])).toBe('needsYou');
    const sorted = [summary('none'), summary('fine'), summary('stuck')].sort(needOrder(list)) as {
      id: string;
    }[];
    expect(sorted.map(({ id }) => id)).toEqual(['stuck', 'fine', 'none']);
  });

  it('says every kind in a sentence of both languages, with its facts', () => {
    for (const kind of Object.keys(urgencyOf) as AttentionItem['kind'][]) {
      for (const text of [en, zh]) {
        const sentence = itemSentence(item(kind), text, now);
        expect(sentence, kind).toMatch(/[.。]$/);
        expect(sentence, kind).not.toMatch(/undefined|NaN|null/);
        expect(text.inbox.short(kind), kind).not.toBe('');
      }
    }
    const facts = { computer: 'gpu-1', since: now - 18 * 60_000 };
    expect(itemSentence(item('gpu_idle', { facts }), en, now)).toBe(
      'The GPUs of gpu-1 have done nothing for 18 min.',
    );
    const budget = { budget: 'time', used: 8 * 3_600_000, limit: 10 * 3_600_000 };
    expect(itemSentence(item('budget', { facts: budget }), en, now)).toBe('8 h of 10 h time used.');
  });
});

describe('the report', () => {
  const local = (day: number, hour: number) => new Date(2026, 10, day, hour, 30).getTime();
  const at = (day: number, hour: number) => new Date(2026, 10, day, hour).getTime();

  it('of the last night begins at eight in the evening and ends at eight in the morning', () => {
    expect(reportSpan('night', local(21, 9), null)).toEqual({ from: at(20, 20), to: at(21, 8) });
    expect(reportSpan('night', local(21, 3), null)).toEqual({ from: at(20, 20), to: local(21, 3) });
    expect(reportSpan('night', local(21, 22), null)).toEqual({ from: at(21, 20), to: local(21, 22) });
  });

  it('since the last look begins there, or a day ago', () => {
    expect(reportSpan('looked', now, now - 5_000)).toEqual({ from: now - 5_000, to: now });
    expect(reportSpan('looked', now, null)).toEqual(reportSpan('day', now, null));
  });

  it('of a range that was left meanwhile is not shown', async () => {
    const answers: ((value: unknown) => void)[] = [];
    new BridgeStand({ 'attention.report': () => new Promise((resolve) => answers.push(resolve)) });
    const first = loadReport('night');
    const second = loadReport('day');
    answers[1]?.({ from: 2, to: 3, runs: [] });
    await second;
    answers[0]?.({ from: 1, to: 2, runs: [] });
    await first;
    expect(useInbox.getState()).toMatchObject({ range: 'day', report: { from: 2 } });
  });
});

describe('what came while the person was away', () => {
  beforeEach(() => useInbox.setState({ lookedAt: undefined, standstill: null, list: [] }));

  it('keeps when they last looked, although looking moves it', async () => {
    let seenAt = now - 9_000;
    new BridgeStand({ 'attention.list': () => [news('a', [], { seenAt })] });
    await loadInbox();
    seenAt = now;
    await loadInbox();
    expect(useInbox.getState()).toMatchObject({ lookedAt: now - 9_000, list: [{ seenAt: now }] });
  });

  it('tells of a standstill of all runs of this machine once, until it is dismissed', async () => {
    const slept = (run: string, ms: number) =>
      news(run, [
        item('stood_still', { id: `${run} slept`, run, at: Date.now(), facts: { ms }, open: false }),
      ]);
    new BridgeStand({ 'attention.list': () => [slept('a', 41 * 60_000), slept('b', 40 * 60_000)] });
    await loadInbox();
    expect(useInbox.getState().standstill).toEqual({ ms: 41 * 60_000, titles: ['Run a', 'Run b'] });
    useInbox.setState({ standstill: null });
    await loadInbox();
    expect(useInbox.getState().standstill).toBeNull();
  });

  it('does not tell of a standstill of days ago', async () => {
    const at = Date.now() - 3 * 86_400_000;
    new BridgeStand({ 'attention.list': () => [news('old', [item('stood_still', { id: 'old', at })])] });
    await loadInbox();
    expect(useInbox.getState().standstill).toBeNull();
  });
});
