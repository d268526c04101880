import type { StepHead, Tile } from '@shared/contract/views';
import { create } from 'zustand';
import { call } from '../../api';
import { toastFailure } from '../toasts';
import { cursorMoved, type Follow, grown, scrolled } from './follow';
import { HeadCache } from './head-cache';
import { useRuns } from './runs';

interface TimelineState {
  run: string | null;
  heads: HeadCache;
  /** Counts up whenever a head may have changed. */
  version: number;
  steps: number;
  /** Step under the cursor; 0 while the run has none. */
  cursor: number;
  /** Other end of a range selection, or null. */
  anchor: number | null;
  /** Counts up when the cursor was put somewhere by hand: the list then brings it into view. */
  reveal: number;
  /** Counts up when the person moves the cursor, and not when it jumps. */
  moves: number;
  /** When the cursor last moved without the person, on the clock of `performance.now()`, ms. */
  jumpedAt: number | null;
  follow: Follow;
  /** A filter hides steps: nobody stays with the newest one. */
  partial: boolean;
  tiles: Tile[];
}

function cacheFor(run: string): HeadCache {
  const cache: HeadCache = new HeadCache({
    load: (from, to) => call('timeline.heads', { run, from, to }),
    changed: () => {
      if (useTimeline.getState().heads !== cache) return;
      useTimeline.setState((state) => ({ version: state.version + 1, ...growth(state, cache.steps) }));
    },
    failed: (thrown) => toastFailure(thrown),
  });
  return cache;
}

const noHeads = new HeadCache({ load: async () => [], changed: () => undefined, failed: () => undefined });
const closed = {
  run: null,
  heads: noHeads,
  version: 0,
  steps: 0,
  cursor: 0,
  anchor: null,
  reveal: 0,
  moves: 0,
  jumpedAt: null,
  follow: { following: true, seen: 0 },
  partial: false,
  tiles: [],
};

/** The open run's timeline: which steps there are, where the cursor is, what is in view. */
export const useTimeline = create<TimelineState>()(() => closed);

function growth(state: TimelineState, steps: number): Partial<TimelineState> {
  if (steps === state.steps) return {};
  const atEnd = state.cursor === state.steps && state.anchor === null;
  const follow = grown(state.follow, steps);
  // Who reads the newest step while following goes on reading the newest step.
  const cursor =
    atEnd && follow.following ? steps : Math.min(Math.max(state.cursor, steps > 0 ? 1 : 0), steps);
  const jumped = cursor !== state.cursor && state.cursor > 0;
  return { steps, follow, cursor, ...(jumped ? { jumpedAt: performance.now() } : {}) };
}

/** More rows than a view shows. */
const FIRST_ROWS = 60;

/** Opens a run's timeline at its end. */
export function openTimeline(run: string | null, seq: number, steps: number): void {
  const before = useTimeline.getState();
  before.heads.dispose();
  if (run === null) {
    useTimeline.setState({ ...closed, version: before.version + 1 });
    return;
  }
  const heads = cacheFor(run);
  // Asked for before all else that an open run is asked for: these rows are what the reader waits for.
  heads.advance(seq, steps);
  heads.show([{ from: Math.max(1, steps - FIRST_ROWS), to: steps }]);
  useTimeline.setState({
    ...closed,
    run,
    heads,
    steps,
    cursor: steps,
    follow: { following: true, seen: steps },
    version: before.version + 1,
    reveal: before.reveal + 1,
  });
  loadTiles(run);
}

let tilesWanted = false;
let tilesLoading = false;
/** Reads the minimap again; requests that come meanwhile are one more request. */
export function loadTiles(run: string): void {
  if (tilesLoading) {
    tilesWanted = true;
    return;
  }
  tilesLoading = true;
  call('timeline.tiles', { run })
    .then(
      (tiles) => {
        if (useTimeline.getState().run === run) useTimeline.setState({ tiles });
      },
      (thrown: unknown) => toastFailure(thrown),
    )
    .finally(() => {
      setTimeout(() => {
        tilesLoading = false;
        const now = useTimeline.getState().run;
        if (tilesWanted && now !== null) {
          tilesWanted = false;
          loadTiles(now);
        }
      }, 500);
    });
}

function movedTo(state: TimelineState, step: number): Follow {
  const follow = cursorMoved(state.follow, step, state.steps);
  return state.partial ? { following: false, seen: follow.seen } : follow;
}

/** A click: the row is under the hand already, so nothing scrolls. Without `extend` a range ends. */
export function pointAt(step: number, extend: boolean): void {
  useTimeline.setState((state) => ({
    cursor: step,
    anchor: extend ? (state.anchor ?? state.cursor) : null,
    jumpedAt: null,
    moves: state.moves + 1,
    follow: movedTo(state, step),
  }));
}

/** Puts the cursor on a step and brings it into view. `extend` keeps (or begins) a range at the old place. */
export function moveCursor(step: number, extend = false): void {
  useTimeline.setState((state) => {
    if (state.steps === 0) return {};
    const cursor = Math.min(Math.max(1, step), state.steps);
    const anchor = extend ? (state.anchor ?? state.cursor) : state.anchor;
    return {
      cursor,
      anchor,
      jumpedAt: null,
      moves: state.moves + 1,
      follow: movedTo(state, cursor),
      reveal: state.reveal + 1,
    };
  });
}

/** Puts the cursor on a step that the person did not ask for; a range ends. */
export function jumpCursor(step: number): void {
  const { moves } = useTimeline.getState();
  useTimeline.setState({ anchor: null });
  moveCursor(step);
  useTimeline.setState({ moves, jumpedAt: performance.now() });
}

/** Begins a range at the cursor, or ends it. */
export function toggleRange(): void {
  useTimeline.setState((state) => ({ anchor: state.anchor === null ? state.cursor : null }));
}

/** @returns false when there was no range to end. */
export function clearRange(): boolean {
  if (useTimeline.getState().anchor === null) return false;
  useTimeline.setState({ anchor: null });
  return true;
}

/** The list was scrolled; `rest` px are left below its window. */
export function timelineScrolled(rest: number): void {
  const state = useTimeline.getState();
  const { following, seen } = scrolled(state.follow, rest, state.steps);
  const follow = { following: following && !state.partial, seen };
  if (follow.following !== state.follow.following || follow.seen !== state.follow.seen) {
    useTimeline.setState({ follow });
  }
}

/** Goes to the newest step and stays with it. */
export function followTail(): void {
  useTimeline.setState((state) => ({
    follow: { following: true, seen: state.steps },
    cursor: state.steps,
    anchor: null,
    reveal: state.reveal + 1,
  }));
}

export function stopFollowing(): void {
  useTimeline.setState((state) => ({ follow: { following: false, seen: state.steps } }));
}

/** The steps a label would go to: the range, else the step under the cursor; null when there is none. */
export function selection(): { from: number; to: number } | null {
  const { cursor, anchor } = useTimeline.getState();
  if (cursor === 0) return null;
  const other = anchor ?? cursor;
  return { from: Math.min(cursor, other), to: Math.max(cursor, other) };
}

/** The head under the cursor, when it has been read. */
export function useCursorHead(): StepHead | undefined {
  useTimeline((state) => state.version);
  return useTimeline((state) => state.heads.get(state.cursor));
}

/**
 * Does the work once the open run shows its rows, which stand in the same line of questions: what takes long on a large run would
 * hold them up. Not at all when another run is opened first.
 */
export function afterFirstRows(run: string, work: () => void): void {
  if (shows(run)) {
    work();
    return;
  }
  const stop = useTimeline.subscribe(() => {
    const gone = useRuns.getState().current !== run;
    if (!gone && !shows(run)) return;
    stop();
    if (!gone) work();
  });
}

function shows(run: string): boolean {
  const { run: open, heads, steps, cursor } = useTimeline.getState();
  return open === run && (steps === 0 || heads.get(cursor) !== undefined);
}
