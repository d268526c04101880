import type { StepRange } from '@shared/contract/step-range';
import type { AnnotationEntry } from '@shared/log/annotations';
import { RowInsert } from '../file/row-insert';
import type { Statements } from '../file/rows';

/** Ranges are indexed by aligned power-of-two blocks, as in a segment tree: a range of any length is few rows. */
const LEVELS = 24;

/** The fewest aligned blocks that make up steps `from..to`. */
export function coveringBlocks(from: number, to: number): { level: number; block: number }[] {
  const blocks: { level: number; block: number }[] = [];
  for (let at = from; at <= to; ) {
    let level = 0;
    while (level < LEVELS - 1 && at % 2 ** (level + 1) === 0 && at + 2 ** (level + 1) - 1 <= to) {
      level += 1;
    }
    blocks.push({ level, block: at / 2 ** level });
    at += 2 ** level;
  }
  return blocks;
}

/** Entries whose JSON is kept parsed: those under thousands of steps are asked for again and again. */
const KEPT_CHARACTERS = 16 * 1024 * 1024;
/** Up to so many entries are asked for one by one. */
const FEW_ENTRIES = 4;

/** Index from steps to the annotation entries whose target contains them. */
export class RangeIndex {
  private readonly kept = new Map<number, AnnotationEntry>();
  private characters = 0;
  private readonly marks: RowInsert;

  constructor(private readonly statements: Statements) {
    const into = 'INSERT OR IGNORE INTO mark (run, level, block, annotation)';
    this.marks = new RowInsert(statements, into, '(?, ?, ?, ?)', 4);
  }

  /** `parts`: the pieces of the entry's target. */
  add(annotation: number, run: number, parts: readonly StepRange[]): void {
    this.addAll(run, [{ annotation, parts }]);
  }

  /** Many entries about one run. */
  addAll(run: number, entries: readonly { annotation: number; parts: readonly StepRange[] }[]): void {
    const rows: number[] = [];
    for (const { annotation, parts } of entries) {
      for (const { from, to } of parts) {
        for (const { level, block } of coveringBlocks(from, to)) rows.push(run, level, block, annotation);
      }
    }
    this.marks.run(rows);
  }

  /** The entry was just stored and will be asked for at once. */
  remember(annotation: number, entry: AnnotationEntry, characters: number): void {
    if (this.characters > KEPT_CHARACTERS) {
      this.forget();
    }
    this.kept.set(annotation, entry);
    this.characters += characters;
  }

  /** Entries that were read in a transaction may be gone, and their numbers another's. */
  forget(): void {
    this.kept.clear();
    this.characters = 0;
  }

  /** Entries that speak of one of these steps, in the order they were stored. `parts` ascending and disjoint. */
  overlapping(run: number, parts: readonly StepRange[]): AnnotationEntry[] {
    const ids = new Set<number>();
    const find = this.statements
      .prepare('SELECT annotation FROM mark WHERE run = ? AND level = ? AND block BETWEEN ? AND ?')
      .pluck();
    for (const level of this.levels(run)) {
      let before = -1;
      for (const { from, to } of parts) {
        const first = Math.max(before + 1, Math.floor(from / 2 ** level));
        const last = Math.floor(to / 2 ** level);
        if (first <= last) {
          for (const id of find.all(run, level, first, last)) {
            ids.add(id as number);
          }
          before = last;
        }
      }
    }
    const sorted = [...ids].sort((a, b) => a - b);
    this.load(sorted.filter((id) => !this.kept.has(id)));
    return sorted.flatMap((id) => this.entry(id) ?? []);
  }

  /** Sizes of blocks that the run's entries have: seldom more than a few of the many possible ones. */
  private levels(run: number): number[] {
    const levels: number[] = [];
    const next = this.statements.prepare('SELECT min(level) FROM mark WHERE run = ? AND level > ?').pluck();
    for (let level = next.get(run, -1); typeof level === 'number'; level = next.get(run, level)) {
      levels.push(level);
    }
    return levels;
  }

  /** Reads many at once; `entry` then finds them, or asks one by one for what no longer fits. */
  private load(ids: readonly number[]): void {
    if (ids.length <= FEW_ENTRIES) {
      return;
    }
    const rows = this.statements
      .prepare(
        'SELECT a.id, a.body FROM json_each(?) j JOIN annotation a ON a.id = j.value WHERE a.purged = 0',
      )
      .raw()
      .all(JSON.stringify(ids)) as [id: number, body: string][];
    for (const [id, body] of rows) {
      this.remember(id, JSON.parse(body) as AnnotationEntry, body.length);
    }
  }

  private entry(id: number): AnnotationEntry | undefined {
    const known = this.kept.get(id);
    if (known !== undefined) {
      return known;
    }
    const row = this.statements.get<{ body: string }>(
      'SELECT body FROM annotation WHERE id = ? AND purged = 0',
      id,
    );
    if (row === undefined) {
      return undefined;
    }
    const entry = JSON.parse(row.body) as AnnotationEntry;
    this.remember(id, entry, row.body.length);
    return entry;
  }
}
