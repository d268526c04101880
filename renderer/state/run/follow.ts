/** Whether the timeline stays with the newest step. The reader is never moved while reading elsewhere. */
export interface Follow {
  following: boolean;
  /** Steps the reader has been shown the end of; what came since stands on the pill. */
  seen: number;
}

/** Closer to the end than this counts as being there, px. */
const NEAR = 32;

/** The reader scrolled (or was put) so that `rest` px are left below. */
export function scrolled(state: Follow, rest: number, steps: number): Follow {
  if (rest > NEAR) return state.following ? { following: false, seen: steps } : state;
  return { following: true, seen: steps };
}

/** The cursor was moved by hand: following goes on only from the last step. */
export function cursorMoved(state: Follow, step: number, steps: number): Follow {
  if (step >= steps) return { following: true, seen: steps };
  return state.following ? { following: false, seen: steps } : state;
}

/** The run grew. @returns the new state; `newSteps` of it are behind the pill. */
export function grown(state: Follow, steps: number): Follow {
  return state.following ? { following: true, seen: steps } : state;
}

export function newSteps(state: Follow, steps: number): number {
  return state.following ? 0 : Math.max(0, steps - state.seen);
}
