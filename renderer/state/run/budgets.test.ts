import { describe, expect, it } from 'vitest';
import { budgetWords } from '../../features/strip/budget-words';
import { limitsDraftOf, readLimits } from '../../features/strip/limits-draft';
import { en } from '../../text/en';
import { zh } from '../../text/zh';
import { budgetsOf } from './budgets';

const run = {
  workingMs: 9 * 3_600_000,
  maxWorkingMs: 24 * 3_600_000,
  taken: 160,
  maxSteps: 200,
  tokens: { input: 900_000, output: 100_000, cached: 0, context: 0, contextLimit: 1 },
  maxTokens: 1_000_000,
  cost: 31.2,
  maxCost: null,
  scores: { best: null, final: null, last: null, tries: 2, maxTries: 3 },
};

describe('budgets', () => {
  it('are near their limit from 80 % and spent from 100 %', () => {
    const budgets = budgetsOf(run);
    expect(budgets.time).toMatchObject({ share: 0.375, level: 'plain' });
    expect(budgets.steps).toMatchObject({ used: 160, limit: 200, level: 'near' });
    expect(budgets.tokens).toMatchObject({ used: 1_000_000, level: 'spent' });
    expect(budgets.evals).toMatchObject({ level: 'plain' });
    expect(budgetsOf({ ...run, taken: 159 }).steps.level).toBe('plain');
  });

  it('without a limit are a number and no share', () => {
    expect(budgetsOf(run).cost).toEqual({
      kind: 'cost',
      used: 31.2,
      limit: null,
      share: null,
      level: 'plain',
    });
    expect(budgetWords(budgetsOf(run).cost, en)).toMatchObject({
      name: 'Cost',
      used: '$31.20',
      warning: null,
    });
  });

  it('say their share in words when it matters, never by colour alone', () => {
    for (const text of [en, zh]) {
      expect(budgetWords(budgetsOf(run).time, text).warning).toBeNull();
      expect(budgetWords(budgetsOf(run).steps, text).warning).toMatch(/^80 ?%$/);
      expect(budgetWords(budgetsOf(run).tokens, text).warning).not.toBe('');
    }
    expect(budgetWords(budgetsOf({ ...run, taken: 199 }).steps, en).warning).toBe('99 %');
    expect(budgetWords(budgetsOf(run).tokens, en).sentence).toContain('The run ends before its next step');
  });
});

describe('changed limits', () => {
  it('are only those that were changed, in the units of the contract', () => {
    const draft = limitsDraftOf(run);
    expect(readLimits(run, draft)).toEqual({ ok: true, change: {} });
    expect(readLimits(run, { ...draft, steps: '1,000', hours: '30.5', cost: '60' })).toEqual({
      ok: true,
      change: { maxSteps: 1000, maxWorkingMs: 30.5 * 3_600_000, maxCost: 60 },
    });
  });

  it('are taken away by an empty field where a run can do without', () => {
    const draft = limitsDraftOf(run);
    expect(readLimits(run, { ...draft, tokens: '' })).toEqual({ ok: true, change: { maxTokens: null } });
    expect(readLimits(run, { ...draft, training: '24' })).toEqual({
      ok: true,
      change: { maxTrainingMs: 86_400_000 },
    });
    const limited = { ...run, maxTrainingMs: 5_400_000 };
    expect(limitsDraftOf(limited).training).toBe('1.5');
    expect(readLimits(limited, { ...limitsDraftOf(limited), training: '' })).toEqual({
      ok: true,
      change: { maxTrainingMs: null },
    });
    expect(readLimits(run, { ...draft, steps: '' })).toEqual({ ok: false, wrong: new Set(['steps']) });
  });

  it('are refused where they are no limits', () => {
    const draft = limitsDraftOf(run);
    for (const steps of ['0', '-1', '1.5', 'many'])
      expect(readLimits(run, { ...draft, steps }), steps).toMatchObject({ ok: false });
    expect(readLimits(run, { ...draft, cost: '0' })).toMatchObject({ ok: false });
    expect(readLimits(run, { ...draft, evals: '0' })).toEqual({ ok: true, change: { maxEvals: 0 } });
  });
});
