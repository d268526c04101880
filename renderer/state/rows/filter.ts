import { asksForAll } from '@shared/contract/asks-for-all';
import type { StepQuery } from '@shared/contract/step-query';
import { create } from 'zustand';
import { call } from '../../api';
import { useTimeline } from '../run/timeline';
import { toastFailure } from '../toasts';
import { StepMatches } from './step-matches';

interface FilterState {
  /** What is asked for; without a condition every step is shown. */
  query: StepQuery;
  /** Steps that matched when they were looked at, ascending; one decided since stays until the filter is set anew. Null = all. */
  steps: readonly number[] | null;
  /** The first answer is on its way; until then the list stays as it was. */
  looking: boolean;
}

export const useFilter = create<FilterState>()(() => ({ query: {}, steps: null, looking: false }));

/** The two filters that have a button of their own. */
export const presets = {
  decide: { label: ['undecided'] },
  differ: { marks: ['disagreement'] },
} as const satisfies Record<string, StepQuery>;
export type Preset = 'all' | keyof typeof presets;

/** The button a query is, or null for one that was put together. */
export function presetOf(query: StepQuery): Preset | null {
  if (asksForAll(query)) return 'all';
  const text = JSON.stringify(query);
  if (text === JSON.stringify(presets.decide)) return 'decide';
  return text === JSON.stringify(presets.differ) ? 'differ' : null;
}

let matches: StepMatches | null = null;

/** Sets the timeline's filter. The list changes when the answer is there, and the cursor goes to the nearest step of it. */
export function setFilter(query: StepQuery): void {
  const { run, steps } = useTimeline.getState();
  const given = withoutEmpty(query);
  matches?.stop();
  matches = null;
  if (run === null || asksForAll(given)) {
    useFilter.setState({ query: {}, steps: null, looking: false });
    useTimeline.setState({ partial: false });
    reveal();
    return;
  }
  useFilter.setState({ query: given, looking: true });
  // Whoever reads a part of the run is not taken to its end.
  useTimeline.setState((state) => ({
    anchor: null,
    partial: true,
    follow: { following: false, seen: state.steps },
  }));
  matches = new StepMatches({
    queries: [given],
    keep: true,
    ask: (part) => call('timeline.matches', { run, query: part }),
    found: (found) => {
      const { looking } = useFilter.getState();
      useFilter.setState({ steps: found, looking: false });
      if (looking) reveal();
    },
    failed: (thrown) => {
      // What could not be looked for is not on.
      if (useFilter.getState().looking) setFilter({});
      toastFailure(thrown);
    },
  });
  matches.look(1, Math.max(1, steps));
}

export function setPreset(preset: Preset): void {
  setFilter(preset === 'all' ? {} : presets[preset]);
}

/** Looks at the steps that came since; called when the run has grown. */
export function continueFilter(): void {
  const { steps } = useTimeline.getState();
  matches?.grow(steps);
}

/** Looks again at steps whose labels changed. */
export function refreshFilter(from: number, to: number): void {
  matches?.look(from, to);
}

function reveal(): void {
  useTimeline.setState((state) => ({ reveal: state.reveal + 1 }));
}

/** A query without lists and texts that say nothing. */
function withoutEmpty(query: StepQuery): StepQuery {
  const kept = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== '' && !(Array.isArray(value) && value.length === 0),
  );
  return Object.fromEntries(kept);
}
