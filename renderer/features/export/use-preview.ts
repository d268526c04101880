import type { Failure } from '@shared/contract/errors';
import { type ExportVariant, exportVariants } from '@shared/contract/export-request';
import type { VariantCounts } from '@shared/contract/export-views';
import type { ExportPreview } from '@shared/contract/ipc/dataset';
import type { RunSummary } from '@shared/contract/views';
import { useEffect, useState } from 'react';
import { useKept } from '../../state/answers';
import type { OptionsInput } from './export-calls';
import { type DraftProblems, type ExportDraft, optionsOf } from './export-state';

/** Typing is over when nothing was typed for so long, ms. */
const PAUSE = 250;

export interface Preview {
  options: OptionsInput;
  problems: DraftProblems;
  /** Nothing of the draft is wrong. */
  whole: boolean;
  /** Null until it is there, and when there is nothing to export. */
  value: ExportPreview | null;
  /** Counts of the variant on the screen. */
  shown: VariantCounts | null;
  failure: Failure | null;
  waiting: boolean;
  /** Stands for the labels and logs that the answers rest on: asked again when it changes. */
  version: string;
  undecidedSteps: number;
  /** Rows without tools. */
  toolless: number;
  again: () => void;
}

/** What the draft on the screen would write. All variants are counted, also those that are not chosen. */
export function usePreview(draft: ExportDraft, run: string | null, runs: readonly RunSummary[]): Preview {
  const { options, problems, whole } = optionsOf(draft, run);
  const version = runs
    .map((each) => `${each.id}:${each.seq}:${each.labels.train}:${each.labels.mask}`)
    .join(' ');
  const input = useSettled({ ...options, variants: [...exportVariants] });
  const { answer, failure, waiting, again } = useKept(
    'export.preview',
    // What is incomplete filters nothing: the counts stay on the screen while it is filled in.
    problems.chosen ? null : input,
    version,
  );
  const value = answer?.value ?? null;
  const counts = (variant: ExportVariant) => value?.variants.find((each) => each.variant === variant) ?? null;
  return {
    options,
    problems,
    whole,
    value,
    failure,
    waiting,
    version,
    again,
    shown: counts(draft.shown),
    undecidedSteps: (value?.undecided ?? []).reduce((sum, each) => sum + each.total, 0),
    toolless: (value?.noTools ?? []).reduce((sum, { rows }) => sum + rows, 0),
  };
}

/** A value once it has stood still for a moment; the first one at once. */
export function useSettled<T>(value: T, pause = PAUSE): T {
  const key = JSON.stringify(value);
  const [settled, setSettled] = useState(key);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(key), pause);
    return () => clearTimeout(timer);
  }, [key, pause]);
  return JSON.parse(settled) as T;
}
