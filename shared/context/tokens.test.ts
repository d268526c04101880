import fc from 'fast-check';
import { expect, test } from 'vitest';
import { estimateTokens } from './tokens';

test.each([
  ['', 0],
  ['a'.repeat(36), 10],
  ['训练数据', 4],
  ['éé', 1],
  [`${'a'.repeat(18)}训练`, 7],
])('%j is estimated at %i tokens', (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test('each character counts by its class, wherever it stands', () => {
  const weight = (code: number) => (code < 0x80 ? 1 / 3.6 : code >= 0x2e80 && code < 0xd800 ? 1 : 1 / 2);
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 200 }), (text) => {
      const units = Array.from({ length: text.length }, (_, at) => weight(text.charCodeAt(at)));
      const sum = units.reduce((total, each) => total + each, 0);
      // Rounded up: sums in another order may differ in the last digit.
      expect(Math.abs(estimateTokens(text) - sum)).toBeLessThan(1 + 1e-6);
      expect(estimateTokens(text)).toBeGreaterThan(sum - 1e-6);
    }),
  );
});
