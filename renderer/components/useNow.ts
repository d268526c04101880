import { useEffect, useState } from 'react';

/** Wall-clock ms, renewed every `everyMs`; for ages and remaining times on the screen. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), everyMs);
    return () => clearInterval(timer);
  }, [everyMs]);
  return now;
}
