/** Where two records differ first, and what stands there. */
export interface RecordDifference {
  path: string;
  found: string;
  expected: string;
}

/** What stands in the place of a text that was taken out. */
const PLACEHOLDER = '<<';

/**
 * Compares what a file holds with what the workspace gives. `redacted`: texts with a placeholder are taken for what they stand for.
 * Numbers of Parquet may be bigints, and what is absent there is null, or NaN in a column that knows no null.
 */
export function recordDifference(
  found: unknown,
  expected: unknown,
  redacted: boolean,
  path = '',
): RecordDifference | null {
  if (found === expected || (isNothing(found) && isNothing(expected))) return null;
  if (typeof found === 'bigint' || typeof expected === 'bigint')
    return String(found) === String(expected) ? null : differing(found, expected, path);
  if (typeof found === 'string' && typeof expected === 'string')
    return redacted && found.includes(PLACEHOLDER) ? null : differing(found, expected, path);
  if (!isObject(found) || !isObject(expected) || Array.isArray(found) !== Array.isArray(expected))
    return differing(found, expected, path);
  for (const key of new Set([...Object.keys(expected), ...Object.keys(found)])) {
    const below = path === '' ? key : `${path}.${key}`;
    const difference = recordDifference(found[key], expected[key], redacted, below);
    if (difference !== null) return difference;
  }
  return null;
}

function isNothing(value: unknown): boolean {
  return value === null || value === undefined || Number.isNaN(value);
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function differing(found: unknown, expected: unknown, path: string): RecordDifference {
  return { path: path === '' ? 'the record' : path, found: shown(found), expected: shown(expected) };
}

function shown(value: unknown): string {
  if (value === undefined) return 'absent';
  const text = typeof value === 'bigint' ? String(value) : JSON.stringify(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
