import fc from 'fast-check';
import { expect, it } from 'vitest';
import { nestsDeeper } from './json-depth';

function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

it('knows the depth of any JSON value, whatever its strings hold', () => {
  fc.assert(
    fc.property(fc.jsonValue({ maxDepth: 6 }), fc.boolean(), (value, spaced) => {
      const text = JSON.stringify(value, null, spaced ? 2 : 0);
      const depth = depthOf(value);
      expect(nestsDeeper(text, depth)).toBe(false);
      if (depth > 0) expect(nestsDeeper(text, depth - 1)).toBe(true);
    }),
  );
});

it('skips brackets inside strings, also behind escaped quotes', () => {
  expect(nestsDeeper(String.raw`["[[[[\"[[[[","\\",{}]`, 2)).toBe(false);
  expect(nestsDeeper(String.raw`["\\",[[1]]]`, 2)).toBe(true);
});

it('reads a string that does not end once', () => {
  expect(nestsDeeper(`"${'['.repeat(1_000_000)}`, 0)).toBe(false);
});
