import type { Pattern } from '@shared/contract/search/pattern';
import type { GivenUp, ScanHit, ScanNews } from '@shared/contract/search/views';
import { searchFields } from '@shared/contract/search/views';
import type { StepQuery } from '@shared/contract/step-query';
import type { SessionView } from '@shared/contract/views';
import type { ModelLine } from '@shared/terminal/line-screen';
import { LAST_SEQ } from '../file/rows';
import { ownersOf } from '../log/run-owners';
import { findRun, type ReadContext, type RunRecord } from '../queries/read-context';
import { readSessions } from '../sessions/read-sessions';
import { requiredPhrase } from './regex-literal';
import { PatternGivenUp, type RegexThread } from './regex-thread';
import type { SearchIndex } from './search-index';
import { matchExpression, type SearchTerm, type WordQuery } from './search-query';
import { eachLine, lineHit, literally } from './search-sessions';
import { markedExcerpt } from './search-snippet';
import type { StepTexts } from './search-texts';
import type { StepFilterPort, WordSearch } from './search-words';

/** Hits that are kept to be shown; the rest is counted. */
const MAX_KEPT = 5000;
/** Characters handed to the pattern's thread at once. */
const BATCH_CHARACTERS = 512 * 1024;
/** Steps read between two turns of others. */
const BATCH_STEPS = 64;

/** What is looked for: a pattern in steps and terminals, or words in terminals (the index knows the steps). */
export type ScanGoal = { pattern: Pattern } | { words: WordQuery };

export interface ScanOptions {
  /** Newest first. */
  runs: readonly string[];
  /** Steps a branch took over are looked at too: where one run is searched. */
  inherited: boolean;
  goal: ScanGoal;
  filter: StepQuery | undefined;
}

export interface ScanParts {
  context: ReadContext;
  index: SearchIndex;
  words: WordSearch;
  filtered: StepFilterPort;
  /** Starts a thread for the pattern. */
  thread(pattern: Pattern): RegexThread;
  /** Lets others have their turn. */
  pause(): Promise<void>;
}

/** Some steps of one run's own log. */
interface Stretch {
  shown: string;
  owner: RunRecord;
  steps: readonly number[];
}

/** One search through texts that no index answers. It collects what it finds; whoever shows it asks for what is new. */
export class SearchScan {
  private readonly hits: ScanHit[] = [];
  private readonly state: Omit<ScanNews, 'hits'> = {
    steps: 0,
    lines: 0,
    scanned: 0,
    all: 0,
    scannedBytes: 0,
    allBytes: 0,
    done: false,
    givenUp: null,
  };
  private stopped = false;
  private thread: RegexThread | null = null;

  constructor(
    private readonly parts: ScanParts,
    private readonly options: ScanOptions,
  ) {}

  /** Hits from the one with this number on, and how far the scan is. */
  news(after: number, limit: number): ScanNews {
    return { ...this.state, hits: this.hits.slice(after, after + limit) };
  }

  get ended(): boolean {
    return this.state.done || this.stopped;
  }

  get found(): number {
    return this.hits.length;
  }

  stop(): void {
    this.stopped = true;
    void this.thread?.close();
  }

  async run(): Promise<void> {
    const { goal, filter } = this.options;
    try {
      if ('pattern' in goal) {
        this.thread = this.parts.thread(goal.pattern);
        await this.scanSteps(goal.pattern);
      }
      // Lines of terminals belong to no step: a filter of steps leaves them out.
      if (filter === undefined) await this.scanLines();
    } catch (thrown) {
      if (!(thrown instanceof PatternGivenUp) && !this.stopped) throw thrown;
    } finally {
      this.state.done = true;
      await this.thread?.close();
    }
  }

  private async scanSteps(pattern: Pattern): Promise<void> {
    const stretches = this.options.runs.flatMap((run) => this.stretchesOf(run, pattern));
    this.state.all = stretches.reduce((sum, { steps }) => sum + steps.length, 0);
    for (const stretch of stretches) {
      for (let at = 0; at < stretch.steps.length && !this.stopped; ) {
        at += await this.scanBatch(stretch, at, pattern);
      }
    }
  }

  /** @returns how many steps were looked at */
  private async scanBatch({ shown, owner, steps }: Stretch, from: number, pattern: Pattern): Promise<number> {
    const batch: { step: number; texts: StepTexts }[] = [];
    let characters = 0;
    let looked = 0;
    for (const step of steps.slice(from, from + BATCH_STEPS)) {
      looked += 1;
      const texts = this.parts.index.texts.textsOf(owner, step);
      if (texts === undefined) continue;
      batch.push({ step, texts });
      characters += searchFields.reduce((sum, field) => sum + texts[field].length, 0);
      if (characters > BATCH_CHARACTERS) break;
    }
    const places = batch.flatMap(({ step, texts }) =>
      searchFields
        .filter((field) => texts[field] !== '')
        .map((field) => ({ step, field, text: texts[field] })),
    );
    const found = await this.find(
      places.map(({ text }) => text),
      (index) => ({ pattern: pattern.source, run: shown, step: places[index]?.step ?? null }),
    );
    let last = 0;
    for (const { index, start, end } of found) {
      const place = places[index];
      // One hit a step, as the index answers.
      if (place === undefined || place.step === last) continue;
      last = place.step;
      this.state.steps += 1;
      const { step, field, text } = place;
      this.keep({
        kind: 'step',
        run: shown,
        hit: { step, field, snippet: markedExcerpt(text, [{ start, end }]) },
      });
    }
    this.state.scanned += looked;
    await this.parts.pause();
    return Math.max(1, looked);
  }

  /** Steps that may match: those the index has with the words a match must hold, and those it has not reached. */
  private stretchesOf(ulid: string, { source }: Pattern): Stretch[] {
    const run = findRun(this.parts.context, ulid);
    const { filter, inherited } = this.options;
    const passing = filter === undefined ? null : this.parts.filtered(ulid, filter);
    const first = inherited ? 1 : (run.facts.parent?.step ?? 0) + 1;
    const phrase = requiredPhrase(source);
    return ownersOf(this.parts.context, run, first, Math.max(first, run.state.steps)).flatMap(
      ({ run: owner, from, to }) => {
        if (owner === null) return [];
        const steps = this.candidates(owner, from, to, phrase);
        return [
          { shown: ulid, owner, steps: passing === null ? steps : steps.filter((step) => passing.has(step)) },
        ];
      },
    );
  }

  private candidates(
    owner: RunRecord,
    from: number,
    to: number,
    phrase: ReturnType<typeof requiredPhrase>,
  ): number[] {
    if (phrase === null || !this.parts.index.isReady()) return range(from, to);
    const term: SearchTerm = { ...phrase, field: null, raw: '' };
    const reached = this.parts.index.reached(owner);
    const match = matchExpression({ terms: [term], excluded: [] });
    // The last step that is indexed may have grown since.
    const known = this.parts.words.ownSteps(owner, match, from, Math.min(to, reached - 1));
    return [...known, ...range(Math.max(from, reached), to)];
  }

  private async scanLines(): Promise<void> {
    const { goal } = this.options;
    const wanted = 'words' in goal ? lineTest(goal.words) : null;
    if ('words' in goal && wanted === null) return;
    const sessions: SessionView[] = [];
    for (const run of this.options.runs) sessions.push(...(await readSessions(this.parts.context, run)));
    this.state.allBytes = sessions.reduce((sum, { endOffset }) => sum + endOffset, 0);
    for (const session of sessions) {
      let waiting: ModelLine[] = [];
      const take = (lines: readonly ModelLine[]) => {
        if (wanted === null) waiting.push(...lines);
        else for (const line of lines) this.takeLine(session, line, wanted(line.text));
      };
      const look = async () => {
        const lines = waiting;
        waiting = [];
        await this.matchLines(session, lines);
        await this.parts.pause();
        return !this.stopped;
      };
      const read = (bytes: number) => {
        this.state.scannedBytes += bytes;
      };
      if (!(await eachLine(this.parts.context, session, take, look, read))) return;
      if (!(await look())) return;
    }
  }

  private async matchLines(session: SessionView, lines: readonly ModelLine[]): Promise<void> {
    const { goal } = this.options;
    if (!('pattern' in goal) || lines.length === 0) return;
    const found = await this.find(
      lines.map(({ text }) => text),
      () => ({ pattern: goal.pattern.source, run: session.run, step: null }),
    );
    for (const { index, start, end } of found) {
      const line = lines[index];
      if (line !== undefined) this.takeLine(session, line, { start, end });
    }
  }

  private takeLine(session: SessionView, line: ModelLine, at: { start: number; end: number } | null): void {
    if (at === null) return;
    this.state.lines += 1;
    this.keep({ kind: 'line', run: session.run, line: lineHit(session, line, at.start, at.end) });
  }

  private async find(texts: readonly string[], where: (index: number) => Omit<GivenUp, 'why'>) {
    try {
      return (await this.thread?.find(texts)) ?? [];
    } catch (thrown) {
      if (thrown instanceof PatternGivenUp && !this.stopped)
        this.state.givenUp = { why: thrown.why, ...where(thrown.index) };
      throw thrown;
    }
  }

  private keep(hit: ScanHit): void {
    if (this.hits.length < MAX_KEPT) this.hits.push(hit);
  }
}

function range(from: number, to: number): number[] {
  return from > to
    ? []
    : Array.from({ length: Math.min(to, LAST_SEQ) - from + 1 }, (_, index) => from + index);
}

/**
 * Whether a line of a terminal holds all words as they were typed, ignoring case, and none of the excluded ones; where the first
 * of them stands. Null when a word is bound to a field: terminals have none.
 */
function lineTest({
  terms,
  excluded,
}: WordQuery): ((text: string) => { start: number; end: number } | null) | null {
  if (terms.length === 0 || terms.some(({ field }) => field !== null)) return null;
  const wanted = terms.map(({ raw }) => literally(raw));
  const unwanted = excluded.filter(({ field }) => field === null).map(({ raw }) => literally(raw));
  return (text) => {
    const found = wanted.map((each) => each.exec(text));
    const first = found[0];
    if (first == null || found.includes(null) || unwanted.some((each) => each.test(text))) return null;
    return { start: first.index, end: first.index + first[0].length };
  };
}
