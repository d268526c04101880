import { expect, it } from 'vitest';
import { stepHead } from '../../state/run/step-fixtures';
import { comparedStep } from './prompt-diff';

const kinds = ['act', 'act', 'summary', 'summary', 'act'] as const;
const heads = {
  get: (step: number) => {
    const kind = kinds[step - 1];
    return kind === undefined ? undefined : stepHead(step, { kind });
  },
};

it('a step is compared with the last step before it that was no summary turn', () => {
  expect(comparedStep(heads, 5)).toBe(2);
  expect(comparedStep(heads, 2)).toBe(1);
});

it('a summary turn is compared with what was sent right before it', () => {
  expect(comparedStep(heads, 4)).toBe(3);
  expect(comparedStep(heads, 3)).toBe(2);
});

it('the first step has nothing before it; a step whose head is not read counts as an ordinary one', () => {
  expect(comparedStep(heads, 1)).toBe(0);
  expect(comparedStep({ get: () => undefined }, 9)).toBe(8);
});
