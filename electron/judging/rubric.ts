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

/** The application's rubrics for rating steps, by the name that a person chooses them by. */
export const rewardRubrics = { steps: 'reward-steps', rlanything: 'reward-rlanything' } as const;
export type RewardRubricName = keyof typeof rewardRubrics;

/**
 * A rubric for rating steps: one of the application's by name, or a person's own from `file`. `{{regard}}` is filled in with whether
 * the step's influence on the outcome counts; it is added at the end of a text without it.
 * @throws WaymarkError as `readRubrics`
 */
export async function readRewardRubric(
  resourcesDir: string,
  chosen: RewardRubricName | { file: string },
  future: boolean,
): Promise<Rubric> {
  const own = (name: string) => readFile(join(resourcesDir, 'prompts', 'judge', `${name}.md`), 'utf8');
  const isOwn = typeof chosen === 'object';
  const [template, regard] = await Promise.all([
    isOwn ? readOwn(chosen.file) : own(rewardRubrics[chosen]),
    own(future ? 'reward-regard-future' : 'reward-regard-step'),
  ]);
  const whole = template.includes('{{regard}}') ? template : `${template.trim()}\n\n{{regard}}`;
  return rubricOf(isOwn ? 'reward' : rewardRubrics[chosen], whole, isOwn, { regard: regard.trim() });
}

async function readOwn(file: string): Promise<string> {
  const bytes = await readRegularFile(file, `The rubric ${file}`, MOST_BYTES, 'Nothing was sent.');
  const text = bytes.toString('utf8');
  if (!isUtf8(bytes) || text.includes('\0'))
    throw new WaymarkError('bad_input', `The rubric ${file} is not a text in UTF-8. Nothing was sent.`);
  if (text.trim() === '')
    throw new WaymarkError(
      'bad_input',
      `The rubric ${file} is empty. Write down what the judge is to look for.`,
    );
  return text;
}

function rubricOf(
  name: string,
  template: string,
  isOwn: boolean,
  more: Readonly<Record<string, string>> = {},
): Rubric {
  const values: Readonly<Record<string, string>> = {
    ...more,
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
