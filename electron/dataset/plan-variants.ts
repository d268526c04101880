import type { ExportOptions, ExportVariant } from '@shared/contract/export-request';
import type { DatasetPreset } from './export-request';
import { type DropReason, type LabelCount, modelOf, type RowPlan, type Side, type VariantPlan } from './plan';
import type { RunPlan, StepPlan } from './run-plan';
import { StepMasks } from './step-masks';
import { labelIn, maskIn } from './variant-labels';

/** A row that filters left, before a variant says whether it trains anything. */
export interface Candidate extends Pick<RowPlan, 'kind' | 'run' | 'segment' | 'steps' | 'tokens'> {
  /** Carried steps that train here too. */
  carried: readonly StepPlan[];
  split: Side;
  purged: boolean;
}

export interface VariantOptions {
  undecided: ExportOptions['undecided'];
  preset: DatasetPreset;
  /** The target takes rows in which nothing trains. */
  keepsUntrained: boolean;
}

/** Masks and drops of one variant. */
export function planVariant(
  variant: ExportVariant,
  candidates: readonly Candidate[],
  runs: readonly RunPlan[],
  { undecided, preset, keepsUntrained }: VariantOptions,
): VariantPlan {
  const maskOf = (step: StepPlan) => maskIn(step, variant, undecided);
  const rows: RowPlan[] = [];
  const dropped = new Map<DropReason, number>();
  const drop = (reason: DropReason) => dropped.set(reason, (dropped.get(reason) ?? 0) + 1);
  const counts = new Map<string, LabelCount>();
  let overContext = 0;
  for (const { segments } of runs) if (segments.every(({ steps }) => steps.length === 0)) drop('no_steps');
  for (const { carried, purged, ...row } of candidates) {
    const { steps, tokens } = row;
    if (purged) drop('text_purged');
    else if (preset.maxTokens !== null && tokens > preset.maxTokens) drop('over_context');
    else if (!keepsUntrained && ![...steps, ...carried].some((step) => maskOf(step) === 1))
      drop('nothing_trained');
    else {
      rows.push({ ...row, masks: new StepMasks(steps, maskOf), carried: new StepMasks(carried, maskOf) });
      if (tokens > modelOf(row).contextTokens) overContext += 1;
      for (const step of steps) count(counts, step, variant, maskOf(step));
    }
  }
  return {
    variant,
    rows,
    dropped: [...dropped]
      .map(([reason, number]) => ({ reason, count: number }))
      .sort((a, b) => (a.reason < b.reason ? -1 : 1)),
    overContext,
    counts: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value),
  };
}

/** A step that nobody of the variant decided is counted under `waiver` where it was waived, else under the variant's name. */
function count(counts: Map<string, LabelCount>, step: StepPlan, variant: ExportVariant, mask: 0 | 1): void {
  const label = labelIn(step, variant);
  const source = label.source ?? (variant === 'all' ? 'waiver' : 'variant');
  const open = variant === 'all' ? 'undecided' : variant;
  const reason = label.reason ?? (label.disagreement ? 'disagreement' : open);
  const value = mask === 1 ? 'train' : 'mask';
  const key = JSON.stringify([source, reason, value]);
  const entry = counts.get(key);
  if (entry === undefined) counts.set(key, { source, reason, value, count: 1, tokens: step.tokens });
  else {
    entry.count += 1;
    entry.tokens += step.tokens;
  }
}
