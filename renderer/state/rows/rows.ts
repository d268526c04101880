import { useMemo } from 'react';
import { useSegments } from '../run/segments';
import { useTimeline } from '../run/timeline';
import { useFilter } from './filter';
import { useGrouping } from './grouping';
import type { RowInputs } from './row-model';
import { RowModel } from './row-model';

/** What the rows are made of: the number of steps, those that the filter finds, the segments, and how they are grouped. */
type RowSources = [
  steps: number,
  found: readonly number[] | null,
  segments: RowInputs['segments'] & object,
  grouping: ReturnType<typeof useGrouping.getState>,
];

function inputsOf([steps, found, segments, grouping]: RowSources): RowInputs {
  const { grouped, folding, facts, carriedOpen, unfolded } = grouping;
  return {
    steps,
    found,
    segments: grouped && segments.length > 0 ? lengthened(segments, steps) : null,
    carriedOpen,
    unfolded,
    fold: folding && facts.until > 0 ? facts : null,
  };
}

/** The last segment goes on to the end of the run; its list may be older than the newest step. */
function lengthened(segments: RowInputs['segments'] & object, steps: number): RowInputs['segments'] & object {
  const last = segments.at(-1);
  if (last === undefined || last.lastStep >= steps) return segments;
  return [...segments.slice(0, -1), { ...last, lastStep: steps }];
}

let newest: { of: RowSources; model: RowModel } | null = null;

/** The same rows for the same state, whoever asks. */
function modelOf(...of: RowSources): RowModel {
  if (newest === null || of.some((value, index) => value !== newest?.of[index])) {
    newest = { of, model: new RowModel(inputsOf(of)) };
  }
  return newest.model;
}

/** The rows of the open run's timeline. */
export function useRows(): RowModel {
  const steps = useTimeline((state) => state.steps);
  const found = useFilter((state) => state.steps);
  const segments = useSegments((state) => state.list);
  const grouping = useGrouping();
  return useMemo(() => modelOf(steps, found, segments, grouping), [steps, found, segments, grouping]);
}

/** The rows as they are now. */
export function rowsNow(): RowModel {
  return modelOf(
    useTimeline.getState().steps,
    useFilter.getState().steps,
    useSegments.getState().list,
    useGrouping.getState(),
  );
}

/** The next or previous step that the timeline shows; the step itself when there is none. */
export function shownBeside(step: number, direction: 1 | -1): number {
  return rowsNow().neighbour(step, direction) ?? step;
}
