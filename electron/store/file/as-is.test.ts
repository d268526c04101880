import { judgeVote } from '@shared/log/annotations';
import { eventBodies, type RunEvent } from '@shared/log/events';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { plantedRun } from '../../testing/planted-run';
import { asIs } from './as-is';

const looks = new Map(Object.entries(eventBodies).map(([kind, schema]) => [kind, asIs(schema)]));
const events: readonly RunEvent[] = plantedRun().run.script.events;

test('what a run writes is seen to fit without being parsed', () => {
  const seen = new Set<string>();
  for (const { kind, body } of events) {
    const parsed = eventBodies[kind].safeParse(body);
    // The planted run's files have no real hashes.
    if (!parsed.success || JSON.stringify(parsed.data) !== JSON.stringify(body)) continue;
    expect([kind, looks.get(kind)?.(body)]).toEqual([kind, true]);
    seen.add(kind);
  }
  for (const kind of ['model.answered', 'action.started', 'action.observed']) expect(seen).toContain(kind);
});

type Path = (string | number)[];

/** Paths of everything inside a value, the value itself included. */
function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path];
  return [path, ...Object.entries(value).flatMap(([key, item]) => pathsIn(item, [...path, key]))];
}

/** A copy with another value at one place. */
function changed(value: unknown, [key, ...rest]: Path, change: (item: unknown) => unknown): unknown {
  if (key === undefined || typeof value !== 'object' || value === null) return change(value);
  const entries = Object.entries(value).map(
    ([name, item]) => [name, name === key ? changed(item, rest, change) : item] as const,
  );
  return Array.isArray(value) ? entries.map(([, item]) => item) : Object.fromEntries(entries);
}

const isRecord = (item: unknown): item is Record<string, unknown> =>
  typeof item === 'object' && item !== null && !Array.isArray(item);

const odd = fc.constantFrom<unknown>(
  ...[undefined, null, Number.NaN, Number.POSITIVE_INFINITY, -0, -1, 0.5, 2 ** 60, 1n, '', 'x', true],
  ...[new Date(0), new Map(), () => 1, [], [undefined], new Array(2), {}, Object.create(null)],
  ...[Object.create({ step: 1 }), { toJSON: () => 1 }, JSON.parse('{"__proto__":1}'), 'a'.repeat(64)],
);
const change = fc.oneof(
  odd.map((value) => () => value),
  fc.nat().map((at) => (item: unknown) => {
    const entries = isRecord(item) ? Object.entries(item) : [];
    return isRecord(item)
      ? Object.fromEntries(entries.filter((_, index) => index !== at % entries.length))
      : item;
  }),
  fc.constant((item: unknown) => (isRecord(item) ? { ...item, more: 1 } : item)),
  fc.constant((item: unknown) =>
    isRecord(item) ? Object.fromEntries(Object.entries(item).reverse()) : item,
  ),
);

test('what is seen to fit is what parsing and JSON would give back', () => {
  fc.assert(
    fc.property(fc.constantFrom(...events), fc.nat(), change, ({ kind, body }, at, how) => {
      const paths = pathsIn(body);
      const value = changed(body, paths[at % paths.length] ?? [], how);
      fc.pre(looks.get(kind)?.(value) === true);
      const parsed = eventBodies[kind].safeParse(value);
      expect(parsed.success).toBe(true);
      expect(JSON.stringify(parsed.data)).toBe(JSON.stringify(value));
      expect(JSON.parse(JSON.stringify(value))).toStrictEqual(value);
    }),
    { numRuns: 3_000, maxSkipsPerRun: 100 },
  );
});

const vote = {
  op: 'judge',
  value: 'mask',
  confidence: 0.9,
  reason: 'blind-edit',
  why: 'It edits what it has not read.',
  steps: [1, 2],
  rubric: 'steps-1',
  request: 'a'.repeat(64),
  batch: '01ARZ3NDEKTSV4RRFFQ69G5FAV',
};
const isVote = asIs(judgeVote);

test("a judge's vote is seen to fit, and only what parsing gives back is", () => {
  expect(isVote(vote)).toBe(true);
  const { request: _, batch: __, ...alone } = vote;
  expect(isVote({ ...alone, confidence: null, steps: [] })).toBe(true);
  const long = fc.constantFrom<unknown>(
    'a'.repeat(81),
    'a'.repeat(10_001),
    Array(201).fill(1),
    1,
    1.01,
    -0.1,
  );
  fc.assert(
    fc.property(
      fc.nat(),
      fc.oneof(
        change,
        long.map((value) => () => value),
      ),
      (at, how) => {
        const paths = pathsIn(vote);
        const value = changed(vote, paths[at % paths.length] ?? [], how);
        fc.pre(isVote(value));
        const parsed = judgeVote.safeParse(value);
        expect(parsed.success).toBe(true);
        expect(JSON.stringify(parsed.data)).toBe(JSON.stringify(value));
      },
    ),
    { numRuns: 3_000, maxSkipsPerRun: 100 },
  );
  for (const [key, most] of [
    ['reason', 80],
    ['why', 10_000],
    ['rubric', 120],
  ] as const) {
    expect(isVote({ ...vote, [key]: 'a'.repeat(most) })).toBe(true);
    expect(isVote({ ...vote, [key]: 'a'.repeat(most + 1) })).toBe(false);
  }
  expect(isVote({ ...vote, steps: Array(200).fill(1) })).toBe(true);
  expect(isVote({ ...vote, steps: Array(201).fill(1) })).toBe(false);
  expect(isVote({ ...vote, confidence: 1 })).toBe(true);
  expect(isVote({ ...vote, confidence: 1.01 })).toBe(false);
});

test('what it does not understand is left to the schema', () => {
  const schemas: [z.ZodType, unknown][] = [
    [z.string().trim(), 'a'],
    [z.string().default('a'), 'a'],
    [z.coerce.string(), 'a'],
    [z.email(), 'a@b.de'],
    [z.number().lt(3), 1],
    [z.number().multipleOf(1), 1],
    [z.string().min(1), 'a'],
    [z.array(z.string()).min(1), ['a']],
    [z.coerce.number(), 1],
    [z.string().refine((value) => value === 'b'), 'a'],
    [z.object({ a: z.string() }).refine(() => false), { a: 'a' }],
    [z.looseObject({ a: z.string() }), { a: 'a' }],
    [z.array(z.string()).max(0), ['a']],
    [z.string().length(4), '\u{1f600}'.repeat(2)],
    [z.union([z.object({}), z.object({ a: z.string() })]), { a: 'a' }],
    [z.record(z.string().length(1), z.string()), { ab: 'a' }],
    [z.string().transform((value) => value.length), 'a'],
  ];
  for (const [schema, value] of schemas) expect(asIs(schema)(value)).toBe(false);
  expect(asIs(z.object({ a: z.string().optional(), b: z.int() }))({ b: 1 })).toBe(true);
});
