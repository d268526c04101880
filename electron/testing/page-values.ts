import fc from 'fast-check';
import type { z } from 'zod';

/** What the attack knows of the place: ids that are there, and where it must never get. */
export interface Targets {
  run: string;
  /** A folder outside of everything the application may touch. */
  outside: string;
  /** An address on this machine that nobody gave a key for. */
  attacker: string;
}

/** As much of a zod schema as is walked over here. */
interface Definition {
  type: string;
  shape?: Record<string, z.ZodType>;
  element?: z.ZodType;
  options?: readonly z.ZodType[];
  entries?: Record<string, string>;
  values?: readonly unknown[];
  innerType?: z.ZodType;
  in?: z.ZodType;
  valueType?: z.ZodType;
}

const numbers = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(1, 2, 3, 24, 80, 100) },
  fc.constantFrom(0, -1, 0.5, 1e6, 2 ** 31, 2 ** 53, 1e308, Number.NaN, Number.POSITIVE_INFINITY),
  fc.integer(),
);

function texts({ run, outside, attacker }: Targets): fc.Arbitrary<string> {
  const away = outside.slice(1);
  return fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom(run, 'local', 'box', '1', 'Planted', 'main', 'prompt-1') },
    {
      weight: 2,
      arbitrary: fc.constantFrom(attacker, 'http://127.0.0.1:1/v1', 'needle', 'run_command', 'train'),
    },
    fc.constantFrom(
      '../../outside/x',
      '../outside/secret.txt',
      `${'../'.repeat(12)}${away}/x`,
      `${outside}/x`,
    ),
    fc.constantFrom(
      `file://${outside}/secret.txt`,
      `${outside}/secret.txt`,
      `~/x`,
      'C:\\x',
      '\\\\host\\share',
    ),
    fc.constantFrom('/etc/passwd', '/proc/self/environ', '/dev/zero', '/dev/stdin', 'a\0b', '.', '..', ''),
    fc.constantFrom(
      '__proto__',
      'constructor',
      'toString',
      'hasOwnProperty',
      'a;id',
      '$(id)',
      '-oProxyCommand=id',
    ),
    fc.constantFrom(
      `\${WAYMARK_PLANTED_KEY}`,
      'WAYMARK_PLANTED_KEY',
      '%h',
      '\u202e',
      '\ud800',
      'x'.repeat(70_000),
    ),
    fc.constantFrom(
      '7ZZZZZZZZZZZZZZZZZZZZZZZZZ',
      run.toLowerCase(),
      `${run}/..`,
      ` ${run}`,
      '../'.repeat(9).slice(0, 26),
    ),
    fc.string({ unit: 'binary', maxLength: 30 }),
  );
}

const anything = fc.oneof(
  fc.anything({ withBigInt: true, withDate: true, withTypedArray: true, withNullPrototype: true }),
  // Keys that mean something to objects, as their own.
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'then', 'toJSON', 'length').map((key) => {
    const own: unknown = JSON.parse(`{"${key}":{"run":1,"polluted":true}}`);
    return own;
  }),
);

/** Values that a schema takes, or nearly: with texts and numbers chosen by somebody who means harm. */
export function valuesOf(schema: z.ZodType, targets: Targets): fc.Arbitrary<unknown> {
  const { fitting, spoilt, more } = waysOf(schema, targets);
  return fc.oneof({ weight: 6, arbitrary: fitting }, { weight: 2, arbitrary: spoilt }, more, anything);
}

/** Values that a schema should refuse, though it may take some of them. */
export function spoiltValuesOf(schema: z.ZodType, targets: Targets): fc.Arbitrary<unknown> {
  const { spoilt, more } = waysOf(schema, targets);
  return fc.oneof({ weight: 3, arbitrary: spoilt }, more, { weight: 2, arbitrary: anything });
}

function waysOf(schema: z.ZodType, targets: Targets) {
  const text = texts(targets);
  const walk = (each: z.ZodType): fc.Arbitrary<unknown> => {
    const def = each.def as unknown as Definition;
    switch (def.type) {
      case 'object':
        return fc.record(
          Object.fromEntries(Object.entries(def.shape ?? {}).map(([key, one]) => [key, field(key, one)])),
        );
      case 'array':
        return fc.array(def.element === undefined ? anything : walk(def.element), { maxLength: 4 });
      case 'record':
        return fc.dictionary(text, def.valueType === undefined ? anything : walk(def.valueType), {
          maxKeys: 3,
        });
      case 'union':
        return fc.oneof(...(def.options ?? []).map(walk));
      case 'enum':
        return fc.constantFrom(...Object.values(def.entries ?? {}));
      case 'literal':
        return fc.constantFrom(...(def.values ?? []));
      case 'nullable':
        return fc.oneof(fc.constant(null), inner(def));
      case 'optional':
      case 'default':
      case 'prefault':
        return fc.oneof(fc.constant(undefined), inner(def));
      case 'pipe':
        return def.in === undefined ? anything : walk(def.in);
      case 'readonly':
      case 'nonoptional':
        return inner(def);
      case 'string':
        return text;
      case 'number':
      case 'int':
        return numbers;
      case 'boolean':
        return fc.boolean();
      case 'undefined':
        return fc.constant(undefined);
      case 'custom':
        return fc.uint8Array({ maxLength: 64 });
      default:
        return anything;
    }
  };
  /** Most is refused for its run already: that one is right more often. */
  const field = (key: string, each: z.ZodType) =>
    key === 'run'
      ? fc.oneof({ weight: 4, arbitrary: fc.constant(targets.run) }, { weight: 1, arbitrary: walk(each) })
      : walk(each);
  const inner = (def: Definition) => (def.innerType === undefined ? anything : walk(def.innerType));
  const fitting = walk(schema);
  const spoilt = fc.tuple(fitting, text, fc.oneof(anything, text, numbers)).map(([value, key, put]) => {
    if (typeof value !== 'object' || value === null) return put;
    const keys = Object.keys(value);
    return { ...value, [keys[key.length % Math.max(keys.length, 1)] ?? key]: put };
  });
  const more = fc.tuple(fitting, text, anything).map(([value, key, put]) => {
    return typeof value === 'object' && value !== null ? { ...value, [key]: put } : [value, put];
  });
  return { fitting, spoilt, more };
}
