import { useSegments } from '../run/segments';
import { jumpCursor, useTimeline } from '../run/timeline';
import { useFilter } from './filter';
import { toggleFold, useGrouping } from './grouping';
import type { RowModel } from './row-model';
import { rowsNow } from './rows';

/**
 * Keeps the cursor on a row of the list: a filter or a fold that hides its step moves it to the nearest step shown, and putting
 * it on a folded step opens the fold. A step that a filter hides can still be gone to, to read it. @returns its end
 */
export function keepCursorShown(): () => void {
  let rows: RowModel = rowsNow();
  /** @param asked The list was set anew, so that the cursor belongs on it wherever it was. */
  const changed = (asked: boolean) => {
    const before = rows;
    rows = rowsNow();
    const { cursor } = useTimeline.getState();
    if (rows === before || cursor === 0 || rows.shows(cursor) || !(asked || before.shows(cursor))) return;
    const step = rows.nearestShown(cursor);
    if (step !== null) jumpCursor(step);
  };
  const stops = [
    useFilter.subscribe((state, before) => changed(before.looking && !state.looking)),
    useSegments.subscribe(() => changed(false)),
    useGrouping.subscribe((state, before) => {
      // The newest step of a live run may be decided at once; whoever follows the run is not taken back from its end.
      if (atTail() && state.folding && state.facts !== before.facts && before.facts.until > 0)
        rows = rowsNow();
      else changed(state.folding && before.facts.until === 0 && state.facts.until > 0);
    }),
    useTimeline.subscribe((state, before) => {
      if (state.run !== before.run || state.steps !== before.steps) rows = rowsNow();
      if (state.reveal !== before.reveal) unfold(state.cursor);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

function atTail(): boolean {
  const { follow, cursor, steps } = useTimeline.getState();
  return follow.following && cursor === steps;
}

function unfold(step: number): void {
  const rows = rowsNow();
  if (rows.shows(step)) return;
  const row = rows.at(rows.nearest(step));
  if (row?.kind === 'fold' && row.from <= step && step <= row.to) toggleFold(row.from, row.to);
}
