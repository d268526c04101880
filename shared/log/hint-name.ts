import { z } from 'zod';
import { idSchema } from '../contract/id';

/** Crockford's alphabet, as ids are written. */
const NAME = 'hint-[0-9A-HJKMNP-TV-Z]{6}';

/** Id of a hint, or its name where a branch of the time before knows no more of it than what its summary says. */
export const hintIdSchema = z.union([idSchema, z.string().regex(new RegExp(`^${NAME}$`, 'u'))]);

/** How a summary names a hint: short enough to be written, long enough to be told apart. The name of a name is itself. */
export function hintName(id: string): string {
  return `hint-${id.slice(-6)}`;
}

/** Names of hints in a text, in order, each once. */
export function hintNamesIn(text: string): string[] {
  return [...new Set([...text.matchAll(new RegExp(`\\b${NAME}\\b`, 'gu'))].map(([name]) => name))];
}
