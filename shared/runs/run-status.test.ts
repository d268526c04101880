import { describe, expect, it } from 'vitest';
import { runStatus } from './run-status';

const base = {
  state: 'sleeping' as const,
  until: 9_000,
  reason: null,
  message: 'Driven.',
  runningOn: [
    { computer: 'desk', session: 'notes' },
    { computer: 'worker', session: 'train' },
  ],
  computers: [
    { name: 'desk', kind: 'local' as const },
    { name: 'worker', kind: 'ssh' as const, host: 'gpu-03', gpus: 8 },
  ],
};

describe('the status of a run', () => {
  it('is training while it sleeps and a command goes on on a computer with GPUs', () => {
    expect(runStatus(base)).toEqual({
      word: 'training',
      until: 9_000,
      on: { computer: 'worker', host: 'gpu-03', session: 'train' },
      reason: null,
      message: null,
    });
  });

  it('is sleeping while the command goes on elsewhere, and names it', () => {
    const elsewhere = { ...base, runningOn: [{ computer: 'desk', session: 'notes' }] };
    expect(runStatus(elsewhere)).toMatchObject({
      word: 'sleeping',
      on: { computer: 'desk', host: null, session: 'notes' },
    });
    expect(runStatus({ ...base, runningOn: [] })).toMatchObject({ word: 'sleeping', on: null });
  });

  it('waits for the model when that is what cannot be reached', () => {
    const waiting = { ...base, state: 'waiting_host' as const, runningOn: [], message: 'No answer.' };
    expect(runStatus({ ...waiting, reason: 'model_unreachable' })).toMatchObject({
      word: 'waiting_model',
      reason: 'model_unreachable',
    });
    expect(runStatus({ ...waiting, reason: 'computer_unavailable' })).toMatchObject({ word: 'waiting_host' });
  });

  it('says why a run rests, and what goes on all the same', () => {
    const paused = { ...base, state: 'paused' as const, reason: 'model_key_missing', message: 'No key.' };
    expect(runStatus(paused)).toMatchObject({
      word: 'paused',
      until: null,
      reason: 'model_key_missing',
      message: 'No key.',
      on: { computer: 'worker' },
    });
    expect(runStatus({ ...base, state: 'thinking' })).toMatchObject({ word: 'thinking', reason: null });
    expect(runStatus({ ...paused, state: 'failed', message: '' })).toMatchObject({ message: null });
  });
});
