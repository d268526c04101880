import type { Failure } from '@shared/contract/errors';
import { useCallback, useEffect, useRef, useState } from 'react';
import { failureOf } from '../api';

export interface Asked<T> {
  value: T | null;
  /** Why there is no value; shown where the value would stand. */
  failure: Failure | null;
  /** Asks once more; the old value stays until the new one is there. */
  again: () => void;
}

/** Asks once per `key` and tells the answer or why there is none; a late answer to an old question is dropped. */
export function useAsked<T>(key: string, ask: () => Promise<T>): Asked<T> {
  const [state, setState] = useState<{ key: string; value: T | null; failure: Failure | null }>({
    ...{ key, value: null, failure: null },
  });
  const [turn, setTurn] = useState(0);
  const newest = useRef(ask);
  newest.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: another turn asks the same question again
  useEffect(() => {
    let current = true;
    newest.current().then(
      (value) => current && setState({ key, value, failure: null }),
      (thrown: unknown) => current && setState({ key, value: null, failure: failureOf(thrown) }),
    );
    return () => {
      current = false;
    };
  }, [key, turn]);
  const again = useCallback(() => setTurn((before) => before + 1), []);
  const fits = state.key === key;
  return { value: fits ? state.value : null, failure: fits ? state.failure : null, again };
}
