import type { Estimate } from '../labels/agreement';
import type { JudgeVerdict } from '../labels/labels';
import { driftFigures, type StepDrift } from '../labels/rubric-drift';
import type { AnnotationOp, LabelValue } from '../log/annotations';

/** What a judge says of a step, as a vote has it. */
export type JudgeOp = Extract<AnnotationOp, { op: 'judge' }>;

/** A verdict that was only tried. */
export interface TriedStep {
  step: number;
  op: JudgeOp;
}

/** A step whose verdict would be another one. */
export interface TrialChange {
  step: number;
  before: 'keep' | 'mask';
  after: 'keep' | 'mask';
  /** What people say of it; null: nobody, or they differ. */
  people: LabelValue | null;
  /** What the judge says by the tried rubric. */
  reason: string;
  why: string;
}

/** What a tried rubric changes in a run: a judge's verdicts by it, against the judge's votes that stand. */
export interface RubricTrial {
  run: string;
  judge: string;
  /** Versions of the rubrics of the votes that stand on the tried steps, sorted; empty: it has none there. */
  before: string[];
  after: string;
  /** Steps with a verdict by the tried rubric, and those of them with a vote that stands, on which the two are compared. */
  tried: number;
  compared: number;
  toMask: number;
  toKeep: number;
  /** Steps that people labelled and agree on, among those that are compared (without any: among those tried). */
  labelled: number;
  /** Of the judge's masks, those that people mask too; of people's masks, those that the judge found. */
  precision: { before: Estimate | null; after: Estimate | null };
  recall: { before: Estimate | null; after: Estimate | null };
  /** The first ones, ascending; `toMask` and `toKeep` count all. */
  changes: TrialChange[];
}

/** Changes that are named. */
export const MOST_CHANGES = 1_000;

/** A tried step beside what stands on it, by the numbers of the run that is looked at. */
export interface StepOnTrial extends TriedStep {
  /** The judge's vote; null: it has none, or two that contradict each other. */
  stands: Pick<JudgeVerdict, 'value' | 'rubric'> | null;
  people: LabelValue | null;
}

/** Compares the verdicts of a trial with what stands. `steps`: ascending. */
export function rubricTrial(
  about: Pick<RubricTrial, 'run' | 'judge' | 'after'>,
  steps: readonly StepOnTrial[],
): RubricTrial {
  const said = steps.filter(({ op }) => op.value !== 'withdrawn');
  const both = said.filter(({ stands }) => stands !== null);
  const drifts = (both.length > 0 ? both : said).map(driftOf);
  const { precision, recall, ...moved } = driftFigures(drifts);
  return {
    ...about,
    before: [...new Set(both.map(({ stands }) => stands?.rubric ?? ''))].filter((each) => each !== '').sort(),
    tried: said.length,
    compared: both.length,
    ...moved,
    labelled: drifts.filter(({ truth }) => truth !== null).length,
    precision,
    recall,
    changes: both.flatMap((each) => changeOf(each)).slice(0, MOST_CHANGES),
  };
}

function driftOf({ stands, op, people }: StepOnTrial): StepDrift {
  return { before: stands?.value ?? null, after: op.value, truth: people };
}

function changeOf({ step, stands, op: { value, reason, why }, people }: StepOnTrial): TrialChange[] {
  if (stands === null || value === 'withdrawn' || stands.value === value) return [];
  return [{ step, before: stands.value, after: value, people, reason, why }];
}
