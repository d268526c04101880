import { useEffect, useRef, useState } from 'react';
import { toastFailure } from './toasts';

/**
 * Asks once per `key` and keeps the answer until the next one is there; null before the first, and while `key` is
 * null. A late answer to an old question is dropped; a failure becomes a toast.
 */
export function useAnswer<T>(key: string | null, ask: () => Promise<T>): T | null {
  const [answer, setAnswer] = useState<{ value: T } | null>(null);
  const newest = useRef(ask);
  newest.current = ask;
  useEffect(() => {
    if (key === null) return;
    let current = true;
    newest.current().then(
      (value) => {
        if (current) setAnswer({ value });
      },
      (thrown: unknown) => {
        if (current) toastFailure(thrown);
      },
    );
    return () => {
      current = false;
    };
  }, [key]);
  return key === null ? null : (answer?.value ?? null);
}
