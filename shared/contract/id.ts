import { z } from 'zod';

/**
 * Ids of runs, hints, entries and batches: ULIDs as this application writes them, 26 characters of Crockford's alphabet in
 * capitals. Nothing else may become part of a path or of a question about a run, wherever it comes from: a row, a message, a
 * command line, a file's name. `idSchema` is the same for zod; a migration says it to SQLite.
 */
const idPattern = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

export function isId(text: unknown): text is string {
  return typeof text === 'string' && idPattern.test(text);
}

/** An id at an edge: see `isId`. */
export const idSchema = z
  .string()
  .regex(idPattern, 'This is not an id: ids have 26 capitals and digits, without I, L, O and U.');
