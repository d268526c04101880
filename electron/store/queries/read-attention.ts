import { WaymarkError } from '@shared/contract/errors';
import { isId } from '@shared/contract/id';
import {
  type AttentionItem,
  byMostUrgent,
  type RunAttention,
  type RunFindings,
  unseen,
} from '@shared/runs/attention/attention';
import { attentionAt, foldAttention, startAttention } from '@shared/runs/attention/attention-fold';
import { type AttentionState, keyOf } from '@shared/runs/attention/attention-state';
import { rowId } from '../file/rows';
import { unreadableRun } from '../log/unreadable-run';
import { AttentionCache } from '../projections/attention-cache';
import { readOpenApprovals } from './read-approvals';
import { findRun, type ReadContext, readEvents } from './read-context';

/** Events per turn of the thread: other readers wait no longer than for these. */
const PAGE_EVENTS = 200;
/** A list is answered after about this long, whatever is still to be read, ms. */
const LIST_MS = 250;
/** States held in memory; the others are on disk. */
const HELD = 100;

interface HeadRow {
  ulid: string;
  seq: number;
  title: string;
  ended: number;
  steps: number;
  /** Steps taken over from another run; nobody has to look at them here. */
  inherited: number;
  seen_seq: number | null;
  seen_at: number | null;
  id: number;
}

/** Folds what wants a person's eye from where it stopped, a page at a time, so that other readers are answered between. */
export class AttentionReader {
  private readonly states = new Map<string, AttentionState>();
  private readonly turns = new Map<string, Promise<unknown>>();
  private readonly cache: AttentionCache;
  private cleaned = false;

  constructor(private readonly context: ReadContext) {
    this.cache = new AttentionCache(context.folder);
  }

  /** One run, up to its head. @throws WaymarkError not_found */
  async findings(run: string): Promise<RunFindings> {
    const state = await this.caughtUp(run, Number.POSITIVE_INFINITY);
    const { items, nextAt } = attentionAt(state, this.context.now(), this.context.isDriven(run));
    return { run, seq: state.seq, items: this.answered(run, items), counts: state.counts, nextAt };
  }

  /** What is new to a person (by uuid) in every run, the most urgent first. Runs that say nothing new are left out. */
  async list(author: string): Promise<RunAttention[]> {
    const until = performance.now() + LIST_MS;
    const list: RunAttention[] = [];
    const heads = this.heads(author).filter(({ ulid }) => isId(ulid));
    this.forgetRemoved(new Set(heads.map(({ ulid }) => ulid)));
    for (const row of heads) {
      const seenSeq = row.seen_seq ?? 0;
      // Nothing of an ended run is open.
      if (row.ended === 1 && seenSeq >= row.seq) continue;
      const state = await this.unlessGone(row.ulid, until);
      if (state === null) continue;
      const driven = row.ended === 0 && this.context.isDriven(row.ulid);
      const { items } = attentionAt(state, this.context.now(), driven);
      const entry = {
        run: row.ulid,
        title: row.title,
        seenSeq,
        seenAt: row.seen_at,
        newSteps: this.stepsAfter(row, seenSeq),
        items: unseen(this.answered(row.ulid, items), seenSeq),
        counts: state.counts,
        behind: Math.max(0, row.seq - state.seq),
      };
      if (entry.items.length > 0 || entry.newSteps > 0 || entry.behind > 0) list.push(entry);
    }
    return list.sort(byMostUrgent);
  }

  /** A question is over once its answer is stored, and not only when a driver writes it into the log. */
  private answered(run: string, items: AttentionItem[]): AttentionItem[] {
    const asks = (item: AttentionItem) => item.kind === 'asks_you' && item.open;
    if (!items.some(asks)) return items;
    const open = new Set(readOpenApprovals(this.context, run).map(({ approval }) => approval));
    return items.map((item) => (asks(item) && !open.has(keyOf(item)) ? { ...item, open: false } : item));
  }

  /** Removed runs leave nothing behind; those that were removed by another process are found at the first list. */
  private forgetRemoved(runs: ReadonlySet<string>): void {
    for (const run of this.states.keys()) {
      if (runs.has(run) || this.turns.has(run)) continue;
      this.states.delete(run);
      this.cache.forget(run);
    }
    if (!this.cleaned) this.cache.keepOnly(runs);
    this.cleaned = true;
  }

  private heads(author: string): HeadRow[] {
    return this.context.statements.all<HeadRow>(
      `SELECT r.id, r.ulid, h.seq, json_extract(h.facts, '$.title') AS title,
         coalesce(json_extract(h.state, '$.status') IN ('finished', 'stopped', 'failed'), 0) AS ended,
         json_extract(h.state, '$.steps') AS steps,
         coalesce(json_extract(h.facts, '$.parent.step'), 0) AS inherited, s.seq AS seen_seq, s.at AS seen_at
       FROM run r JOIN run_head h ON h.run = r.id LEFT JOIN seen s ON s.run = r.id AND s.author = ?
       ORDER BY r.id DESC`,
      author,
    );
  }

  /** Steps begun after an event: their first events ascend with their numbers, so a few rows tell. */
  private stepsAfter({ id, steps, seq, inherited }: HeadRow, seen: number): number {
    if (seen >= seq) return 0;
    if (seen === 0) return steps - inherited;
    let low = inherited;
    let high = steps;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      const first = this.context.statements.get<{ seq0: number }>(
        'SELECT seq0 FROM step_head WHERE id = ?',
        rowId(id, middle),
      )?.seq0;
      // The running step may have no row yet.
      if ((first ?? (middle === steps ? seq : 0)) <= seen) low = middle;
      else high = middle - 1;
    }
    return steps - low;
  }

  /** Null when it was removed, or cannot be read: whoever follows the log says that, and the other runs are listed. */
  private async unlessGone(run: string, until: number): Promise<AttentionState | null> {
    try {
      return await this.caughtUp(run, until);
    } catch (thrown) {
      if (thrown instanceof WaymarkError && thrown.code === 'not_found') return null;
      if (unreadableRun(run, thrown) !== null) return null;
      throw thrown;
    }
  }

  /** One at a time per run: two asks must not fold the same events twice. */
  private caughtUp(run: string, until: number): Promise<AttentionState> {
    const before = this.turns.get(run) ?? Promise.resolve();
    // Who came before is told of its own failure.
    const mine = before.then(
      () => this.fold(run, until),
      () => this.fold(run, until),
    );
    this.turns.set(run, mine);
    const over = () => {
      if (this.turns.get(run) === mine) this.turns.delete(run);
    };
    mine.then(over, over);
    return mine;
  }

  private async fold(run: string, until: number): Promise<AttentionState> {
    const state = this.held(run);
    try {
      for (;;) {
        const record = findRun(this.context, run);
        if (state.seq >= record.seq || performance.now() > until) break;
        const events = readEvents(this.context, record, state.seq + 1, record.seq, PAGE_EVENTS, false);
        if (events.length === 0) break;
        for (const event of events) foldAttention(state, event);
        this.cache.keep(state, state.ended && state.seq >= record.seq);
        if (state.seq < record.seq) await new Promise((resolve) => setImmediate(resolve));
      }
    } catch (thrown) {
      // Half a page may have been folded.
      this.states.delete(run);
      if (thrown instanceof WaymarkError && thrown.code === 'not_found') this.cache.forget(run);
      throw thrown;
    }
    return state;
  }

  private held(run: string): AttentionState {
    const state = this.states.get(run) ?? this.cache.load(run) ?? startAttention(run);
    this.states.delete(run);
    this.states.set(run, state);
    const oldest = this.states.keys().next();
    if (this.states.size > HELD && oldest.done === false && oldest.value !== run) {
      const left = this.states.get(oldest.value);
      if (left !== undefined && !this.turns.has(oldest.value)) {
        this.cache.keep(left, true);
        this.states.delete(oldest.value);
      }
    }
    return state;
  }
}
