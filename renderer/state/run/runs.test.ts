import type { RunState, RunSummary } from '@shared/contract/views';
import { describe, expect, it } from 'vitest';
import { en } from '../../text/en';
import { runWords } from '../../text/run-words';
import { zh } from '../../text/zh';
import { runSummary } from './run-fixtures';
import { railGroup, railOrder } from './runs';

const now = Date.UTC(2026, 10, 21, 12);

const run = (id: string, change: Partial<RunSummary> = {}) =>
  runSummary(id, { createdAt: now - 1000, changedAt: now - 60_000, ...change });

describe('the rail', () => {
  it('puts who needs a person first, then who works, then who is done', () => {
    const list = [
      run('done', { state: 'finished', changedAt: now }),
      run('works', { changedAt: now }),
      run('asks', { state: 'waiting_human', changedAt: now - 900_000 }),
      run('alone', { state: 'undriven', changedAt: now }),
    ];
    expect(list.sort(railOrder).map((one) => one.id)).toEqual(['asks', 'alone', 'works', 'done']);
  });

  it('does not hide a run whose hint was never delivered', () => {
    const hints = { queued: 0, delivered: 0, undelivered: 1 };
    expect(railGroup(run('r', { state: 'finished', hints }))).toBe('needsYou');
  });
});

describe('the words of a state', () => {
  const states: RunState[] = [
    'created',
    'thinking',
    'acting',
    'sleeping',
    'waiting_host',
    'waiting_human',
    'paused',
    'finished',
    'stopped',
    'failed',
    'undriven',
  ];

  it('always give a reason or a time', () => {
    for (const text of [en, zh]) {
      for (const state of states) {
        const words = runWords(run('r', { state }), text, now);
        expect(words.state, state).not.toBe('');
        expect(words.reason, state).not.toBe('');
      }
    }
  });

  it('say on which computer it trains, until when it sleeps, and that a command goes on under a pause', () => {
    const computers = [
      { name: 'desk', kind: 'local' as const },
      { name: 'gpu-03', kind: 'ssh' as const, host: 'gpu-03', gpus: 8 },
    ];
    const runningOn = [{ computer: 'gpu-03', session: 'train' }];
    const until = now + 41 * 60_000;
    const training = runWords(run('r', { state: 'sleeping', until, computers, runningOn }), en, now);
    expect(training.state).toBe('Training on gpu-03');
    expect(training.reason).toMatch(/^sleeps until \d\d:\d\d \(41 min\)$/);
    const paused = runWords(run('r', { state: 'paused', reason: 'asked', computers, runningOn }), en, now);
    expect(paused.reason).toContain('train on gpu-03 was running when last seen');
    expect(paused.tone).toBe('plain');
  });

  it('call for a person when a run rests for another reason than that it was asked to', () => {
    const words = runWords(
      run('r', { state: 'paused', reason: 'model_key_missing', message: 'No key for GLM.' }),
      en,
      now,
    );
    expect(words).toMatchObject({ tone: 'attention', more: 'No key for GLM.' });
    expect(words.reason).toContain('the key of the model is missing');
  });

  it('say until when a run sleeps and how long that is', () => {
    const words = runWords(run('r', { state: 'sleeping', until: now + 41 * 60_000 }), en, now);
    expect(words.state).toMatch(/^Sleeping until \d\d:\d\d$/);
    expect(words.reason).toBe('41 min left');
  });
});
