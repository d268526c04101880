import type { StepQuery } from '@shared/contract/step-query';
import { create } from 'zustand';
import { call } from '../../api';
import type { Span } from '../run/head-cache';
import { useTimeline } from '../run/timeline';
import { toastFailure } from '../toasts';
import { presets } from './filter';
import { StepMatches } from './step-matches';

/** What of decided steps is known, for folding them. */
interface FoldFacts {
  /** Undecided and disputed steps, ascending; one decided since stays until folding is switched on anew. */
  open: readonly number[];
  /** Masked steps, ascending. */
  masked: readonly number[];
  /** Last step that both are known of. */
  until: number;
}

interface GroupingState {
  /** The task whose way of showing this is. */
  task: string | null;
  /** Rows stand under the segment they were sampled in. */
  grouped: boolean;
  /** Runs of decided steps are one row each. */
  folding: boolean;
  facts: FoldFacts;
  carriedOpen: ReadonlySet<number>;
  /** Folds that were opened. */
  unfolded: readonly Span[];
}

const noFacts: FoldFacts = { open: [], masked: [], until: 0 };
const nothing = { facts: noFacts, carriedOpen: new Set<number>(), unfolded: [] as readonly Span[] };

/** How the timeline is laid out; grouping and folding are remembered per task. */
export const useGrouping = create<GroupingState>()(() => ({
  task: null,
  grouped: false,
  folding: false,
  ...nothing,
}));

const stored = (task: string): string => `waymark.timeline.${task}`;

let open: StepMatches | null = null;
let masked: StepMatches | null = null;

/** Takes up how a task's runs were shown last; for the run that was just opened. */
export function openGrouping(task: string | null): void {
  const kept = task === null ? '' : (localStorage.getItem(stored(task)) ?? '');
  useGrouping.setState({
    task,
    grouped: kept.includes('grouped'),
    folding: kept.includes('folding'),
    ...nothing,
  });
  readFacts();
}

export function toggleGrouped(): void {
  useGrouping.setState(({ grouped }) => ({ grouped: !grouped }));
  keep();
}

export function toggleFolding(): void {
  useGrouping.setState(({ folding }) => ({ folding: !folding, unfolded: [] }));
  keep();
  readFacts();
}

/** Opens or closes the carried steps of a segment. */
export function toggleCarried(segment: number): void {
  const carriedOpen = new Set(useGrouping.getState().carriedOpen);
  if (!carriedOpen.delete(segment)) carriedOpen.add(segment);
  useGrouping.setState({ carriedOpen });
}

/** Opens or closes the fold of some steps. */
export function toggleFold(from: number, to: number): void {
  useGrouping.setState(({ unfolded }) => {
    const others = unfolded.filter((span) => span.from > from || span.to < to);
    return { unfolded: others.length < unfolded.length ? others : [...unfolded, { from, to }] };
  });
}

/** Looks at the steps that came since. */
export function continueFolding(): void {
  const { steps } = useTimeline.getState();
  open?.grow(steps);
  masked?.grow(steps);
}

/** Looks again at steps whose labels changed. */
export function refreshFolding(from: number, to: number): void {
  open?.look(from, to);
  masked?.look(from, to);
}

function readFacts(): void {
  open?.stop();
  masked?.stop();
  open = null;
  masked = null;
  const { run, steps } = useTimeline.getState();
  useGrouping.setState({ facts: noFacts });
  if (run === null || steps === 0 || !useGrouping.getState().folding) return;
  const ask = (query: StepQuery) => call('timeline.matches', { run, query });
  open = new StepMatches({
    queries: [presets.decide, presets.differ],
    keep: true,
    ask,
    found: (found, until) => setFacts({ open: found, until }),
    failed: (thrown) => toastFailure(thrown),
  });
  masked = new StepMatches({
    queries: [{ label: ['mask'] }],
    keep: false,
    ask,
    found: (found) => setFacts({ masked: found }),
    failed: (thrown) => toastFailure(thrown),
  });
  open.look(1, steps);
  masked.look(1, steps);
}

function setFacts(change: Partial<FoldFacts>): void {
  useGrouping.setState(({ facts }) => ({ facts: { ...facts, ...change } }));
}

function keep(): void {
  const { task, grouped, folding } = useGrouping.getState();
  if (task === null) return;
  localStorage.setItem(stored(task), [grouped ? 'grouped' : '', folding ? 'folding' : ''].join(' ').trim());
}
