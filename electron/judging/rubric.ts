import { isUtf8 } from 'node:buffer';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { wellFormed } from '@shared/base/clean-text';
import { WaymarkError } from '@shared/contract/errors';
import type { RewardRubricName } from '@shared/judging/batch';
import type { RubricText } from '@shared/judging/judge-request';
import { MOST_RUBRIC_BYTES, type RubricKind, rubricKinds } from '@shared/judging/rubric-text';
import type { JudgeWindow } from '@shared/judging/windows';
import { guidelineKeeps, guidelinePoints, guidelinePrinciple, keepCodes } from '@shared/labels/guideline';
import { readRegularFile } from '../files/regular-file';

/** A version is `name@` and the first 12 digits of the SHA-256 of the text that is sent. */
export interface Rubric extends RubricText {
  version: string;
}

/** What a judge of masks goes by. `ofTasks`: rubrics that are kept for some tasks (`kind` absent: for their steps), in place of these. */
export interface Rubrics extends Readonly<Record<JudgeWindow['rubric'], Rubric>> {
  ofTasks?: { task: string; kind?: RubricKind | undefined; rubric: Rubric }[] | undefined;
}

/** The rubrics that a task's runs are judged by. */
export function rubricsFor(
  { steps, summaries, ofTasks = [] }: Rubrics,
  task: string,
): Record<RubricKind, Rubric> {
  const own = (kind: RubricKind) =>
    ofTasks.find((each) => each.task === task && (each.kind ?? 'steps') === kind)?.rubric;
  return { steps: own('steps') ?? steps, summaries: own('summaries') ?? summaries };
}

/**
 * The application's rubrics, or for the steps one of the person's own from `file`.
 * @throws WaymarkError not_found, bad_input for a file that holds no rubric
 */
export async function readRubrics(resourcesDir: string, file: string | null): Promise<Rubrics> {
  return rubricsWith(resourcesDir, file === null ? null : await readRubricFile(file));
}

/**
 * The application's rubrics with `own` in the place of that for steps, and what is kept for tasks. `{{points}}`, `{{keeps}}` and
 * `{{principle}}` are filled in from the guideline that people label by.
 */
export async function rubricsWith(
  resourcesDir: string,
  own: string | null,
  kept: readonly { task: string; kind: RubricKind; text: string }[] = [],
): Promise<Rubrics> {
  const [steps, summaries] = await Promise.all(rubricKinds.map((kind) => builtInRubric(resourcesDir, kind)));
  const builtIn: Record<RubricKind, string> = { steps: steps ?? '', summaries: summaries ?? '' };
  // The application's own text stays the application's, wherever it comes from.
  const rubricIn = (kind: RubricKind, text = builtIn[kind]) =>
    rubricOf(kind, text, text.trim() !== builtIn[kind].trim());
  return {
    steps: rubricIn('steps', own ?? undefined),
    summaries: rubricIn('summaries'),
    ...(kept.length === 0
      ? {}
      : { ofTasks: kept.map(({ task, kind, text }) => ({ task, kind, rubric: rubricIn(kind, text) })) }),
  };
}

/** The version that a text for steps has. */
export const stepsVersion = (text: string): string => rubricOf('steps', text, true).version;

/** The application's rubric for steps or summaries, before the guideline is filled in. */
export function builtInRubric(resourcesDir: string, kind: RubricKind): Promise<string> {
  return builtInText(resourcesDir, `mask-${kind}`);
}

function builtInText(resourcesDir: string, name: string): Promise<string> {
  return readFile(join(resourcesDir, 'prompts', 'judge', `${name}.md`), 'utf8');
}

const rewardRubrics = {
  steps: 'reward-steps',
  rlanything: 'reward-rlanything',
} as const satisfies Record<RewardRubricName, string>;

/**
 * A rubric for rating steps: one of the application's by name, or a person's own from `file`. `{{regard}}` is filled in with whether
 * the step's influence on the outcome counts; it is added at the end of a text without it.
 * @throws WaymarkError as `readRubrics`
 */
export async function readRewardRubric(
  resourcesDir: string,
  chosen: RewardRubricName | { file: string } | { text: string },
  future: boolean,
): Promise<Rubric> {
  const isOwn = typeof chosen === 'object';
  const template = !isOwn
    ? await builtInText(resourcesDir, rewardRubrics[chosen])
    : 'text' in chosen
      ? checkedRubric(chosen.text, { mode: 'reward' })
      : await readRubricFile(chosen.file, 'reward');
  const regard = await builtInText(resourcesDir, future ? 'reward-regard-future' : 'reward-regard-step');
  const names = [...template.matchAll(PLACE)].map(([, name]) => name);
  const whole = names.includes('regard') ? template : `${template.trim()}\n\n{{regard}}`;
  return rubricOf(isOwn ? 'reward' : rewardRubrics[chosen], whole, isOwn, { regard: regard.trim() });
}

/** What is filled in where a rubric names it. The guideline speaks of steps, so one for summaries has nothing of it. */
const ofGuideline = ['points', 'keeps', 'principle'] as const;
const places = { steps: ofGuideline, summaries: [], reward: ['regard', ...ofGuideline] } as const;

/** A rubric of a person's own, as it stands in the file. @throws WaymarkError not_found, bad_input */
export async function readRubricFile(file: string, mode: keyof typeof places = 'steps'): Promise<string> {
  const called = `The rubric ${file}`;
  const bytes = await readRegularFile(file, file, MOST_RUBRIC_BYTES, 'Nothing was done.');
  if (!isUtf8(bytes)) throw notUtf8(called);
  return checkedRubric(bytes.toString('utf8').replace(/^\uFEFF/u, ''), { called, mode });
}

/**
 * A text that a judge can go by.
 * @throws WaymarkError bad_input: it is empty, too long, holds what is no text, or names a place that nothing is filled in at
 */
export function checkedRubric(
  text: string,
  { called = 'The rubric', mode = 'steps' }: { called?: string; mode?: keyof typeof places } = {},
): string {
  if (text.includes('\0')) throw notUtf8(called);
  if (text.trim() === '')
    throw new WaymarkError('bad_input', `${called} is empty. Write down what the judge is to look for.`);
  if (Buffer.byteLength(text) > MOST_RUBRIC_BYTES)
    throw new WaymarkError(
      'bad_input',
      `${called} has more than ${MOST_RUBRIC_BYTES / 1024} KB. Shorten it.`,
    );
  const known: readonly string[] = places[mode];
  const unknown = [...text.matchAll(PLACE)].find(([, name = '']) => !known.includes(name));
  if (unknown !== undefined) {
    const others = known.map((name) => `{{${name}}}`).join(', ');
    throw new WaymarkError(
      'bad_input',
      `${called} has ${unknown[0]}, and there is nothing to put there. Take it out${others === '' ? '' : `, or write one of ${others}`}.`,
    );
  }
  return text;
}

const PLACE = /\{\{\s*(\w+)\s*\}\}/gu;

const notUtf8 = (called: string) =>
  new WaymarkError('bad_input', `${called} is not a text in UTF-8. Nothing was done.`);

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
  const text = wellFormed(template.trim()).replace(PLACE, (whole, key: string) => values[key] ?? whole);
  const digest = createHash('sha256').update(text).digest('hex').slice(0, 12);
  return { text, isOwn, version: `${name}@${digest}` };
}
