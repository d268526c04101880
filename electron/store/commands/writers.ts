import type { WaymarkError } from '@shared/contract/errors';
import { fromElsewhere } from '../file/read-only';
import type { Command, WriteSources } from './command';
import { type CommandName, commands, type StoreWriter } from './table';

type Row = Command<unknown[], unknown>;
type Do = (...args: unknown[]) => Promise<unknown>;

const rows = Object.entries(commands) as unknown as [CommandName, Row][];

/** One function for every row; TypeScript cannot follow that through `fromEntries`. */
const writerOf = (each: (name: CommandName, row: Row) => Do) =>
  Object.fromEntries(rows.map(([name, row]) => [name, each(name, row)])) as unknown as StoreWriter;

const done = ({ run }: Row, source: unknown, args: unknown[]) =>
  (run as (from: unknown, ...args: unknown[]) => Promise<unknown>)(source, ...args);

/** What the writes of one thread do with its source, by name. */
export function writesOf<Thread extends keyof WriteSources>(
  thread: Thread,
  source: WriteSources[Thread],
): Record<string, Do> {
  const mine = rows.filter(([, row]) => row.thread === thread);
  return Object.fromEntries(mine.map(([name, row]) => [name, (...args) => done(row, source, args)]));
}

/** The store's writer over what is in this thread. */
export function writerIn(sources: WriteSources): StoreWriter {
  return writerOf(
    (_name, row) =>
      (...args) =>
        done(row, sources[row.thread], args),
  );
}

/** The store's writer over threads. `entryId`: the name of an entry that is written now, where a late write has brought one. */
export function writerOver(
  ask: (thread: keyof WriteSources, name: string, args: unknown[]) => Promise<unknown>,
  entryId: () => string | undefined,
): StoreWriter {
  return writerOf((name, { thread, entryAt }) => (...args) => {
    if (entryAt !== null) args[entryAt] ??= entryId();
    return ask(thread, name, args);
  });
}

/** Refuses what would be recorded, passes over what belongs to no log, and does the rest with `writer`. */
export function readOnlyWriter(
  writer: Pick<StoreWriter, 'backup' | 'rebuildSearch'>,
  folder: string,
  refusal: (what: string) => WaymarkError = (what) => fromElsewhere(folder, what),
): StoreWriter {
  const rest = writer as unknown as Record<string, Do>;
  return writerOf((name, { whenReadOnly }) => {
    if (whenReadOnly === 'passed over') return () => Promise.resolve();
    if (whenReadOnly !== 'done') return () => Promise.reject(refusal(whenReadOnly.refused));
    return (...args) => rest[name]?.(...args) ?? Promise.reject(refusal(name));
  });
}
