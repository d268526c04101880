import type { z } from 'zod';
import { survivesJson } from './stored-json';

/** Whether a value comes back as it is. False may also mean that only parsing tells. */
export type AsIs = (value: unknown) => boolean;

/** What is not understood is left to the schema itself. */
const unsure: AsIs = () => false;

/**
 * A quick look that spares the parsing of what fits anyway: true only if `schema` accepts the value and gives an equal one back,
 * keys in the same order, and JSON does too. Nothing is let through that the schema would refuse or change.
 */
export function asIs(schema: z.core.$ZodType): AsIs {
  const { def } = (schema as z.core.$ZodTypes)._zod;
  switch (def.type) {
    case 'string':
      return text(def);
    case 'number':
      return number(def);
    case 'array':
      return array(def);
    default:
      return def.checks === undefined || def.checks.length === 0 ? structure(def) : unsure;
  }
}

function structure(def: z.core.$ZodTypes['_zod']['def']): AsIs {
  switch (def.type) {
    case 'boolean':
      return (value) => value === true || value === false;
    case 'null':
      return (value) => value === null;
    case 'unknown':
      return survivesJson;
    case 'literal':
      return oneOf(def.values);
    case 'enum':
      return oneOf(Object.values(def.entries));
    case 'nullable': {
      const inner = asIs(def.innerType);
      return (value) => value === null || inner(value);
    }
    case 'optional':
      // A key that is there without a value is not there after JSON.
      return asIs(def.innerType);
    case 'object':
      return def.catchall === undefined ? object(def.shape) : unsure;
    case 'record':
      return def.keyType._zod.def.type === 'string' && isBare(def.keyType) ? record(def.valueType) : unsure;
    case 'union':
      // Of objects an earlier one may accept a value by leaving something out.
      return def.options.every(isScalar) ? anyOf(def.options.map(asIs)) : unsure;
    default:
      return unsure;
  }
}

function array(def: z.core.$ZodArrayDef): AsIs {
  const limits = (def.checks ?? []).map(({ _zod: { def: check } }) => longest(check));
  if (limits.includes(null)) return unsure;
  const fits = list(asIs(def.element));
  return limits.length === 0
    ? fits
    : (value) => fits(value) && limits.every((isShort) => isShort?.(value as unknown[]));
}

/** Null for another check. */
function longest(check: z.core.$ZodCheckDef): ((value: { length: number }) => boolean) | null {
  if (!isCheck<z.core.$ZodCheckMaxLengthDef>(check, 'max_length')) return null;
  const { maximum } = check;
  return ({ length }) => length <= maximum;
}

function list(fits: AsIs): AsIs {
  return (value) => {
    if (!Array.isArray(value)) return false;
    // By index: what was never set counts as undefined, which fits nothing.
    for (let index = 0; index < value.length; index += 1) if (!fits(value[index])) return false;
    return true;
  };
}

function object(shape: Readonly<Record<string, z.core.$ZodType>>): AsIs {
  const fields = Object.entries(shape).map(([key, schema]) => ({
    key,
    fits: asIs(schema),
    optional: schema._zod.optin === 'optional',
  }));
  return (value) => {
    if (!isPlain(value)) return false;
    let at = 0;
    // Copies no list of names. What is inherited is in no schema.
    for (const key in value) {
      let field = fields[at];
      while (field !== undefined && field.key !== key) {
        if (!field.optional) return false;
        at += 1;
        field = fields[at];
      }
      if (field === undefined || !field.fits(value[key])) return false;
      at += 1;
    }
    for (; at < fields.length; at += 1) if (fields[at]?.optional !== true) return false;
    return true;
  };
}

function record(of: z.core.$ZodType): AsIs {
  const fits = asIs(of);
  return (value) => {
    if (!isPlain(value)) return false;
    for (const key in value) if (key === '__proto__' || !fits(value[key])) return false;
    return true;
  };
}

function text(def: z.core.$ZodStringDef): AsIs {
  if (def.coerce === true || 'check' in def) return unsure;
  const checks = (def.checks ?? []).map(({ _zod: { def: check } }): ((value: string) => boolean) | null => {
    if (isCheck<z.core.$ZodCheckRegexDef>(check, 'string_format') && check.format === 'regex') {
      const { pattern } = check;
      return pattern.global || pattern.sticky ? null : (value) => pattern.test(value);
    }
    if (isCheck<z.core.$ZodCheckLengthEqualsDef>(check, 'length_equals')) {
      const { length } = check;
      // The schema counts characters, not their halves.
      return (value) => value.length === length && !HALVES.test(value);
    }
    return longest(check);
  });
  if (checks.includes(null)) return unsure;
  if (checks.length === 0) return (value) => typeof value === 'string';
  return (value) => typeof value === 'string' && checks.every((fits) => fits?.(value));
}

const HALVES = /[\ud800-\udfff]/;

function number(def: z.core.$ZodNumberDef): AsIs {
  if (def.coerce === true) return unsure;
  let whole = false;
  let least = Number.NEGATIVE_INFINITY;
  let above = Number.NEGATIVE_INFINITY;
  let most = Number.POSITIVE_INFINITY;
  const own = 'check' in def ? [def as unknown as z.core.$ZodCheckDef] : [];
  for (const check of [...own, ...(def.checks ?? []).map(({ _zod }) => _zod.def)]) {
    if (isCheck<z.core.$ZodCheckNumberFormatDef>(check, 'number_format') && check.format === 'safeint') {
      whole = true;
    } else if (
      isCheck<z.core.$ZodCheckGreaterThanDef>(check, 'greater_than') &&
      typeof check.value === 'number'
    ) {
      if (check.inclusive) least = Math.max(least, check.value);
      else above = Math.max(above, check.value);
    } else if (
      isCheck<z.core.$ZodCheckLessThanDef>(check, 'less_than') &&
      typeof check.value === 'number' &&
      check.inclusive
    ) {
      most = Math.min(most, check.value);
    } else return unsure;
  }
  return (value) =>
    typeof value === 'number' &&
    (whole ? Number.isSafeInteger(value) : Number.isFinite(value)) &&
    value >= least &&
    value > above &&
    value <= most &&
    !Object.is(value, -0);
}

function isCheck<T extends z.core.$ZodCheckDef>(def: z.core.$ZodCheckDef, check: T['check']): def is T {
  return def.check === check;
}

function oneOf(values: readonly unknown[]): AsIs {
  const known = new Set(values.filter((value) => value === null || typeof value !== 'object'));
  return (value) => known.has(value) && survivesJson(value);
}

function anyOf(options: readonly AsIs[]): AsIs {
  return (value) => options.some((fits) => fits(value));
}

/** No checks, and no type but its own. */
function isBare(schema: z.core.$ZodType): boolean {
  const { def } = schema._zod;
  return (
    (def.checks === undefined || def.checks.length === 0) &&
    !('check' in def) &&
    !('coerce' in def && def.coerce)
  );
}

function isScalar(schema: z.core.$ZodType): boolean {
  const { type } = schema._zod.def;
  return (
    type === 'string' || type === 'number' || type === 'boolean' || type === 'null' || type === 'literal'
  );
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
}
