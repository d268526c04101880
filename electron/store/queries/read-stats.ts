import { foldAnnotations } from '@shared/labels/annotation-fold';
import type { RuleVerdict } from '@shared/labels/labels';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { NewEvent } from '@shared/log/events';
import {
  type MaskCount,
  type PersonProgress,
  type RunStats,
  RunStatsFold,
  type StatsEvent,
  statsKinds,
} from '@shared/runs/run-stats';
import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import { findRun, type ReadContext, type RunRecord } from './read-context';
import { applyTiming, timingRows } from './timing-rows';

/** Events per turn of the thread: other readers wait no longer than for these. */
const PAGE = 2_000;
/** Folds kept in memory, the latest runs that were asked about. */
const HELD = 8;
/** Entries of the annotation log per turn of the thread. */
const PAGE_ENTRIES = 4_000;
const MAX_POINTS = 200;

/** Only what the fold reads, taken out by SQL: texts never come up. */
const SELECT = `SELECT id, kind, at, CASE kind
    WHEN 'model.answered' THEN json_object('step', json_extract(body, '$.step'), 'kind', json_extract(body, '$.kind'),
      'usage', json_extract(body, '$.usage'), 'cost', json_extract(body, '$.cost'),
      'calls', json_array(json_object('name', json_extract(body, '$.calls[0].name'))))
    WHEN 'action.observed' THEN json_object('name', json_extract(body, '$.name'), 'error', json_extract(body, '$.error.code'),
      'durationMs', json_extract(body, '$.durationMs'),
      'data', json_object('exitCode', json_extract(body, '$.data.exitCode')))
    WHEN 'segment.started' THEN json_object('segment', json_extract(body, '$.segment'))
    WHEN 'hint.delivered' THEN json_object('step', json_extract(body, '$.step'), 'hints', json_extract(body, '$.hints'))
    ELSE body END AS facts
  FROM event WHERE id BETWEEN ? AND ? AND kind IN (${statsKinds.map((kind) => `'${kind}'`).join(', ')})`;

/** Figures for plots and `stats`: what is folded of a run's log goes on from where it stopped. */
export class StatsReader {
  private readonly folds = new Map<string, RunStatsFold>();
  private readonly turns = new Map<string, Promise<unknown>>();

  constructor(private readonly context: ReadContext) {}

  /** @throws WaymarkError not_found */
  async stats(ulid: string): Promise<RunStats> {
    const before = this.turns.get(ulid) ?? Promise.resolve();
    // One at a time per run; who came before is told of its own failure.
    const mine = before.then(
      () => this.read(ulid),
      () => this.read(ulid),
    );
    this.turns.set(ulid, mine);
    const over = () => {
      if (this.turns.get(ulid) === mine) this.turns.delete(ulid);
    };
    mine.then(over, over);
    return mine;
  }

  private async read(ulid: string): Promise<RunStats> {
    const fold = await this.caughtUp(ulid);
    const run = findRun(this.context, ulid);
    return {
      ...fold.stats(this.context.isDriven(ulid) ? this.context.now() : run.changedAt),
      run: ulid,
      title: run.facts.title,
      masks: maskCounts(this.context, run),
      rules: ruleCounts(this.context, run),
      people: await progress(this.context, run),
    };
  }

  private async caughtUp(ulid: string): Promise<RunStatsFold> {
    const fold = this.held(ulid);
    try {
      for (let next = fold.reached + 1; ; next += PAGE) {
        const run = findRun(this.context, ulid);
        if (next > run.seq) return fold;
        const to = Math.min(run.seq, next + PAGE - 1);
        this.follow(fold, run, next, to);
        if (to < run.seq) await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (thrown) {
      // Half a page may have been folded.
      this.folds.delete(ulid);
      throw thrown;
    }
  }

  private follow(fold: RunStatsFold, run: RunRecord, from: number, to: number): void {
    const time = { apply: (event: NewEvent, at: number) => fold.applyTiming(event, at) };
    const timing = timingRows(this.context, run.id, from, to);
    let next = 0;
    const until = (seq: number) => {
      for (let row = timing[next]; row !== undefined && seqOf(row.id) < seq; row = timing[++next]) {
        applyTiming(time, row);
      }
    };
    for (const event of page(this.context, run, from, to)) {
      until(event.seq);
      fold.apply(event);
    }
    until(Number.POSITIVE_INFINITY);
  }

  private held(ulid: string): RunStatsFold {
    const fold = this.folds.get(ulid) ?? new RunStatsFold();
    this.folds.delete(ulid);
    this.folds.set(ulid, fold);
    const oldest = this.folds.keys().next();
    if (this.folds.size > HELD && oldest.done === false) this.folds.delete(oldest.value);
    return fold;
  }
}

function page(context: ReadContext, run: RunRecord, from: number, to: number): StatsEvent[] {
  return context.statements
    .all<{ id: number; kind: string; at: number; facts: string }>(
      SELECT,
      rowId(run.id, from),
      rowId(run.id, to),
    )
    .map(({ id, kind, at, facts }) => {
      // What the fold reads of each kind is all that the statement takes out.
      const body: unknown = JSON.parse(facts);
      return { run: run.ulid, seq: seqOf(id), epoch: run.epoch, kind, at, body } as StatsEvent;
    });
}

function maskCounts(context: ReadContext, run: RunRecord): MaskCount[] {
  const rows = context.statements.all<{
    label: number;
    source: MaskCount['source'] | null;
    reason: string | null;
    steps: number;
  }>(
    `SELECT label, label_source AS source, label_reason AS reason, count(*) AS steps FROM step_head
     WHERE id BETWEEN ? AND ? GROUP BY label, label_source, label_reason ORDER BY steps DESC LIMIT 500`,
    rowId(run.id, 0),
    rowId(run.id, LAST_SEQ),
  );
  return rows.map(({ label, source, reason, steps }) => ({
    value: label === 0 ? 'undecided' : label === 1 ? 'train' : 'mask',
    source: source ?? 'none',
    reason: reason ?? '',
    steps,
  }));
}

function ruleCounts(context: ReadContext, run: RunRecord): RunStats['rules'] {
  return context.statements
    .all<{ rule: string; effect: RuleVerdict['effect']; steps: number }>(
      `SELECT rule, json_extract(verdict, '$.effect') AS effect, count(*) AS steps FROM rule_mark
       WHERE step BETWEEN ? AND ? GROUP BY 1, 2 ORDER BY steps DESC, rule LIMIT 200`,
      rowId(run.id, 0),
      rowId(run.id, LAST_SEQ),
    )
    .map((row) => ({ ...row }));
}

async function progress(context: ReadContext, run: RunRecord): Promise<PersonProgress[]> {
  const entries = await decisions(context, run);
  const people: PersonProgress[] = [];
  for (const uuid of new Set(entries.map(({ author }) => author.uuid))) {
    const own = entries.filter(({ author }) => author.uuid === uuid).sort((a, b) => a.at - b.at);
    const stride = Math.ceil(own.length / MAX_POINTS);
    const points: PersonProgress['points'] = [];
    const seen = new Set<number>();
    for (const [index, entry] of own.entries()) {
      addSteps(seen, entry);
      if ((index + 1) % stride === 0 || index === own.length - 1) {
        points.push({ at: entry.at, decided: seen.size });
      }
    }
    people.push({ uuid, name: own.at(-1)?.author.name ?? uuid, decided: standing(own), points });
    await new Promise((resolve) => setImmediate(resolve));
  }
  return people.sort((a, b) => b.decided - a.decided || (a.name < b.name ? -1 : 1));
}

async function decisions({ statements }: ReadContext, run: RunRecord): Promise<AnnotationEntry[]> {
  const entries: AnnotationEntry[] = [];
  for (let after = 0; ; ) {
    const page = statements.all<{ id: number; body: string }>(
      `SELECT id, body FROM annotation WHERE run = ? AND id > ? AND purged = 0 AND op IN ('label', 'adjudicate', 'undo')
       ORDER BY id LIMIT ${PAGE_ENTRIES}`,
      run.id,
      after,
    );
    for (const { body } of page) entries.push(JSON.parse(body) as AnnotationEntry);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE_ENTRIES) return entries;
    after = last.id;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Steps a person has spoken of so far; what was taken back later still shows when it was done. */
function addSteps(seen: Set<number>, { body, target }: AnnotationEntry): void {
  if (body.op === 'undo' || (body.op === 'label' && body.value === 'clear')) return;
  for (const { from, to } of target.parts ?? [target]) {
    for (let step = from; step <= to; step++) seen.add(step);
  }
}

function standing(own: readonly AnnotationEntry[]): number {
  return foldAnnotations(own).ranges.reduce(
    (sum, { from, to, decisions }) => (decisions.humans.length > 0 ? sum + to - from + 1 : sum),
    0,
  );
}
