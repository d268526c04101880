import type { ReactNode } from 'react';

/** So many places are marked at most; a text with more is still searched and shown whole. */
const MOST = 500;

/** A text with each occurrence of `query` marked, ignoring case. */
export function marked(text: string, query: string): ReactNode {
  const wanted = query.trim().toLowerCase();
  if (wanted === '') return text;
  const searched = text.toLowerCase();
  // Lower case may be longer than the text it came from; then places would be off.
  if (searched.length !== text.length) return text;
  const pieces: ReactNode[] = [];
  let from = 0;
  for (let at = searched.indexOf(wanted); at >= 0 && pieces.length < MOST * 2; ) {
    pieces.push(text.slice(from, at), <mark key={at}>{text.slice(at, at + wanted.length)}</mark>);
    from = at + wanted.length;
    at = searched.indexOf(wanted, from);
  }
  pieces.push(text.slice(from));
  return pieces;
}
