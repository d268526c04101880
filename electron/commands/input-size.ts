import { WaymarkError } from '@shared/contract/errors';

/** Values of an input, counted through all its levels; the longest that is asked for in earnest has 10,000. */
const mostValues = 100_000;
/** Characters and bytes of its texts together; a picture of a plot has 20 million. */
const mostCharacters = 32 * 1024 * 1024;
/** Levels; a schema goes no deeper. */
const deepest = 64;

/**
 * Refuses what no command takes before a schema walks over it: looking costs no more than the limits allow.
 * @throws WaymarkError bad_input
 */
export function checkInputSize(command: string, input: unknown): void {
  const open: { value: unknown; depth: number }[] = [{ value: input, depth: 0 }];
  let values = 0;
  let characters = 0;
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next;
    if (typeof value === 'string') characters += value.length;
    else if (ArrayBuffer.isView(value)) characters += value.byteLength;
    else if (typeof value === 'object' && value !== null) {
      const within = Array.isArray(value) ? value : Object.values(value);
      values += within.length;
      if (values > mostValues) throw tooLarge(command, `more than ${mostValues} values`);
      if (depth === deepest) throw tooLarge(command, `more than ${deepest} levels`);
      for (const each of within) open.push({ value: each, depth: depth + 1 });
      if (!Array.isArray(value)) for (const key of Object.keys(value)) characters += key.length;
    }
    if (characters > mostCharacters) throw tooLarge(command, `more than ${mostCharacters} characters`);
  }
}

function tooLarge(command: string, what: string): WaymarkError {
  return new WaymarkError('bad_input', `The input of ${command} is too large: ${what}.`);
}
