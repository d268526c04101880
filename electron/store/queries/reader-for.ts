import { WaymarkError } from '@shared/contract/errors';
import type { Author } from '@shared/log/annotations';
import { LAST_SEQ } from '../file/rows';
import type { BlindView, Query } from './query';
import { queries, type StoreReader } from './table';

type Ask = (...args: unknown[]) => Promise<unknown>;

/**
 * The reader as one person may use it: each read answers what its row of the table says that somebody who decides blind gets.
 * Whatever is sent to a window goes through this; the engine and exports read past it.
 */
export function readerFor(reader: StoreReader, viewer: Author): StoreReader {
  const view: BlindView = {
    viewer,
    hidden: (run, from = 1, to = LAST_SEQ) => reader.withheld(run, viewer, from, to),
    hiddenRuns: () => reader.withheldRuns(viewer),
    matches: (run, query) => reader.matches(run, query),
  };
  const seen = Object.entries(queries).map(([name, row]): [string, Ask] => {
    const { blind } = row as unknown as Query<unknown[], unknown>;
    const read = reader[name as keyof StoreReader] as unknown as Ask;
    if (typeof blind === 'function') return [name, (...args) => blind(view, read, ...args)];
    return [name, blind === 'never for a window' ? refusal(name) : read];
  });
  // One function for every row of the table; TypeScript cannot follow that through `fromEntries`.
  return Object.fromEntries(seen) as unknown as StoreReader;
}

function refusal(name: string): Ask {
  return () => Promise.reject(new WaymarkError('bug', `The read ${name} is not answered to a window.`));
}
