import fc from 'fast-check';
import { expect, test } from 'vitest';
import { annotationEntrySchema } from '../log/annotations';
import { isPlainLabel } from './plain-label';

const id = '01ARZ3NDEKTSV4RRFFQ69G5FAV';
const label = {
  ulid: id,
  at: 1,
  author: { uuid: 'a', name: '' },
  device: 'd',
  deviceSeq: 1,
  target: { run: id, from: 1, to: 2 },
  supersedes: [id],
  body: { op: 'label', value: 'train', reason: null },
};

test('a label as most are needs no schema', () => {
  expect(isPlainLabel(label)).toBe(true);
  expect(isPlainLabel({ ...label, body: { op: 'label', value: 'clear', reason: 'no' } })).toBe(true);
});

/** A value with one of its parts, however deep, replaced or added. */
function changed(value: unknown, path: readonly string[], to: unknown): unknown {
  const [key, ...rest] = path;
  if (key === undefined) return to;
  const next = changed((value as Record<string, unknown>)[key], rest, to);
  return Array.isArray(value)
    ? Object.assign([...value], { [key]: next })
    : { ...(value as object), [key]: next };
}

const paths = [
  ...[
    [],
    ['ulid'],
    ['at'],
    ['author'],
    ['author', 'uuid'],
    ['author', 'name'],
    ['author', 'age'],
    ['device'],
  ],
  ...[
    ['deviceSeq'],
    ['target'],
    ['target', 'run'],
    ['target', 'from'],
    ['target', 'to'],
    ['target', 'parts'],
  ],
  ...[['supersedes'], ['supersedes', '0'], ['gesture'], ['body'], ['body', 'op'], ['body', 'value']],
  ...[['body', 'reason'], ['body', 'dwellMs'], ['else']],
];
const odd = fc.oneof(
  fc.constantFrom<unknown>(
    ...[null, true, '', 'x', id, `${id}x`, 0, -1, 1.5, 2 ** 53, Number.MAX_VALUE, 'mask'],
  ),
  fc.constantFrom<unknown>(
    ...['undo', 'comment', 'clear', [], [id], [1], {}, { run: id }, { uuid: 'b', name: 'B' }],
  ),
  fc.constantFrom<unknown>(undefined, Number.NaN, Number.POSITIVE_INFINITY),
  fc.anything(),
);

test('what passes as a plain label passes the schema, which leaves nothing out of it', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(fc.constantFrom(...paths), odd), { maxLength: 2 }), (changes) => {
      let value: unknown = label;
      for (const [path, to] of changes) {
        try {
          value = changed(value, path, to);
        } catch {
          // An earlier change has taken away what this one is about.
        }
      }
      fc.pre(isPlainLabel(value));
      expect(annotationEntrySchema.parse(value)).toEqual(value);
    }),
    { numRuns: 3000 },
  );
});
