import { useEffect, useRef, useState } from 'react';

/**
 * A value once what is `typed` in it has not changed for `restMs`; any other change of it is there at once. Until then it is the
 * value before.
 */
export function useRested<T>(value: T, restMs: number, typed: (value: T) => string): T {
  const text = typed(value);
  const [rested, setRested] = useState(text);
  const last = useRef(value);
  const waits = text !== rested;
  useEffect(() => {
    if (!waits) last.current = value;
  });
  useEffect(() => {
    if (!waits) return;
    const timer = setTimeout(() => setRested(text), restMs);
    return () => clearTimeout(timer);
  }, [text, waits, restMs]);
  return waits ? last.current : value;
}
