import { WaymarkError } from '@shared/contract/errors';
import { storeFailure } from '../file/database';
import type { OtherThreads, Query, ReadSources } from './query';
import { type QueryName, queries, type StoreReader } from './table';

type Row = Query<unknown[], unknown>;
type Ask = (...args: unknown[]) => Promise<unknown>;

/** What a thread answers, by name. */
export type Answers = Record<string, Ask>;

const rows = Object.entries(queries) as unknown as [QueryName, Row][];

/** What the rows of one thread answer from a source, by name; failures are those of the store. */
export function answersOf<Thread extends keyof ReadSources>(
  thread: Thread,
  source: ReadSources[Thread],
): Answers {
  const mine = rows.filter(([, row]) => row.thread === thread);
  return Object.fromEntries(
    mine.map(([name, row]) => {
      const run = row.run as (from: ReadSources[Thread], ...args: unknown[]) => unknown;
      const answer: Ask = async (...args) => {
        try {
          return await run(source, ...args);
        } catch (thrown) {
          throw storeFailure(thrown, `the workspace ${source.folder}`, source.folder);
        }
      };
      return [name, answer];
    }),
  );
}

/** Asks a thread for one of its answers. */
type AskThread = (thread: keyof ReadSources, name: string, args: unknown[]) => Promise<unknown>;

/** The store's reader over threads, or over what takes their place. */
export function readerOver(ask: AskThread, others: OtherThreads): StoreReader {
  const reader = rows.map(([name, { thread, first }]): [string, Ask] => [
    name,
    first === null
      ? (...args) => ask(thread, name, args)
      : async (...args) => ask(thread, name, [await first(others, ...args), ...args]),
  ]);
  // One function for every row of the table; TypeScript cannot follow that through `fromEntries`.
  return Object.fromEntries(reader) as unknown as StoreReader;
}

/** The store's reader over what is in this thread; what a source is missing for is refused. */
export function readerIn(sources: Partial<ReadSources>, drainWrites: () => Promise<void>): StoreReader {
  const answers: Answers = {
    ...(sources.read === undefined ? {} : answersOf('read', sources.read)),
    ...(sources.index === undefined ? {} : answersOf('index', sources.index)),
  };
  const ask: AskThread = (_thread, name, args) => {
    const answer = answers[name];
    if (answer === undefined) throw new WaymarkError('bug', `Nothing here answers the read ${name}.`);
    return answer(...args);
  };
  const stepsMatching = (run: string, text: string) =>
    ask('index', 'stepsMatching', [run, text]) as Promise<number[]>;
  return readerOver(ask, { stepsMatching, drainWrites });
}
