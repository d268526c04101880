import { useEffect, useRef, useState } from 'react';

/**
 * A value once what is `typed` in it has not changed for `restMs`; any other change of it is there at once. Until then it is the
 * value before.
 */
export function useRested<T>(value: T, restMs: number, typed: (value: T) => string): T {
  const [rested, setRested] = useState(value);
  const newest = useRef(value);
  newest.current = value;
  const text = typed(value);
  const waits = text !== typed(rested);
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => setRested(newest.current), restMs);
    return () => clearTimeout(timer);
  }, [text, waits, restMs]);
  if (!waits && rested !== value) setRested(value);
  return waits ? rested : value;
}
