/**
 * What the JSON text of a call's arguments means, for templates that want an object. Null where JSON cannot say it as it stands: it
 * is no object, or it holds a number that would change (`9007199254740993`, `1e999`).
 */
export function argumentsObject(text: string): Readonly<Record<string, unknown>> | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return numbersOf(text).every(isExact) ? (value as Record<string, unknown>) : null;
}

/** Numbers in a text of JSON, strings left out. */
function numbersOf(text: string): string[] {
  return text.replace(/"(?:[^"\\]|\\.)*"/g, '""').match(/-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/g) ?? [];
}

/** Whether the number is read as it was written: whole numbers to the last digit, others in range. */
function isExact(number: string): boolean {
  const value = Number(number);
  if (!Number.isFinite(value)) return false;
  return !/^-?\d+$/.test(number) || BigInt(number) === BigInt(value);
}
