import type { StepRange } from '@shared/contract/step-range';
import { lastGesture } from '../../state/gestures';
import { setFilter, useFilter } from '../../state/rows/filter';
import { rowsNow } from '../../state/rows/rows';
import { moveCursor, selection, useTimeline } from '../../state/run/timeline';
import { toast } from '../../state/toasts';
import { useView } from '../../state/view';

/** The steps a label would go to: those of the selection that the timeline shows. */
export interface LabelTarget extends StepRange {
  run: string;
  /** Ascending and apart; never empty. */
  parts: StepRange[];
}

/** So long after the cursor moved without the person, nobody can have looked at the new step yet, ms. */
const LOOKED_AFTER = 300;

/**
 * What a label key is about: always steps that the person can see, and has had the time to see. Otherwise nothing is labelled, and a
 * toast says why.
 */
export function labelTarget(): LabelTarget | null {
  const { run, cursor, anchor, jumpedAt } = useTimeline.getState();
  const selected = selection();
  if (run === null || selected === null) return null;
  if (useView.getState().mode === 'export') {
    toast((text) => text.labels.noTimeline);
    return null;
  }
  const parts = shownParts(selected);
  if (parts.length === 0) {
    refuseHidden(cursor);
    return null;
  }
  if (jumpedAt !== null && anchor === null && lastGesture().at < jumpedAt + LOOKED_AFTER) {
    toast((text) => text.labels.tooSoon(cursor));
    return null;
  }
  return { run, ...selected, parts };
}

/** The steps of a selection that are on the list; a single step may also stand among carried ones. */
export function shownParts({ from, to }: StepRange): StepRange[] {
  const rows = rowsNow();
  if (from === to) return rows.shows(from) ? [{ from, to }] : [];
  return rows.shownIn(from, to);
}

function refuseHidden(step: number): void {
  if (useFilter.getState().steps === null) {
    toast((text) => text.labels.hiddenByFold(step), {
      say: (text) => text.labels.unfold,
      run: () => moveCursor(step),
    });
  } else {
    toast((text) => text.labels.hiddenByFilter(step), {
      say: (text) => text.labels.showAll,
      run: () => setFilter({}),
    });
  }
}
