import {
  type QueueClass,
  type QueueItem,
  type QueueRun,
  type QueueView,
  queueClasses,
} from '@shared/labels/review/queue-views';
import { common, without } from '@shared/labels/review/step-ranges';
import type { Author } from '@shared/log/annotations';
import { LAST_SEQ, rowId, seqOf } from '../../file/rows';
import {
  findRun,
  isImported,
  parseRun,
  type ReadContext,
  RUN_SELECT,
  type RunRecord,
  type RunRow,
} from '../read-context';
import { contestedSql, countSql, itemsSql, undoneSql } from './queue-sql';
import type { AssignmentReader } from './read-queue-assignments';

/** A place in the order of the queue; without a class, any place of the timeline. */
export interface QueuePlace {
  run: string;
  step: number;
  class: QueueClass | null;
}

interface Piece {
  from: number;
  to: number;
  blind: boolean;
}

/** A person's part of one run, ascending pieces. */
interface Share {
  run: RunRecord;
  assigned: boolean;
  pieces: Piece[];
}

/** A person's review queue: class by class, in each by run and step, so that what belongs together stays together. */
export class QueueReader {
  constructor(
    private readonly context: ReadContext,
    private readonly assignments: AssignmentReader,
  ) {}

  /** What waits for the person; `open`: a run that counts when nobody was assigned to it. */
  view(person: Author, open: string | null): QueueView {
    const shares = [...this.assignedTo(person), ...this.unassigned(open)].sort(byRun);
    const runs = shares.map((share) => this.count(person, share));
    const left = { disagreement: 0, unsure: 0, open: 0, unconfirmed: 0, rest: 0 };
    for (const run of runs) for (const each of queueClasses) left[each] += run.left[each];
    const sum = (of: (run: QueueRun) => number) => runs.reduce((total, run) => total + of(run), 0);
    return { runs, total: sum(({ total }) => total), decided: sum(({ decided }) => decided), left };
  }

  /**
   * The item after (or before) a place; from the other end when there is none further, and null when nothing is left at all.
   * From a place that is no item it is the most urgent one, the nearest of them in that direction.
   */
  next(person: Author, open: string | null, from: QueuePlace | null, direction: 1 | -1): QueueItem | null {
    const unassigned = this.unassigned(open);
    const shares = unassigned.length > 0 ? unassigned : this.assignedTo(person).sort(byRun);
    if (direction === -1) shares.reverse();
    let done: boolean | null = null;
    const find = (kind: QueueClass, place: QueuePlace | null, beyond: boolean) => {
      if (kind !== 'disagreement') {
        done ??= this.isDone(person, shares);
        if (done) return null;
      }
      return this.find(person, shares, kind, direction, place, beyond);
    };
    const ordered = direction === 1 ? [...queueClasses] : [...queueClasses].reverse();
    const at = from?.class == null ? -1 : ordered.indexOf(from.class);
    if (from === null || at === -1) {
      for (const kind of queueClasses) {
        const found = find(kind, from, true) ?? (from === null ? null : find(kind, from, false));
        if (found !== null) return this.placed(person, shares, kind, found);
      }
      return null;
    }
    const [here, ...others] = [...ordered.slice(at), ...ordered.slice(0, at)];
    if (here === undefined) return null;
    const further = find(here, from, true);
    if (further !== null) return this.placed(person, shares, here, further);
    for (const kind of others) {
      const found = find(kind, null, true);
      if (found !== null) return this.placed(person, shares, kind, found);
    }
    const before = find(here, from, false);
    return before === null ? null : this.placed(person, shares, here, before);
  }

  /**
   * The first item of a class, in the order of `shares`: beyond the place, or (`beyond` false) from the start up to and with
   * it.
   */
  private find(
    person: Author,
    shares: readonly Share[],
    kind: QueueClass,
    direction: 1 | -1,
    place: QueuePlace | null,
    beyond: boolean,
  ): { run: RunRecord; step: number } | null {
    for (const { run, pieces } of shares) {
      const side =
        place === null ? 0 : direction * (run.ulid < place.run ? -1 : run.ulid > place.run ? 1 : 0);
      if (place !== null && (beyond ? side < 0 : side > 0)) continue;
      const [low, high] = place === null || side !== 0 ? [1, LAST_SEQ] : reach(place.step, direction, beyond);
      for (const piece of direction === 1 ? pieces : [...pieces].reverse()) {
        const from = Math.max(piece.from, low);
        const to = Math.min(piece.to, high);
        if (from > to) continue;
        const items = itemsSql(kind, piece.blind);
        const row =
          items === null
            ? undefined
            : this.context.statements.get<{ id: number }>(
                `SELECT id FROM ${items} ORDER BY id ${direction === 1 ? 'ASC' : 'DESC'} LIMIT 1`,
                { low: rowId(run.id, from), high: rowId(run.id, to), me: person.uuid },
              );
        if (row !== undefined) return { run, step: seqOf(row.id) };
      }
    }
    return null;
  }

  /** Only disagreements are counted: they are few, and found by an index of their own. */
  private placed(
    person: Author,
    shares: readonly Share[],
    kind: QueueClass,
    { run, step }: { run: RunRecord; step: number },
  ): QueueItem {
    const item = { run: run.ulid, step, class: kind };
    if (kind !== 'disagreement') return { ...item, place: null, of: null };
    let place = 0;
    let of = 0;
    for (const share of shares) {
      for (const { from, to, blind } of share.pieces) {
        const row = this.context.statements.get<{ before: number; n: number }>(
          `SELECT coalesce(sum(id <= :item), 0) AS before, count(*) AS n FROM ${itemsSql(kind, blind)}`,
          {
            low: rowId(share.run.id, from),
            high: rowId(share.run.id, to),
            me: person.uuid,
            item: rowId(run.id, step),
          },
        ) ?? { before: 0, n: 0 };
        // Earlier by the order of runs, whichever number the store has given them.
        place += share.run.id === run.id ? row.before : share.run.ulid < run.ulid ? row.n : 0;
        of += row.n;
      }
    }
    return { ...item, place, of };
  }

  private count(person: Author, { run, assigned, pieces }: Share): QueueRun {
    const left = { disagreement: 0, unsure: 0, open: 0, unconfirmed: 0, rest: 0 };
    const counted = { total: 0, decided: 0, blind: 0 };
    for (const { from, to, blind } of pieces) {
      const range = { low: rowId(run.id, from), high: rowId(run.id, to), me: person.uuid };
      const { statements } = this.context;
      const row = statements.get<Record<'total' | 'open' | 'unconfirmed' | 'rest', number>>(
        countSql(blind),
        range,
      );
      const contested = statements.get<{ n: number; mine: number }>(contestedSql, range);
      const found = (kind: QueueClass) => {
        const items = itemsSql(kind, blind);
        if (items === null) return 0;
        return statements.get<{ n: number }>(`SELECT count(*) AS n FROM ${items}`, range)?.n ?? 0;
      };
      const { total = 0, open = 0, unconfirmed = 0, rest = 0 } = row ?? {};
      left.disagreement += found('disagreement');
      left.unsure += found('unsure');
      left.open += open;
      left.unconfirmed += unconfirmed;
      left.rest += rest;
      counted.total += total;
      const others = blind ? 0 : (contested?.n ?? 0) - (contested?.mine ?? 0);
      counted.decided += total - open - unconfirmed - rest - others;
      if (blind) counted.blind += open;
    }
    return { run: run.ulid, title: run.facts.title, assigned, ...counted, left };
  }

  /** Whether there is a step that the person has not decided: the least that any class but disagreements needs. */
  private isDone(person: Author, shares: readonly Share[]): boolean {
    return !shares.some(({ run, pieces }) =>
      pieces.some(
        ({ from, to }) =>
          this.context.statements.get(`SELECT 1 FROM ${undoneSql} LIMIT 1`, {
            low: rowId(run.id, from),
            high: rowId(run.id, to),
            me: person.uuid,
          }) !== undefined,
      ),
    );
  }

  private assignedTo(person: Author): Share[] {
    return this.assignments.runs().flatMap(({ id, ulid }) => {
      const { all, blind } = this.assignments.partOf(id, person);
      if (all.length === 0) return [];
      const row = this.context.statements.get<RunRow>(`${RUN_SELECT} WHERE r.ulid = ?`, ulid);
      if (row === undefined || this.isHalf(parseRun(row))) return [];
      const pieces = [
        ...without(all, blind).map((range) => ({ ...range, blind: false })),
        ...common(all, blind).map((range) => ({ ...range, blind: true })),
      ].sort((a, b) => a.from - b.from);
      return [{ run: parseRun(row), assigned: true, pieces }];
    });
  }

  /** An import that goes on, or was broken off: its steps wait for nobody yet. */
  private isHalf(run: RunRecord): boolean {
    return run.state.status === null && isImported(this.context, run);
  }

  /** The whole of a run to which nobody was assigned, its own steps. */
  private unassigned(ulid: string | null): Share[] {
    if (ulid === null) return [];
    const run = findRun(this.context, ulid);
    if (this.isHalf(run)) return [];
    if (this.assignments.of(run.id).length > 0) return [];
    const piece = { from: (run.facts.parent?.step ?? 0) + 1, to: LAST_SEQ, blind: false };
    return [{ run, assigned: false, pieces: [piece] }];
  }
}

function byRun(a: Share, b: Share): number {
  return a.run.ulid < b.run.ulid ? -1 : 1;
}

/** Steps on the far side of a step, or on the near one with itself. */
function reach(step: number, direction: 1 | -1, beyond: boolean): [number, number] {
  if (direction === 1) return beyond ? [step + 1, LAST_SEQ] : [1, step];
  return beyond ? [1, step - 1] : [step, LAST_SEQ];
}
