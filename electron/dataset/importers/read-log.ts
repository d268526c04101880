import type { ImportProgress } from '@shared/contract/ipc/imports';
import type { DatedEvent } from '@shared/log/events';

/** A hint as a log of another system tells it. */
export interface ImportedHint {
  id: string;
  text: string;
}

/** What is known of a log once it was taken apart. */
export interface LogHead {
  /** Id of the run it becomes. */
  run: string;
  title: string;
  /** sha256 of the content: the same files are the same run. */
  fingerprint: string;
  steps: number;
  segments: number;
  hints: number;
  /** Events of all parts together. */
  events: number;
  /** In words: what the source holds and the run does not. */
  left: string[];
  /** `run.created` and `run.imported`. */
  first: DatedEvent[];
  last: DatedEvent;
}

/** A piece of a log, small enough for one transaction and one message between threads. */
export type LogPart = { hints: ImportedHint[] } | { events: DatedEvent[] };

/** A log that was taken apart: all hints come before the first event. The parts can be gone through once. */
export interface ReadLog {
  head: LogHead;
  parts: AsyncIterable<LogPart> | Iterable<LogPart>;
  /** Lets go of what reads, also in the middle. */
  close(): Promise<void>;
}

export interface ReadOptions {
  title: string | null;
  /** Id of the task the run belongs to; null = the import's own. */
  task: string | null;
}

/** Takes the log at a path apart. @throws WaymarkError not_found, bad_input */
export type LogReader = (
  path: string,
  options: ReadOptions,
  tell: (progress: ImportProgress) => void,
  signal?: AbortSignal,
) => Promise<ReadLog>;

/** Hints or events of a part, and about how many characters they hold together at most, if they are more than one. */
const most = { items: 100, characters: 512 * 1024 } as const;

/** Cuts hints and events into parts. */
export function* partsOf(
  hints: readonly ImportedHint[],
  events: readonly DatedEvent[],
): Generator<LogPart, void, undefined> {
  for (const part of cut(hints)) yield { hints: part };
  for (const part of cut(events)) yield { events: part };
}

function* cut<T>(items: readonly T[]): Generator<T[], void, undefined> {
  let part: T[] = [];
  let characters = 0;
  for (const item of items) {
    const size = JSON.stringify(item).length;
    if (part.length >= most.items || (part.length > 0 && characters + size > most.characters)) {
      yield part;
      part = [];
      characters = 0;
    }
    part.push(item);
    characters += size;
  }
  if (part.length > 0) yield part;
}
