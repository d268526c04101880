import type { RetroMask } from '@shared/contract/ipc/labels';
import type { StepRange } from '@shared/contract/step-range';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { setFilter, useFilter } from '../../state/rows/filter';
import { toggleFold } from '../../state/rows/grouping';
import { rowsNow } from '../../state/rows/rows';
import { moveCursor, useTimeline } from '../../state/run/timeline';
import { toast, toastFailure } from '../../state/toasts';
import { give, useLabels } from './labels';

interface RetroState {
  run: string | null;
  /** Open proposals in the order their hints were delivered. */
  masks: RetroMask[];
  /** The hint whose range is selected for trimming, or null. */
  trimming: string | null;
}

/** What delivered hints contradict, and nobody has answered yet. */
export const useRetroMasks = create<RetroState>()(() => ({ run: null, masks: [], trimming: null }));

const reason = 'contradicts-hint';
let asked = 0;

/** Follows a run's proposals; the returned function ends it. */
export function followRetroMasks(run: string): () => void {
  useRetroMasks.setState({ run, masks: [], trimming: null });
  const load = () => loadRetroMasks(run);
  load();
  const stops = [
    listen('hints.changed', (changed) => changed.run === run && load()),
    listen('labels.changed', (changed) => changed.run === run && load()),
  ];
  return () => {
    asked += 1;
    for (const stop of stops) stop();
    useRetroMasks.setState({ run: null, masks: [], trimming: null });
  };
}

/** Reads the proposals again; of answers that cross, the newest question's counts. */
function loadRetroMasks(run: string): void {
  asked += 1;
  const mine = asked;
  call('labels.retroMasks', { run }).then(
    (masks) => {
      if (mine !== asked || useRetroMasks.getState().run !== run) return;
      useRetroMasks.setState(({ trimming }) => ({
        masks,
        trimming: masks.some(({ hint }) => hint === trimming) ? trimming : null,
      }));
    },
    (thrown: unknown) => {
      if (mine === asked) toastFailure(thrown);
    },
  );
}

/** So many steps around those it is about, a proposal is asked. */
const NEAR = 3;

/**
 * The proposal that is asked about: the one being trimmed, else the one whose steps, or whose hint, the cursor is at. Nothing is asked
 * elsewhere, so that what an answer is about is in front of the person.
 */
export function askedAbout(
  { masks, trimming }: Pick<RetroState, 'masks' | 'trimming'>,
  cursor: number,
): RetroMask | undefined {
  const near = (margin: number) =>
    masks.find(({ from, delivered }) => from - margin <= cursor && cursor <= delivered + margin);
  return masks.find(({ hint }) => hint === trimming) ?? near(0) ?? near(NEAR);
}

function current(): RetroMask | undefined {
  return askedAbout(useRetroMasks.getState(), useTimeline.getState().cursor);
}

/**
 * Selects the proposed range with its reason set: the keys of any range then trim it, and MASK accepts what is selected. Where nothing
 * is asked, goes to the next proposal, or to the first.
 */
export function trimRetroMask(): void {
  const { masks } = useRetroMasks.getState();
  const { cursor } = useTimeline.getState();
  const mask = current() ?? masks.find(({ from }) => from > cursor) ?? masks[0];
  if (mask === undefined) {
    toast((text) => text.retro.none);
    return;
  }
  const { run, hint, from, to } = mask;
  useRetroMasks.setState({ trimming: hint });
  useLabels.setState({ reason, reasonFor: { run, from, to }, open: null });
  showAll(mask);
  useTimeline.setState({ anchor: from });
  moveCursor(to);
}

/** Puts every step of a range on the list. */
function showAll(range: StepRange): void {
  if (useFilter.getState().steps !== null && !rowsNow().showsAll(range)) setFilter({});
  const rows = rowsNow();
  for (let index = rows.nearest(range.from); index <= rows.nearest(range.to); index += 1) {
    const row = rows.at(index);
    if (row?.kind === 'fold' && !row.open) toggleFold(row.from, row.to);
  }
}

/** Masks the proposed range, or what was trimmed of it, as one entry, and says so; never a step that is not on the list. */
export function acceptRetroMask(): void {
  const { run, trimming } = useRetroMasks.getState();
  const mask = current();
  if (run === null || mask === undefined) return;
  const { anchor, cursor } = useTimeline.getState();
  const trimmed = trimming === mask.hint && anchor !== null;
  const from = trimmed ? Math.min(anchor, cursor) : mask.from;
  const to = trimmed ? Math.max(anchor, cursor) : mask.to;
  if (!rowsNow().showsAll({ from, to })) {
    trimRetroMask();
    return;
  }
  useTimeline.setState({ anchor: null });
  void give({ run, parts: [{ from, to }], value: 'mask', reason, announce: true }).then((kept) => {
    if (kept) answered(mask.hint);
  });
}

/** Not now and not again, for this person. */
export async function dismissRetroMask(): Promise<void> {
  const { run } = useRetroMasks.getState();
  const mask = current();
  if (run === null || mask === undefined) {
    toast((text) => text.retro.none);
    return;
  }
  await call('labels.dismissRetroMask', { run, hint: mask.hint });
  answered(mask.hint);
  toast((text) => text.retro.dismissed(mask.number));
}

function answered(hint: string): void {
  useRetroMasks.setState(({ masks, trimming }) => ({
    masks: masks.filter((mask) => mask.hint !== hint),
    trimming: trimming === hint ? null : trimming,
  }));
}

/** The range was left without an answer. */
export function leaveTrimming(): void {
  if (useRetroMasks.getState().trimming === null) return;
  useRetroMasks.setState({ trimming: null });
  if (useLabels.getState().reason === reason) useLabels.setState({ reason: null });
}

/** Takes the other end of the range under the cursor, so that both ends can be moved with the same keys. */
export function swapEnds(): void {
  const { anchor, cursor } = useTimeline.getState();
  if (anchor === null || anchor === cursor) return;
  useTimeline.setState({ anchor: cursor });
  moveCursor(anchor);
}
