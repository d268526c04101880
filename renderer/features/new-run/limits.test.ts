import { describe, expect, it } from 'vitest';
import { limitsOf, numberIn } from './limits';

describe('the limits of a new run', () => {
  const none = { maxSteps: null, maxHours: null, maxTokens: null, maxCost: null };

  it('are left to the task where a field is empty', () => {
    expect(limitsOf(none)).toEqual({});
  });

  it('are sent in the units of the contract', () => {
    const typed = { maxSteps: numberIn('200'), maxHours: numberIn('1.5'), maxTokens: numberIn('2,000,000') };
    expect(limitsOf({ ...typed, maxCost: numberIn('12.5') })).toEqual({
      maxSteps: 200,
      maxWorkingMs: 5_400_000,
      maxTokens: 2_000_000,
      maxCost: 12.5,
    });
  });

  it('hold a run back while one of them is no number above 0', () => {
    for (const typed of ['0', '-3', 'ten', '1e999'])
      expect(limitsOf({ ...none, maxCost: numberIn(typed) }), typed).toBeNull();
  });
});
