import type { IndexProgress } from '@shared/contract/search/views';
import type { StepQuery } from '@shared/contract/step-query';
import type { VerifyReport } from '@shared/contract/views';
import type { Author } from '@shared/log/annotations';
import type { SearchPart } from '../search/search-part';
import type { SessionHits, SessionSearch } from '../search/search-sessions';
import type { VerifyDepth } from '../verify/verify-context';
import type { Withheld, WithheldRun } from './read-withheld';
import type { Reads } from './reads';
import type { RulePreviewer } from './rule-preview';

/** What the reads of the indexing thread are answered from. */
export interface IndexReads {
  /** For messages. */
  folder: string;
  search: Pick<SearchPart, 'page' | 'stepsMatching' | 'workspace' | 'start' | 'news' | 'stop'>;
  rules: Pick<RulePreviewer, 'preview' | 'progress'>;
  progress(): IndexProgress;
  searchSessions(search: SessionSearch): Promise<SessionHits>;
  verify(runs?: string[], depth?: VerifyDepth): Promise<VerifyReport>;
}

/** By thread: `read` answers what is bounded, `index` what may take long. */
export interface ReadSources {
  read: Reads;
  index: IndexReads;
}

/** What a read may ask of other threads before its own is asked. */
export interface OtherThreads {
  stepsMatching(run: string, text: string): Promise<number[]>;
  /** Resolves when every write asked for so far is durable. */
  drainWrites(): Promise<void>;
}

/** What withholding knows: for whom, and which steps they are to decide without knowing what others say. */
export interface BlindView {
  viewer: Author;
  /** Of the run's steps, or of those in `from..to`; null when there is none. */
  hidden(run: string, from?: number, to?: number): Promise<Withheld | null>;
  hiddenRuns(): Promise<WithheldRun[]>;
  /** With opinions: what it finds must not be passed on as it is. */
  matches(run: string, query: StepQuery): Promise<number[]>;
}

/** Why a read needs nothing withheld. */
export type NothingWithheld =
  | 'holds no opinions'
  /** It names the person and withholds by itself. */
  | 'answers for the person it names'
  /** Whoever reads for a window is refused. */
  | 'never for a window';

/**
 * What a read answers to somebody who is to decide some of its steps blind: the statement that there is nothing to withhold, or a
 * function that answers in the place of the plain read, as if nobody had said anything about these steps, machines included.
 */
export type Blind<Args extends unknown[], Answer> =
  | NothingWithheld
  | ((view: BlindView, read: (...args: Args) => Promise<Answer>, ...args: Args) => Promise<Answer>);

/** A row of the table of reads (`table.ts`). */
export interface Query<Args extends unknown[], Answer> {
  readonly thread: keyof ReadSources;
  readonly isEarly: boolean;
  readonly blind: Blind<Args, Answer>;
  /** Null: its thread is asked at once. */
  readonly first: ((others: OtherThreads, ...args: Args) => Promise<unknown>) | null;
  /** Gets what `first` found, where there is one, before the arguments. */
  readonly run: (source: never, ...args: never[]) => unknown;
}

type ArgsOf<Run> = Run extends (source: never, ...args: infer Args) => unknown ? Args : never;
type ArgsAfter<Run> = Run extends (source: never, found: never, ...args: infer Args) => unknown
  ? Args
  : never;
type FoundOf<Run> = Run extends (source: never, found: infer Found, ...args: never[]) => unknown
  ? Found
  : never;
type AnswerOf<Run extends (...args: never[]) => unknown> = Awaited<ReturnType<Run>>;

interface Placed<Thread extends keyof ReadSources> {
  thread: Thread;
  /** One of the first questions of a window, quick also on a large run: the writing thread answers it until the others have begun. */
  isEarly?: true;
}

/** `blind` has no default: each read has to say what somebody who decides blind gets. */
export function query<
  Thread extends keyof ReadSources,
  Run extends (source: ReadSources[Thread], ...args: never[]) => unknown,
>({
  thread,
  isEarly,
  blind,
  run,
}: Placed<Thread> & { blind: Blind<ArgsOf<Run>, AnswerOf<Run>>; run: Run }): Query<
  ArgsOf<Run>,
  AnswerOf<Run>
> {
  return { thread, isEarly: isEarly === true, blind, first: null, run };
}

/** A read that needs something of another thread `first`; its own gets that before the arguments. */
export function queryAfter<
  Thread extends keyof ReadSources,
  Run extends (source: ReadSources[Thread], found: never, ...args: never[]) => unknown,
>({
  thread,
  isEarly,
  blind,
  first,
  run,
}: Placed<Thread> & {
  blind: Blind<ArgsAfter<Run>, AnswerOf<Run>>;
  first: (others: OtherThreads, ...args: ArgsAfter<Run>) => Promise<FoundOf<Run>>;
  run: Run;
}): Query<ArgsAfter<Run>, AnswerOf<Run>> {
  return { thread, isEarly: isEarly === true, blind, first, run };
}
