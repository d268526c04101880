import type { IndexProgress } from '@shared/contract/search/views';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { useFilter } from '../../state/rows/filter';
import { toastFailure } from '../../state/toasts';
import { refreshSearch, setQuery, useSearch } from './search';

/** How far the search index of the workspace is; null before it was told. */
export const useIndexProgress = create<{ progress: IndexProgress | null }>()(() => ({ progress: null }));

/** Listens to the index and asks again when what it answers may have changed. The returned function ends it. */
export function startIndexNews(): () => void {
  const stops = [
    listen('search.progress', (progress) => {
      useIndexProgress.setState({ progress });
      refreshSearch();
    }),
    listen('workspace.changed', () => useIndexProgress.setState({ progress: null })),
    useFilter.subscribe((state, before) => {
      const { query } = useSearch.getState();
      if (state.query !== before.query && query !== '') setQuery(query);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Reads how far the index is; for who opens the search while nothing changes. */
export function loadIndexProgress(): void {
  call('search.progress').then(
    (progress) => useIndexProgress.setState({ progress }),
    (thrown: unknown) => toastFailure(thrown),
  );
}
