import type { LabelValue } from '../log/annotations';
import type { HumanLabel, JudgeVerdict, RuleVerdict } from './labels';

/** What was said of one step, and how its run ended. */
export interface StepOpinions {
  humans: readonly Pick<HumanLabel, 'author' | 'value' | 'adjudication'>[];
  judges: readonly Pick<JudgeVerdict, 'judge' | 'value' | 'reason' | 'rubric' | 'confidence'>[];
  /** Rules that speak of the step. */
  rules: readonly Pick<RuleVerdict, 'rule' | 'effect'>[];
  /** Id of the run's task. */
  task: string;
  /** 1: the run was successful, −1: it was not, null: it was never scored. */
  outcome: 1 | -1 | null;
}

/** A judge that could not be understood is brought in with this as its reason, whatever its value. */
const UNPARSABLE = 'unparsable';

/** Whether a vote could not be understood. */
export const isUnparsable = ({ reason }: Pick<JudgeVerdict, 'reason'>): boolean =>
  reason.trim().toLowerCase() === UNPARSABLE;

/** What people say of a step: an adjudication, else all who spoke; null where nobody did, or they differ. */
export function peopleSay(humans: StepOpinions['humans']): LabelValue | null {
  const adjudicated = humans.filter(({ adjudication }) => adjudication);
  const [first, ...others] = adjudicated.length > 0 ? adjudicated : humans;
  return first === undefined || others.some(({ value }) => value !== first.value) ? null : first.value;
}

/** What counts as right for a step. */
export interface StepTruth {
  value: LabelValue;
  /** The judge whose word it is, which is not compared with itself; null: people's. */
  judge: string | null;
}

/**
 * What counts as right. `whose` null: what people agree on. A name: what the person of that name says, as of somebody who knows
 * the planted answers; where there is none, what the judge of that name says. Null: they say nothing, or contradict themselves.
 */
export function truthOf(
  { humans, judges }: Pick<StepOpinions, 'humans' | 'judges'>,
  whose: string | null,
): StepTruth | null {
  if (whose === null) return ofPeople(peopleSay(humans));
  const own = humans.filter(({ author }) => author.name === whose);
  if (own.length > 0) return ofPeople(peopleSay(own));
  const [verdict, ...others] = judges.filter((each) => each.judge === whose && !isUnparsable(each));
  if (verdict === undefined || others.some(({ value }) => value !== verdict.value)) return null;
  return { value: verdict.value === 'mask' ? 'mask' : 'train', judge: whose };
}

const ofPeople = (value: LabelValue | null): StepTruth | null =>
  value === null ? null : { value, judge: null };
