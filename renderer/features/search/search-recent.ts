import { create } from 'zustand';

const KEY = 'waymark.searches';
const KEEP = 8;

/** The newest queries that led somewhere, the newest first; kept in this window's storage. */
export const useRecent = create<{ queries: readonly string[] }>()(() => ({ queries: read() }));

/** Remembers a query that was used. */
export function remember(query: string): void {
  const typed = query.trim();
  if (typed === '') return;
  const queries = [typed, ...useRecent.getState().queries.filter((each) => each !== typed)].slice(0, KEEP);
  useRecent.setState({ queries });
  localStorage.setItem(KEY, JSON.stringify(queries));
}

function read(): string[] {
  const stored = typeof localStorage === 'undefined' ? null : localStorage.getItem(KEY);
  if (stored === null) return [];
  try {
    const value: unknown = JSON.parse(stored);
    return Array.isArray(value) ? value.filter((each) => typeof each === 'string').slice(0, KEEP) : [];
  } catch {
    return [];
  }
}
