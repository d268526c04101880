import fc from 'fast-check';
import { expect, test } from 'vitest';
import { externalise, hydrate, survivesJson, textReferences } from './stored-json';

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 30 }),
  fc.string({ unit: 'binary', minLength: 4050, maxLength: 4150 }),
  fc.constantFrom('\ud800'.repeat(4200), '学习'.repeat(2200)),
);
const key = fc.oneof(fc.constantFrom('$text', '$object', '__proto__'), fc.string({ maxLength: 5 }));
const { json } = fc.letrec((tie) => ({
  json: fc.oneof(
    { maxDepth: 4 },
    text,
    fc.integer(),
    fc.boolean(),
    fc.constant(null),
    fc.array(tie('json'), { maxLength: 4 }),
    fc.dictionary(key, tie('json'), { maxKeys: 3 }),
  ),
}));

test('what is put outside comes back, whatever the value looks like', () => {
  fc.assert(
    fc.property(json, (value) => {
      const kept = new Map<string, string>();
      const stored = JSON.stringify(
        externalise(value, (large) => {
          const sha = `sha${kept.size}`;
          kept.set(sha, String(large));
          return sha;
        }),
      );
      expect(hydrate(JSON.parse(stored), (sha) => kept.get(sha) ?? 'lost')).toEqual(
        JSON.parse(JSON.stringify(value)),
      );
      expect(textReferences(JSON.parse(stored)).sort()).toEqual([...kept.keys()].sort());
    }),
    { numRuns: 300 },
  );
});

test('only texts of more than 4,096 units leave the body, and lone surrogates stay', () => {
  const keep = () => 'sha';
  expect(externalise({ a: 'x'.repeat(4096) }, keep)).toEqual({ a: 'x'.repeat(4096) });
  expect(externalise({ a: 'x'.repeat(4097) }, keep)).toEqual({ a: { $text: 'sha' } });
  expect(externalise('\ud800'.repeat(5000), keep)).toBe('\ud800'.repeat(5000));
});

test('only what JSON gives back as it is counts as such', () => {
  const odd = fc.constantFrom(
    ...[undefined, Number.NaN, Number.POSITIVE_INFINITY, -0, 1n, new Date(0), new Map(), () => 1],
    ...[Object.create(null), { toJSON: () => 1 }, Array.from({ length: 2 }).fill(undefined)],
  );
  const anything = fc.oneof(
    json,
    odd,
    fc.array(fc.oneof(json, odd)),
    fc.dictionary(key, fc.oneof(json, odd)),
  );
  fc.assert(
    fc.property(anything, (value) => {
      if (survivesJson(value)) expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
    }),
  );
  fc.assert(
    fc.property(json, (value) => {
      expect(survivesJson(JSON.parse(JSON.stringify(value)))).toBe(true);
    }),
  );
});
