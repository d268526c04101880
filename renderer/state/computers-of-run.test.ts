import type { LinkHealth, LinkState } from '@shared/contract/computers';
import type { RunSummary } from '@shared/contract/views';
import { describe, expect, it } from 'vitest';
import { en } from '../text/en';
import { healthWords } from '../text/health-words';
import { runWords } from '../text/run-words';
import { zh } from '../text/zh';
import { hostsOf, waitsFor } from './computers-of-run';

const now = Date.UTC(2026, 10, 21, 12);
const link = (alias: string, state: LinkState, change: Partial<LinkHealth> = {}): LinkHealth => ({
  alias,
  state,
  lastByteAt: now - 12_400,
  roundTripMs: 21.4,
  since: now - 235_000,
  retryAt: null,
  tries: 0,
  message: '',
  ...change,
});
const run = {
  state: 'waiting_host' as const,
  reason: 'computer_unavailable' as string | null,
  computers: [
    { name: 'local', kind: 'local' as const },
    { name: 'a', kind: 'ssh' as const, host: 'gpu-03' },
    { name: 'gpu-04', kind: 'ssh' as const, host: 'gpu-04' },
  ],
};

describe('the computers of a run', () => {
  it('come in the order of the task while all is well', () => {
    expect(hostsOf(run, {})).toEqual([
      { name: 'local', alias: null, health: undefined },
      { name: 'a', alias: 'gpu-03', health: undefined },
      { name: 'gpu-04', alias: 'gpu-04', health: undefined },
    ]);
    const well = { 'gpu-03': link('gpu-03', 'good'), 'gpu-04': link('gpu-04', 'idle') };
    expect(hostsOf(run, well).map(({ name }) => name)).toEqual(['local', 'a', 'gpu-04']);
  });

  it('come by their trouble otherwise', () => {
    const ill = { 'gpu-03': link('gpu-03', 'stalled'), 'gpu-04': link('gpu-04', 'down') };
    expect(hostsOf(run, ill).map(({ name }) => name)).toEqual(['gpu-04', 'a', 'local']);
  });

  it('are named when the run waits for them: those without a link before those that do not answer', () => {
    const ill = { 'gpu-03': link('gpu-03', 'stalled'), 'gpu-04': link('gpu-04', 'down') };
    expect(waitsFor(run, ill).map(({ name }) => name)).toEqual(['gpu-04']);
    expect(waitsFor(run, { 'gpu-03': link('gpu-03', 'stalled') }).map(({ name }) => name)).toEqual(['a']);
    expect(waitsFor(run, {})).toEqual([]);
    expect(waitsFor({ ...run, state: 'acting' }, ill)).toEqual([]);
    expect(waitsFor({ ...run, reason: 'model_unreachable' }, ill)).toEqual([]);
  });

  it('stand in the state of the run, with the time', () => {
    const summary = {
      ...run,
      title: 't',
      changedAt: now - 1000,
      message: 'away',
      runningOn: [] as RunSummary['runningOn'],
      reason: null,
    } as RunSummary;
    const words = runWords(summary, en, now, waitsFor(run, { 'gpu-04': link('gpu-04', 'down') }));
    expect(words.state).toBe('Waiting for gpu-04');
    expect(words.reason).toMatch(/^since \d\d:\d\d \(12 s\)$/);
    expect(runWords(summary, en, now).state).toBe('Waiting for a computer');
  });
});

describe('the words of a link', () => {
  const word = (health: LinkHealth | undefined) => healthWords(health, en, now).word;

  it('say how it is and how long', () => {
    expect(word(undefined)).toBe('not known yet');
    expect(word(link('h', 'idle'))).toBe('not connected');
    expect(word(link('h', 'connecting', { tries: 3 }))).toBe('connecting, try 3');
    expect(word(link('h', 'good'))).toBe('good 21 ms');
    expect(word(link('h', 'good', { roundTripMs: null }))).toBe('good');
    expect(word(link('h', 'degraded', { roundTripMs: 812 }))).toBe('degraded 812 ms');
    expect(word(link('h', 'stalled'))).toBe('stalled 12 s');
    expect(word(link('h', 'stalled', { lastByteAt: null }))).toBe('stalled 3 min');
    expect(word(link('h', 'down'))).toBe('down 12 s');
    expect(word(link('h', 'down', { retryAt: now + 7_100 }))).toBe('down, next try in 8 s');
    expect(word(link('h', 'down', { retryAt: now - 1 }))).toBe('down, trying now');
    expect(word(link('h', 'blocked'))).toBe('needs you');
  });

  it('colour trouble only, and each state has a sign of its own in both languages', () => {
    const states: LinkState[] = ['idle', 'connecting', 'good', 'degraded', 'stalled', 'down', 'blocked'];
    const tones = states.map((state) => healthWords(link('h', state), zh, now).tone);
    expect(tones).toEqual(['plain', 'plain', 'plain', 'attention', 'attention', 'danger', 'danger']);
    for (const text of [en, zh]) {
      const signs = states.map((state) => {
        const { icon, word: said } = healthWords(link('h', state), text, now);
        return `${icon} ${said.replace(/\d.*/, '')}`;
      });
      expect(new Set(signs).size).toBe(states.length);
    }
  });
});
