import type { SessionHit } from '@shared/contract/search/views';
import { create } from 'zustand';
import { call } from '../../api';
import { toastFailure } from '../../state/toasts';

/** More would be scrolled past, not read. */
const maxHits = 200;

interface SessionSearchState {
  query: string;
  hits: SessionHit[];
  /** There are more than are shown. */
  truncated: boolean;
  /** `hits` belong to `query`. */
  answered: boolean;
}

const empty = { query: '', hits: [], truncated: false, answered: false };

/** The search through what all sessions of the open run have printed. */
export const useSessionSearch = create<SessionSearchState>()(() => empty);

let turn = 0;
/** Looks for a text in every session; a newer search ends an older one. */
export function searchSessions(run: string, query: string): void {
  turn += 1;
  const mine = turn;
  if (query === '') {
    useSessionSearch.setState(empty);
    return;
  }
  useSessionSearch.setState({ query, answered: false });
  call('sessions.search', { run, query, limit: maxHits }).then(
    ({ hits, truncated }) => {
      if (mine === turn) useSessionSearch.setState({ hits, truncated, answered: true });
    },
    (thrown: unknown) => {
      if (mine !== turn) return;
      useSessionSearch.setState({ hits: [], truncated: false, answered: true });
      toastFailure(thrown);
    },
  );
}
