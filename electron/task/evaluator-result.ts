import { constants } from 'node:fs';
import { type FileHandle, lstat, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { jsonFault } from '@shared/base/json';
import { z } from 'zod';

/** What keeps an evaluation from giving a score, a sentence for people and the agent; no try is spent. */
export class Unavailable extends Error {}

/** What an evaluator writes to the file named by WAYMARK_RESULT, or prints as its last line. */
const resultSchema = z.object({
  score: z.number(),
  metrics: z.record(z.string(), z.unknown()).default({}),
  message: z.string().default(''),
  /** false: the submission has the wrong form; 0 points, a try is spent (InnovatorBench §3, Evaluations). */
  valid: z.boolean().default(true),
});
export type EvaluatorResult = z.infer<typeof resultSchema>;

/** What each field has to be, as the end of a sentence. */
const musts: Readonly<Partial<Record<string, string>>> = {
  score: 'a finite number',
  metrics: 'an object',
  message: 'a text',
  valid: 'true or false',
};

const MAX_RESULT_BYTES = 1024 * 1024;

/**
 * The evaluator's result: what it wrote to `path`, else its last printed line. The file is one that the evaluator made in the
 * folder that was made for it: no link, also none on the way, no second name of another file, nothing that has to be waited for.
 * @throws Unavailable
 */
export async function readResult(path: string, lastLine: string): Promise<EvaluatorResult> {
  const text = (await writtenResult(path)) ?? lastLine;
  if (text === '') throw new Unavailable('The evaluator gave no result: WAYMARK_RESULT was not written.');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new Unavailable(`The evaluator's result is not JSON: ${jsonFault(text, error as Error)}.`);
  }
  const parsed = resultSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const field = String(parsed.error.issues[0]?.path[0] ?? '');
  const must = Object.hasOwn(musts, field) ? musts[field] : undefined;
  throw new Unavailable(
    `The evaluator's result is unusable: ${must === undefined ? 'it must be one JSON object with a score' : `${field} must be ${must}`}.`,
  );
}

/** Undefined where there is none. */
async function writtenResult(path: string): Promise<string | undefined> {
  const above = await lstat(dirname(path));
  if (!above.isDirectory()) throw odd('is in a folder that was replaced');
  let file: FileHandle;
  try {
    file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT') return undefined;
    if (code === 'ELOOP') throw odd('is a link');
    if (code === 'ENXIO') throw odd('is not a regular file');
    throw odd(`cannot be read (${code})`);
  }
  try {
    const about = await file.stat();
    if (!about.isFile()) throw odd('is not a regular file');
    if (about.nlink !== 1) throw odd('is a file that also has another name');
    if (about.size > MAX_RESULT_BYTES) throw odd(`is larger than ${MAX_RESULT_BYTES / 2 ** 20} MB`);
    return await file.readFile('utf8');
  } finally {
    await file.close();
  }
}

const odd = (what: string) =>
  new Unavailable(`The evaluator's result (WAYMARK_RESULT) ${what}. It has to write a regular file there.`);
