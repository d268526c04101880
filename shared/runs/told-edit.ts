import type { ObservationView } from '../contract/views';

/** Lines that an action reported to have replaced: `removed` and `added` begin at line `first`. */
export interface ToldEdit {
  path: string;
  first: number;
  removed: string;
  added: string;
}

/**
 * The difference that an observation of the reference program carries (`removed_context`, `added_context`: each line
 * as `11|text`); null where it carries none.
 */
export function toldEdit({ ok, text, data }: Pick<ObservationView, 'ok' | 'text' | 'data'>): ToldEdit | null {
  if (ok !== true || typeof data.path !== 'string' || !text.includes('_context"')) return null;
  const told = objectOf(text);
  const removed = numbered(told?.removed_context);
  const added = numbered(told?.added_context);
  if (removed === null || added === null) return null;
  const first = removed.first ?? added.first;
  return first === null ? null : { path: data.path, first, removed: removed.text, added: added.text };
}

/** Lines without their numbers; null when they are not numbered one after the other. */
function numbered(value: unknown): { first: number | null; text: string } | null {
  if (typeof value !== 'string') return null;
  if (value === '') return { first: null, text: '' };
  let first: number | null = null;
  const lines: string[] = [];
  for (const line of value.split('\n')) {
    const at = line.indexOf('|');
    const number = Number(line.slice(0, Math.max(0, at)) || Number.NaN);
    first ??= number;
    if (number !== first + lines.length) return null;
    lines.push(line.slice(at + 1));
  }
  return { first, text: `${lines.join('\n')}\n` };
}

function objectOf(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null; // prose that mentions the words
    throw error;
  }
}
