import type { EventBody } from '@shared/log/events';

const SEARCHES = new Set(['search_dir', 'search_file', 'find_file', 'web_search']);

/** What a search action looks for and where; null for any other action. */
export function searchOf(
  name: string,
  args: EventBody<'action.started'>['args'],
): { query: string; place: string } | null {
  if (!SEARCHES.has(name)) {
    return null;
  }
  const query = args.search_term ?? args.query ?? args.file_name ?? '';
  const place = args.dir_path ?? args.file_path ?? (name === 'web_search' ? 'web' : '');
  return { query: String(query), place: String(place) };
}

/** The number of hits in the facts of an observation. */
export function hitsOf(data: Record<string, unknown>): number | null {
  for (const found of [data.hits, data.matches, data.results, data.total]) {
    if (typeof found === 'number') {
      return found;
    }
    if (Array.isArray(found)) {
      return found.length;
    }
  }
  return null;
}
