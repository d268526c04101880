import { describe, expect, it } from 'vitest';
import { limitsOf, noLimits, readDraft } from './limits';
import { noRecord, recordOf } from './RecordFields';

describe('the limits of a new run', () => {
  it('are left to the task where a field is empty', () => {
    expect(limitsOf(noLimits, true)).toEqual({});
  });

  it('are sent in the units of the contract', () => {
    const typed = {
      steps: '200',
      hours: '1.5',
      evals: '0',
      training: '24',
      tokens: '2,000,000',
      cost: '12.5',
    };
    const limits = { maxSteps: 200, maxWorkingMs: 5_400_000, maxEvals: 0, maxTrainingMs: 86_400_000 };
    expect(limitsOf(typed, true)).toEqual({ ...limits, maxTokens: 2_000_000, maxCost: 12.5 });
    // Money cannot be limited where the model has no price.
    expect(limitsOf(typed, false)).toEqual({ ...limits, maxTokens: 2_000_000 });
  });

  it('hold a run back while one of them is no number above 0', () => {
    for (const field of ['steps', 'hours', 'training', 'tokens', 'cost'] as const) {
      for (const typed of ['0', '-3', 'ten', '1e999'])
        expect(limitsOf({ ...noLimits, [field]: typed }, true), `${field} ${typed}`).toBeNull();
    }
    expect(readDraft({ ...noLimits, evals: '1.5' }, true).evals).toBe(false);
  });
});

describe('what a new run is recorded with', () => {
  it('is what was typed, and nothing for an empty field', () => {
    expect(recordOf(noRecord)).toEqual({ experiment: null });
    expect(recordOf({ experiment: ' e ', arm: 'b', group: '', sample: '0', seed: '7' })).toEqual({
      experiment: 'e',
      arm: 'b',
      sample: 0,
      seed: 7,
    });
  });

  it('holds a run back while sample or seed is no whole number', () => {
    for (const typed of ['-1', '1.5', 'x']) expect(recordOf({ ...noRecord, seed: typed }), typed).toBeNull();
  });
});
