import { reasonCodes } from '@shared/labels/guideline';
import { expect, it } from 'vitest';
import { stepHead } from '../../state/run/step-fixtures';
import { en } from '../../text/en';
import { zh } from '../../text/zh';
import { pointFor } from './guideline';

const label = { value: 'mask', source: 'judge', reason: 'idle-compute', disagreement: false } as const;

it('opens at the armed reason, else at a person’s, else at the rule that fired, else at the judge’s', () => {
  const fired = stepHead(1, { rules: ['keep-backup', 'blind-edit-strict'], label });
  expect(pointFor(fired, 'template-cot')).toBe('template-cot');
  expect(pointFor(fired, null)).toBe('blind-edit');
  expect(pointFor(fired, 'words of a person')).toBe('blind-edit');
  expect(pointFor(fired, null, [null, 'words', 'eval-timing'])).toBe('eval-timing');
  expect(pointFor(stepHead(1, { label }), null)).toBe('idle-compute');
  expect(pointFor(stepHead(1), null)).toBeNull();
  expect(pointFor(undefined, null)).toBeNull();
});

it('gives nothing away to a blind second opinion', () => {
  expect(pointFor(stepHead(1, { rules: ['blind-edit'], label, withheld: true }), null)).toBeNull();
});

it('has a text and what counts for each of the nine points, in both languages', () => {
  for (const code of reasonCodes) {
    for (const { guideline } of [en, zh]) {
      const { text, counts } = guideline.point(code);
      expect(text.length, code).toBeGreaterThan(10);
      expect(counts.length, code).toBeGreaterThan(10);
    }
    expect(zh.guideline.point(code).text).not.toBe(en.guideline.point(code).text);
  }
});
