import type { HostResolution } from '@shared/contract/computers';
import type { Failure } from '@shared/contract/errors';
import { useEffect, useState } from 'react';
import { call, failureOf } from '../../api';

export interface ResolutionState {
  /** Null while it is asked for, and when it failed. */
  value: HostResolution | null;
  failure: Failure | null;
}

/** How the person's ssh configuration resolves an alias; asked once per alias. Empty asks nothing. */
export function useResolution(alias: string): ResolutionState {
  const [state, setState] = useState<ResolutionState>({ value: null, failure: null });
  useEffect(() => {
    setState({ value: null, failure: null });
    if (alias === '') return;
    let current = true;
    call('computers.resolve', { alias }).then(
      (value) => {
        if (current) setState({ value, failure: null });
      },
      (thrown: unknown) => {
        if (current) setState({ value: null, failure: failureOf(thrown) });
      },
    );
    return () => {
      current = false;
    };
  }, [alias]);
  return state;
}
