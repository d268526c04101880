import { useEffect, useRef, useState } from 'react';

/** Two moves of more than two views within this time are a flight, and it is over when none came for so long, ms. */
const PAUSE = 80;

/**
 * Whether the list is dragged past more rows than anybody can read. Rows then show their numbers only, and nothing is asked
 * for: the views in between would hold up the one that the reader stops at.
 */
export function useFlight(): { on: boolean; moved: (far: boolean) => void } {
  const [on, setOn] = useState(false);
  const last = useRef(Number.NEGATIVE_INFINITY);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return {
    on,
    moved: (far) => {
      if (!far) return;
      const now = performance.now();
      if (now - last.current < PAUSE) {
        setOn(true);
        clearTimeout(timer.current);
        timer.current = setTimeout(() => setOn(false), PAUSE);
      }
      last.current = now;
    },
  };
}
