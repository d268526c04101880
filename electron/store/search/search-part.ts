import { join } from 'node:path';
import { asksForAll } from '@shared/contract/asks-for-all';
import { WaymarkError } from '@shared/contract/errors';
import { checkPattern, patternOf } from '@shared/contract/search/pattern';
import type { ScanNews, SearchPage, SearchProblem, WorkspaceHits } from '@shared/contract/search/views';
import type { StepQuery } from '@shared/contract/step-query';
import { findRun, type ReadContext } from '../queries/read-context';
import { matchingSteps } from '../queries/read-matches';
import { type RegexLimits, RegexThread } from './regex-thread';
import type { SearchIndex } from './search-index';
import { parseQuery } from './search-query';
import { type ScanGoal, SearchScan } from './search-scan';
import { type StepFilterPort, WordSearch, type WordSearchRequest } from './search-words';

/** One text has this long, ms; megabytes of it take a well-behaved pattern some milliseconds. */
const TEXT_MS = 2000;
/** All texts together, ms. */
const WHOLE_MS = 180_000;
/** An answer that has nothing new waits at most this long for it, ms. */
const NEWS_MS = 250;
const LOOK_MS = 25;
const MAX_NEWS = 200;

export interface ScanRequest {
  /** Null = every run of the workspace. */
  run: string | null;
  query: string;
  /** Only steps that match are looked at, and no terminal. */
  filter?: StepQuery | undefined;
}

/** `scan` is null where there is nothing to look through: no query, or one with a problem. */
export interface ScanStart {
  scan: number | null;
  problem: SearchProblem | null;
}

export interface SearchPartOptions {
  /** Folder of the bundled worker entries; null where there is none: patterns are refused then. */
  workers: string | null;
  limits?: RegexLimits;
}

/** What is asked of the search: pages from the index, and one scan at a time; a newer one ends the one before. */
export class SearchPart {
  private readonly words: WordSearch;
  private readonly filtered: StepFilterPort;
  private current: { id: number; scan: SearchScan; failed: unknown } | null = null;
  private last = 0;
  private closed = false;

  constructor(
    private readonly context: ReadContext,
    private readonly index: SearchIndex,
    private readonly options: SearchPartOptions,
  ) {
    this.filtered = (run, query) => {
      const found = query.text === undefined ? null : this.words.stepsMatching(run, query.text);
      return new Set(matchingSteps(context, run, { query, found }));
    };
    this.words = new WordSearch(context, index, this.filtered);
  }

  page(request: WordSearchRequest): SearchPage {
    return this.words.page({ ...request, filter: narrowing(request.filter) });
  }

  stepsMatching(run: string, query: string): number[] {
    return this.words.stepsMatching(run, query);
  }

  workspace(query: string, limit: number): WorkspaceHits {
    return this.words.workspace(query, limit);
  }

  /** Begins to look through what the index cannot answer: steps for a pattern, terminals for anything. */
  start({ run, query, filter }: ScanRequest): ScanStart {
    this.stop();
    const pattern = patternOf(query);
    const words = pattern === null ? parseQuery(query) : null;
    const problem = pattern === null ? (words?.problem ?? null) : checkPattern(pattern);
    if (problem !== null || words?.terms.length === 0) return { scan: null, problem };
    const goal: ScanGoal = pattern !== null ? { pattern } : { words: words ?? parseQuery(query) };
    this.last += 1;
    const scan = new SearchScan(
      {
        context: this.context,
        index: this.index,
        words: this.words,
        filtered: this.filtered,
        thread: (each) =>
          new RegexThread(this.worker(), each, this.options.limits ?? { textMs: TEXT_MS, wholeMs: WHOLE_MS }),
        pause: () => new Promise((resolve) => setImmediate(resolve)),
      },
      {
        runs: run === null ? this.allRuns() : [findRun(this.context, run).ulid],
        inherited: run !== null,
        goal,
        filter: narrowing(filter),
      },
    );
    const own = { id: this.last, scan, failed: undefined as unknown };
    this.current = own;
    scan.run().catch((thrown: unknown) => {
      own.failed = thrown;
    });
    return { scan: own.id, problem: null };
  }

  /** What a scan found from its hit number `after` on; waits a moment for something new. An ended or older scan has no more. */
  async news(id: number, after: number): Promise<ScanNews> {
    const until = performance.now() + NEWS_MS;
    for (;;) {
      const { current } = this;
      if (current?.id !== id || this.closed)
        throw new WaymarkError('cancelled', 'The search was ended by a newer one.');
      if (current.failed !== undefined) throw current.failed;
      if (current.scan.found > after || current.scan.ended || performance.now() > until)
        return current.scan.news(after, MAX_NEWS);
      await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
    }
  }

  /** @param id only this one; without it whichever goes on */
  stop(id?: number): void {
    if (id !== undefined && this.current?.id !== id) return;
    this.current?.scan.stop();
    this.current = null;
  }

  close(): void {
    this.closed = true;
    this.stop();
  }

  private worker(): string {
    if (this.options.workers === null)
      throw new WaymarkError('bug', 'The search for patterns needs the folder of the bundled threads.');
    return join(this.options.workers, 'regex-worker.js');
  }

  private allRuns(): string[] {
    return this.context.statements
      .all<{ ulid: string }>('SELECT r.ulid FROM run r JOIN run_head h ON h.run = r.id ORDER BY r.id DESC')
      .map(({ ulid }) => ulid);
  }
}

/** Undefined for a filter that lets everything through. */
function narrowing(filter: StepQuery | undefined): StepQuery | undefined {
  return filter === undefined || asksForAll(filter) ? undefined : filter;
}
