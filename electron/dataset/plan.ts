import type { Trajectory } from '@shared/context/trajectory';
import type { ExportOptions, ExportVariant } from '@shared/contract/export-request';
import type { FilterCount } from '@shared/contract/export-views';
import type { RuleSet } from '../label/rule-set';
import type { DatasetPreset } from './export-request';
import type { RunPlan, SegmentPlan, StepPlan } from './run-plan';

/** Why a row is left out, and how people read it. */
const dropWords = {
  nothing_trained: 'no step in it is trained',
  over_context: 'longer than the preset allows',
  text_purged: 'a text in it was purged',
  no_steps: 'no step in it is finished',
} as const;
export type DropReason = keyof typeof dropWords;

/** A plan's reason in words; what a format says of rows that it left out is a sentence already. */
export function dropText(reason: string): string {
  return Object.hasOwn(dropWords, reason) ? dropWords[reason as DropReason] : reason;
}

/** The side of a split that a row is on; without a split all are on `train`. */
export type Side = 'train' | 'validation';

/** A row to be written: a segment's context, or the summary turn at its end. */
export interface RowPlan {
  kind: Trajectory['kind'];
  run: RunPlan;
  segment: SegmentPlan;
  /**
   * Steps sampled in the trajectory, ascending, with their labels. In a plan the label is that of `all`; in a row that was made
   * for a variant (`DatasetRow.plan`) it is the variant's own.
   */
  steps: readonly StepPlan[];
  /** Mask of each of them under the variant. */
  masks: ReadonlyMap<number, 0 | 1>;
  /** Masks of carried steps, where these train too. */
  carried: ReadonlyMap<number, 0 | 1>;
  /** Estimated length, tokens. */
  tokens: number;
  split: Side;
}

/** The rows of one variant: whose opinions count decides the masks, and so which rows train anything. */
export interface VariantPlan {
  variant: ExportVariant;
  /** In the order of run ids, then of segments. */
  rows: RowPlan[];
  dropped: { reason: DropReason; count: number }[];
  /** Kept rows longer than the context limit of the model that sampled their last step. */
  overContext: number;
  /** Of the rows that are written; a step counts once however often its row is repeated. */
  counts: LabelCount[];
}

export interface LabelCount {
  source: string;
  reason: string;
  value: 'train' | 'mask';
  count: number;
  /** Estimate. */
  tokens: number;
}

/** Which tasks went to which side, by id, sorted. */
export interface SplitPlan {
  share: number;
  seed: number;
  train: string[];
  validation: string[];
}

/** What is written, for every variant, from one label snapshot. */
export interface ExportPlan {
  options: ExportOptions;
  preset: DatasetPreset;
  /** Times a row stands in the files, by what it is: the preset's repetition where the target repeats rows. */
  repeat: Readonly<Record<Trajectory['kind'], number>>;
  /** Each set of rules that some run rests on, by its version. */
  ruleSets: ReadonlyMap<string, RuleSet>;
  /** Over the runs that the filters leave. */
  snapshot: string;
  /** Runs that the filters leave, by id. */
  runs: RunPlan[];
  /** In the order in which they were asked for, each once; at least one. */
  variants: VariantPlan[];
  /** Steps of the rows without an effective label; they stop an export of the variant `all`. None where the target ignores them. */
  undecided: { run: string; steps: number[] }[];
  /** Steps without all their observations, left out. */
  unfinished: number;
  /** Runs with rows that would have no tools: neither the log nor its program tells them. */
  noTools: { run: string; rows: number }[];
  /** Inherited steps that would train wherever they stand, and are masked: the run they were made in is not exported. */
  inherited: { run: string; steps: number[] }[];
  /** What filters took out, in their order; what a variant drops is in its `dropped`. */
  filtered: FilterCount[];
  /** Runs of a task and sample of which another run has the better score, whether they are left out or not. */
  duplicates: { run: string; kept: string }[];
  split: SplitPlan | null;
}

/** @throws when the plan was not made for the variant: a bug. */
export function variantPlan(
  { variants }: Pick<ExportPlan, 'variants'>,
  variant?: ExportVariant,
): VariantPlan {
  const found = variants.find((each) => variant === undefined || each.variant === variant);
  if (found === undefined) throw new Error(`The plan holds no variant ${variant}`);
  return found;
}

/** The model that sampled the row's last step; earlier ones may name another. */
export function modelOf({ run, steps }: Pick<RowPlan, 'run' | 'steps'>): StepPlan['model'] {
  return steps.at(-1)?.model ?? run.created.model;
}

/** Trained and masked steps of rows, each once however often its row is repeated. */
export function countMasks(rows: readonly Pick<RowPlan, 'masks'>[]): { trained: number; masked: number } {
  const counts = { trained: 0, masked: 0 };
  for (const { masks } of rows) {
    for (const mask of masks.values()) counts[mask === 1 ? 'trained' : 'masked'] += 1;
  }
  return counts;
}

/** Lines of a variant's files: rows, each as often as it is repeated. */
export function countLines(rows: readonly Pick<RowPlan, 'kind'>[], repeat: ExportPlan['repeat']): number {
  return rows.reduce((sum, { kind }) => sum + repeat[kind], 0);
}

/** How many steps of which runs, for people. */
export function countInherited({
  inherited,
}: Pick<ExportPlan, 'inherited'>): { run: string; steps: number }[] {
  return inherited.map(({ run, steps }) => ({ run, steps: steps.length }));
}

/** `3, 5-9, 12`: at most `limit` pieces, then how many steps more. */
export function stepRanges(steps: readonly number[], limit = Number.POSITIVE_INFINITY): string {
  const pieces: { from: number; to: number }[] = [];
  for (const step of steps) {
    const last = pieces.at(-1);
    if (last && last.to === step - 1) last.to = step;
    else pieces.push({ from: step, to: step });
  }
  const shown = pieces.slice(0, limit);
  const left = pieces.slice(limit).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const text = shown.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
  return left > 0 ? `${text} and ${left} more` : text;
}

/** Sides that the files of a variant have; without a split there is one. */
export function sidesOf({ split }: Pick<ExportPlan, 'split'>): readonly Side[] {
  return split === null ? ['train'] : ['train', 'validation'];
}

/**
 * Where a data file stands in the dataset's folder: `train.jsonl`; with several variants `all/train.jsonl`, `rules/train.jsonl`.
 * `ending` without the dot.
 */
export function dataFilePath(
  { variants }: Pick<ExportPlan, 'variants'>,
  { variant, split }: { variant: ExportVariant; split: Side },
  ending: string,
): string {
  return `${variants.length > 1 ? `${variant}/` : ''}${split}.${ending}`;
}
