import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wellFormed } from '@shared/base/clean-text';
import { WaymarkError } from '@shared/contract/errors';
import type { JudgeWindow } from '@shared/judging/windows';
import { guidelineKeeps, guidelinePoints, guidelinePrinciple, keepCodes } from '@shared/labels/guideline';

/** What a judge goes by. A version is `name@` and the first 12 digits of the SHA-256 of the text that is sent. */
export interface Rubric {
  text: string;
  version: string;
}

export type Rubrics = Readonly<Record<JudgeWindow['rubric'], Rubric>>;

/** Tokens beyond the steps are to stay below 2,500; a rubric of 40,000 characters is a pasted file of another kind. */
const MOST = 40_000;

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
  return { steps: rubricOf('steps', steps), summaries: rubricOf('summaries', summaries) };
}

async function readOwn(file: string): Promise<string> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new WaymarkError('not_found', `The rubric ${file} cannot be read: ${(error as Error).message}`);
  });
  if (text.trim() === '')
    throw new WaymarkError('bad_input', `The rubric ${file} is empty. Write down what the judge is to mask.`);
  if (text.length > MOST)
    throw new WaymarkError(
      'bad_input',
      `The rubric ${file} has ${text.length} characters, but at most ${MOST} are allowed. Shorten it.`,
    );
  return text;
}

function rubricOf(name: JudgeWindow['rubric'], template: string): Rubric {
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
  return { text, version: `${name}@${digest}` };
}
