import type { IndexPart } from '../search/index-part';
import type { WriterCore } from './writer-core';

/** By thread: `write` holds the writing connection, `index` copies and indexes. */
export interface WriteSources {
  write: WriterCore;
  index: Pick<IndexPart, 'backup' | 'rebuildSearch'>;
}

/**
 * What becomes of a write in a workspace that is only read: it is refused, and `refused` says what was refused; it is passed over,
 * because it belongs to no log, such as up to where a person has read; or it is done, because nothing recorded changes.
 */
export type WhenReadOnly = { refused: string } | 'passed over' | 'done';

/** A row of the table of writes (`table.ts`). */
export interface Command<Args extends unknown[], Answer> {
  readonly thread: keyof WriteSources;
  readonly whenReadOnly: WhenReadOnly;
  /** Place of the argument that names the new entry; the store chooses a name where neither the asker nor a late write has one. */
  readonly entryAt: number | null;
  readonly run: (source: never, ...args: Args) => Promise<Answer>;
}

type ArgsOf<Run> = Run extends (source: never, ...args: infer Args) => unknown ? Args : never;

/** `whenReadOnly` has no default: each write has to say what becomes of it in a workspace that is only read. */
export function command<
  Thread extends keyof WriteSources,
  Run extends (source: WriteSources[Thread], ...args: never[]) => Promise<unknown>,
>({
  thread,
  whenReadOnly,
  entryAt = null,
  run,
}: {
  thread: Thread;
  whenReadOnly: WhenReadOnly;
  entryAt?: number | null;
  run: Run;
}): Command<ArgsOf<Run>, Awaited<ReturnType<Run>>> {
  return { thread, whenReadOnly, entryAt, run } as unknown as Command<ArgsOf<Run>, Awaited<ReturnType<Run>>>;
}
