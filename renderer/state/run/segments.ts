import type { SegmentView } from '@shared/contract/views';
import { create } from 'zustand';
import { call } from '../../api';
import { toast, toastFailure } from '../toasts';
import { moveCursor, useTimeline } from './timeline';

interface SegmentState {
  run: string | null;
  /** In order; empty before the first answer. */
  list: SegmentView[];
  /** Summary steps whose list of what is no longer mentioned is open in the timeline. */
  open: ReadonlySet<number>;
}

/** Where the context lives of the open run begin. */
export const useSegments = create<SegmentState>()(() => ({ run: null, list: [], open: new Set() }));

let turn = 0;
/** Reads the segments of a run; an answer that a newer question has overtaken is dropped. */
export async function loadSegments(run: string): Promise<void> {
  turn += 1;
  const mine = turn;
  if (useSegments.getState().run !== run) useSegments.setState({ run, list: [], open: new Set() });
  const list = await call('timeline.segments', { run });
  if (mine === turn) useSegments.setState({ run, list });
}

/** Reads them again without anybody waiting. */
export function refreshSegments(run: string): void {
  loadSegments(run).catch((thrown: unknown) => toastFailure(thrown));
}

/** Opens or closes what a summary step no longer mentions, in the timeline. */
export function toggleMissing(step: number): void {
  useSegments.setState(({ open }) => {
    const next = new Set(open);
    if (!next.delete(step)) next.add(step);
    return { open: next };
  });
}

/** The segment a step belongs to: a summary turn to the one it ends. */
export function segmentOf(list: readonly SegmentView[], step: number): SegmentView | undefined {
  return list.findLast(({ firstStep }) => firstStep <= step);
}

/**
 * The first step of the next segment, or of the previous one; from the middle of a segment "previous" is its own first
 * step, as with chapters. Null when there is none.
 */
export function segmentStep(
  list: readonly SegmentView[],
  cursor: number,
  steps: number,
  direction: 1 | -1,
): number | null {
  const found =
    direction === 1
      ? list.find(({ firstStep }) => firstStep > cursor && firstStep <= steps)
      : list.findLast(({ firstStep }) => firstStep < cursor);
  return found?.firstStep ?? null;
}

/** Goes to the next or previous segment; says so when there is none. */
export function moveToSegment(direction: 1 | -1): void {
  const { cursor, steps } = useTimeline.getState();
  const step = segmentStep(useSegments.getState().list, cursor, steps, direction);
  if (step === null) toast((text) => text.timeline.nothingFurther);
  else moveCursor(step);
}
