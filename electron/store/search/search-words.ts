import type { SearchPage, WorkspaceHits } from '@shared/contract/search/views';
import type { StepQuery } from '@shared/contract/step-query';
import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import { ownersOf } from '../log/run-owners';
import { bounded, findRun, type ReadContext, type RunRecord } from '../queries/read-context';

import type { SearchIndex } from './search-index';
import { matchExpression, parseQuery, type WordQuery } from './search-query';
import { snippetOf } from './search-snippet';

const MAX_HITS = 200;
/** Runs whose hits are shown at once. */
const MAX_RUNS = 50;
/** Answers kept for paging through one search. */
const KEPT = 8;
/** A number from JavaScript is a REAL, and FTS5 heeds bounds that are INTEGER only: without this it reads every run's hits. */
const INSIDE = 'rowid BETWEEN CAST(? AS INTEGER) AND CAST(? AS INTEGER)';

export interface WordSearchRequest {
  run: string;
  query: string;
  /** Narrows the hits. */
  filter?: StepQuery | undefined;
  /** From this step on in `direction`, or from this hit on. */
  from: { step: number; direction: 1 | -1 } | { hit: number };
  limit: number;
  /** Asks how many hits stand before a page that begins at a step: that costs another count. */
  place?: boolean | undefined;
}

/** Steps that a run's own log holds, as rows of the index. */
interface Range {
  run: RunRecord;
  low: number;
  high: number;
}

/** Which steps of a run match a filter. */
export type StepFilterPort = (run: string, filter: StepQuery) => ReadonlySet<number>;

/** Answers searches for words from the index. Rows are steps; an inherited step is found in the run it was made in. */
export class WordSearch {
  private readonly answers = new Map<string, unknown>();
  private version = '';

  constructor(
    private readonly context: ReadContext,
    private readonly index: SearchIndex,
    private readonly filtered: StepFilterPort,
  ) {}

  page({ run: ulid, query, filter, from, limit, place = false }: WordSearchRequest): SearchPage {
    const run = findRun(this.context, ulid);
    const words = parseQuery(query);
    const behind = run.state.steps - this.index.reached(run);
    const empty: SearchPage = { hits: [], total: 0, before: 0, hidden: 0, behind, problem: words.problem };
    if (words.terms.length === 0 || !this.index.isReady()) {
      return empty;
    }
    const match = matchExpression(words);
    const ranges = this.rangesOf(run);
    const most = bounded(limit, 0, MAX_HITS, 'The limit');
    // Before the filter is asked: what passes it changes with labels, of which the index knows nothing.
    const labels = String(this.context.statements.db.pragma('data_version', { simple: true }));
    const passing = filter === undefined ? null : this.filtered(ulid, filter);
    if (passing !== null) {
      const all = this.stepsOf(match, ranges);
      const key = `passing ${labels} ${ulid} ${match} ${JSON.stringify(filter)}`;
      const list = this.kept(key, () => all.filter((step) => passing.has(step)));
      const { steps, before } = pageOf(list, from, most);
      const hits = this.hitsAt(ranges, steps, words);
      return { ...empty, hits, total: list.length, before, hidden: all.length - list.length };
    }
    const total = this.count(match, ranges);
    if ('hit' in from) {
      const before = bounded(from.hit, 0, LAST_SEQ, 'The first hit');
      const hits = this.hitsAt(ranges, this.rows(match, ranges, 1, most, before), words);
      return { ...empty, hits, total, before };
    }
    const start = bounded(from.step, 0, LAST_SEQ, 'The first step');
    const near = cut(ranges, from.direction === 1 ? { low: start } : { high: start });
    const steps = this.rows(match, near, from.direction, most, 0).sort((a, b) => a - b);
    const first = steps[0];
    const before = first === undefined || !place ? 0 : this.count(match, cut(ranges, { high: first - 1 }));
    return { ...empty, hits: this.hitsAt(ranges, steps, words), total, before };
  }

  /** Numbers of all steps of the run that match, ascending; none for a query that cannot be searched. */
  stepsMatching(ulid: string, query: string): number[] {
    const words = parseQuery(query);
    if (words.terms.length === 0 || !this.index.isReady()) {
      return [];
    }
    return [...this.stepsOf(matchExpression(words), this.rangesOf(findRun(this.context, ulid)))];
  }

  /** Steps of one run's own log between two steps that match an expression of the index, ascending. */
  ownSteps(run: RunRecord, match: string, from: number, to: number): number[] {
    return this.list(match, { low: rowId(run.id, from), high: rowId(run.id, to) });
  }

  /** The first hits of every run, the newest run first; a step counts in the run it was made in. */
  workspace(query: string, limit: number): WorkspaceHits {
    const words = parseQuery(query);
    const { behind } = this.index.progress();
    const empty: WorkspaceHits = { runs: [], total: 0, more: 0, behind, problem: words.problem };
    if (words.terms.length === 0 || !this.index.isReady()) {
      return empty;
    }
    const match = matchExpression(words);
    const found = this.kept(`runs ${match}`, () =>
      this.index.statements.all<{ run: number; n: number }>(
        'SELECT rowid >> 32 AS run, count(*) AS n FROM step WHERE step MATCH ? GROUP BY 1 ORDER BY 1 DESC',
        match,
      ),
    );
    const runs = found.slice(0, MAX_RUNS).flatMap(({ run: id, n }) => {
      const named = this.context.statements.get<{ ulid: string }>('SELECT ulid FROM run WHERE id = ?', id);
      if (named === undefined) return [];
      const run = findRun(this.context, named.ulid);
      const range = { run, low: rowId(id, 0), high: rowId(id, LAST_SEQ) };
      const steps = this.rows(match, [range], 1, bounded(limit, 0, MAX_HITS, 'The limit'), 0);
      return [{ run: run.ulid, title: run.facts.title, total: n, hits: this.hitsAt([range], steps, words) }];
    });
    const total = found.reduce((sum, { n }) => sum + n, 0);
    return { ...empty, runs, total, more: found.length - runs.length };
  }

  private rangesOf(run: RunRecord): Range[] {
    return ownersOf(this.context, run, 1, LAST_SEQ).flatMap(({ run: owner, from, to }) =>
      owner === null ? [] : [{ run: owner, low: rowId(owner.id, from), high: rowId(owner.id, to) }],
    );
  }

  private count(match: string, ranges: readonly Range[]): number {
    return ranges.reduce((sum, { low, high }) => {
      if (low > high) return sum;
      const n = this.kept(`count ${match} ${low} ${high}`, () =>
        this.index.statements.get<{ n: number }>(
          `SELECT count(*) AS n FROM step WHERE step MATCH ? AND ${INSIDE}`,
          match,
          low,
          high,
        ),
      );
      return sum + (n?.n ?? 0);
    }, 0);
  }

  /** Numbers of matching steps in the order of `direction`, after the first `skip`. */
  private rows(
    match: string,
    ranges: readonly Range[],
    direction: 1 | -1,
    limit: number,
    skip: number,
  ): number[] {
    const steps: number[] = [];
    let left = skip;
    for (const range of direction === 1 ? ranges : [...ranges].reverse()) {
      if (steps.length >= limit || range.low > range.high) continue;
      const inside = left === 0 ? 0 : this.count(match, [range]);
      if (left > 0 && inside <= left) {
        left -= inside;
        continue;
      }
      const rows = this.index.statements.all<{ id: number }>(
        `SELECT rowid AS id FROM step WHERE step MATCH ? AND ${INSIDE}
         ORDER BY rowid ${direction === 1 ? 'ASC' : 'DESC'} LIMIT ? OFFSET ?`,
        match,
        range.low,
        range.high,
        limit - steps.length,
        left,
      );
      left = 0;
      steps.push(...rows.map(({ id }) => seqOf(id)));
    }
    return steps;
  }

  private stepsOf(match: string, ranges: readonly Range[]): readonly number[] {
    const key = `steps ${match} ${ranges.map(({ low, high }) => `${low}-${high}`).join()}`;
    return this.kept(key, () => ranges.flatMap((range) => this.list(match, range)));
  }

  /** As one text: a row for each step would take ten times as long for a common word. */
  private list(match: string, { low, high }: Omit<Range, 'run'>): number[] {
    if (!this.index.isReady() || low > high) return [];
    const row = this.index.statements.get<{ steps: string }>(
      `SELECT json_group_array(id) AS steps FROM
         (SELECT rowid & 4294967295 AS id FROM step WHERE step MATCH ? AND ${INSIDE} ORDER BY rowid)`,
      match,
      low,
      high,
    );
    return JSON.parse(row?.steps ?? '[]') as number[];
  }

  private hitsAt(ranges: readonly Range[], steps: readonly number[], words: WordQuery) {
    return steps.flatMap((step) => {
      const owner = ranges.find(
        ({ run, low, high }) => low <= rowId(run.id, step) && rowId(run.id, step) <= high,
      );
      const textOf = owner === undefined ? undefined : this.index.texts.lazyTextsOf(owner.run, step);
      return textOf === undefined ? [] : [{ step, ...snippetOf(textOf, words.terms) }];
    });
  }

  /** An answer of the index as it stands; forgotten as soon as anything was indexed or taken out. */
  private kept<T>(key: string, read: () => T): T {
    const { db } = this.index.statements;
    const own = this.index.statements.get<{ n: number }>('SELECT total_changes() AS n')?.n ?? 0;
    const version = `${String(db.pragma('data_version', { simple: true }))} ${own}`;
    if (version !== this.version) {
      this.answers.clear();
      this.version = version;
    }
    if (this.answers.has(key)) {
      return this.answers.get(key) as T;
    }
    const answer = read();
    const [oldest] = this.answers.keys();
    if (this.answers.size >= KEPT && oldest !== undefined) {
      this.answers.delete(oldest);
    }
    this.answers.set(key, answer);
    return answer;
  }
}

/** Ranges between two steps. */
function cut(
  ranges: readonly Range[],
  { low = 0, high = LAST_SEQ }: { low?: number; high?: number },
): Range[] {
  return ranges.map((range) => ({
    run: range.run,
    low: Math.max(range.low, rowId(range.run.id, low)),
    high: Math.min(range.high, rowId(range.run.id, high)),
  }));
}

function pageOf(
  list: readonly number[],
  from: WordSearchRequest['from'],
  limit: number,
): { steps: readonly number[]; before: number } {
  if ('hit' in from) return { steps: list.slice(from.hit, from.hit + limit), before: from.hit };
  // The first hit at or after the step, and the end of those up to it.
  const first = placeOf(list, from.step);
  if (from.direction === 1) return { steps: list.slice(first, first + limit), before: first };
  const end = placeOf(list, from.step + 1);
  const start = Math.max(0, end - limit);
  return { steps: list.slice(start, end), before: start };
}

/** How many of an ascending list are below the number. */
function placeOf(list: readonly number[], number: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((list[middle] ?? 0) < number) low = middle + 1;
    else high = middle;
  }
  return low;
}
