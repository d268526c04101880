/** A line that a search across sessions found. */
export interface SessionHit {
  uid: string;
  computer: string;
  session: string;
  /** Raw offset of the line's first byte. */
  offset: number;
  /** Raw offset after the line: a terminal can be shown as it was there. */
  endOffset: number;
  /** The line as plain text, cut around the hit; the hit between U+0001 and U+0002. */
  line: string;
}

/** Where in a step something was found. */
export const searchFields = ['thought', 'arguments', 'observation', 'hint', 'file'] as const;
export type SearchField = (typeof searchFields)[number];

/** Why a query cannot be answered; the window's catalogue has the sentence. */
export type SearchProblem =
  /** A prefix of one letter would be half of all words. `word`: as typed. */
  | { code: 'too_short'; word: string }
  /** Signs only. */
  | { code: 'no_word' }
  /** Words that must not occur, and none that must. */
  | { code: 'only_excluded' }
  /** `at`: 0-based place in the pattern (UTF-16 units); null when it cannot be told. `message`: the engine's own words. */
  | { code: 'bad_pattern'; message: string; at: number | null }
  | { code: 'bad_flag'; flag: string };

export interface SearchHit {
  step: number;
  /** Snippet with the hits between U+0001 and U+0002. */
  snippet: string;
  field: SearchField;
}

export interface SearchPage {
  hits: SearchHit[];
  /** All hits under the filters. */
  total: number;
  /** Hits that stand before the first of this page; 0 where a page from a step on did not ask for it. */
  before: number;
  /** Hits that the filters hide. */
  hidden: number;
  /** Steps of the run that the index has not reached yet. */
  behind: number;
  problem: SearchProblem | null;
}

/** What one run of the workspace has of a query. */
export interface RunHits {
  run: string;
  title: string;
  total: number;
  /** The first ones. */
  hits: SearchHit[];
}

export interface WorkspaceHits {
  /** Runs with hits, the newest first. */
  runs: RunHits[];
  total: number;
  /** Runs with hits beyond those given. */
  more: number;
  behind: number;
  problem: SearchProblem | null;
}

/** A hit that a scan found: in a step, or in a line that a session printed. */
export type ScanHit = { run: string } & (
  | { kind: 'step'; hit: SearchHit }
  | { kind: 'line'; line: SessionHit }
);

/** Why a scan ended before its end: one text, or all together, took the pattern too long. */
export interface GivenUp {
  why: 'text' | 'whole';
  pattern: string;
  run: string;
  /** Null for a line of a terminal. */
  step: number | null;
}

/** What is new of a scan. Hits come in order of runs, steps first, then lines of terminals. */
export interface ScanNews {
  hits: ScanHit[];
  /** Hits in steps and lines so far, counted beyond those that are kept. */
  steps: number;
  lines: number;
  /** Steps looked at, of all that may hold a hit. */
  scanned: number;
  all: number;
  /** Bytes of terminal output looked at, of all. */
  scannedBytes: number;
  allBytes: number;
  done: boolean;
  givenUp: GivenUp | null;
}

/** How far the index of the whole workspace is. */
export interface IndexProgress {
  steps: number;
  behind: number;
}
