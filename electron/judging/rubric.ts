import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wellFormed } from '@shared/base/clean-text';
import { WaymarkError } from '@shared/contract/errors';
import type { RubricText } from '@shared/judging/judge-request';
import type { JudgeWindow } from '@shared/judging/windows';
import { guidelineKeeps, guidelinePoints, guidelinePrinciple, keepCodes } from '@shared/labels/guideline';
import { readRegularFile } from '../files/regular-file';

/** A version is `name@` and the first 12 digits of the SHA-256 of the text that is sent. */
export interface Rubric extends RubricText {
  version: string;
}

export type Rubrics = Readonly<Record<JudgeWindow['rubric'], Rubric>>;

/** The application's own has 6 KB; a file of this size is one of another kind. */
const MOST_BYTES = 64 * 1024;

/**
 * The application's rubrics, or for the steps one of the person's own from `file`. `{{points}}`, `{{keeps}}` and `{{principle}}` are
 * filled in from the guideline that people label by. @throws WaymarkError not_found, bad_input for a file that holds no rubric
 */
export async function readRubrics(resourcesDir: string, file: string | null): Promise<Rubrics> {
  const own = (name: string) => readFile(join(resourcesDir, 'prompts', 'judge', `${name}.md`), 'utf8');
  const [steps, summaries] = await Promise.all([
    file === null ? own('mask-steps') : readOwn(file),
    own('mask-summaries'),
  ]);
  return {
    steps: rubricOf('steps', steps, file !== null),
    summaries: rubricOf('summaries', summaries, false),
  };
}

async function readOwn(file: string): Promise<string> {
  const bytes = await readRegularFile(file, `The rubric ${file}`, MOST_BYTES, 'Nothing was sent.');
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes) || text.includes('\0'))
    throw new WaymarkError('bad_input', `The rubric ${file} is not a text in UTF-8. Nothing was sent.`);
  if (text.trim() === '')
    throw new WaymarkError('bad_input', `The rubric ${file} is empty. Write down what the judge is to mask.`);
  return text;
}

function rubricOf(name: JudgeWindow['rubric'], template: string, isOwn: boolean): Rubric {
  const values: Readonly<Record<string, string>> = {
    points: Object.entries(guidelinePoints)
      .map(([code, { text, counts }]) => `- \`${code}\`: ${text} ${counts}`)
      .join('\n'),
    keeps: guidelineKeeps
      .map(({ name: title, text }, at) => `- \`${keepCodes[at] ?? title}\`: ${title}. ${text}`)
      .join('\n'),
    principle: `${guidelinePrinciple.title}. ${guidelinePrinciple.text}`,
  };
  const text = wellFormed(template.trim()).replace(
    /\{\{(\w+)\}\}/gu,
    (whole, key: string) => values[key] ?? whole,
  );
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { text, isOwn, version: `${name}@${digest}` };
}
