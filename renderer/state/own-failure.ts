import type { Failure } from '@shared/contract/errors';
import { useEffect, useRef, useState } from 'react';
import { failureOf } from '../api';
import { toastFailure } from './toasts';

export interface OwnFailure {
  /** Why the last try failed; null: it did not. */
  failure: Failure | null;
  tell: (thrown: unknown) => void;
  clear: () => void;
}

/**
 * Why something that a dialog does failed: shown in the dialog while it is open, because it lies over the notices, and in a notice
 * where it was closed meanwhile.
 */
export function useOwnFailure(): OwnFailure {
  const [failure, setFailure] = useState<Failure | null>(null);
  const isOpen = useRef(true);
  useEffect(() => {
    isOpen.current = true;
    return () => {
      isOpen.current = false;
    };
  }, []);
  return {
    failure,
    tell: (thrown) => (isOpen.current ? setFailure(failureOf(thrown)) : toastFailure(thrown)),
    clear: () => setFailure(null),
  };
}
