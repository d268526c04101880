import type { AnnotationEntry } from '@shared/annotations';
import type { Statements } from './rows';

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

const OVERLAP = `SELECT a.id, a.body FROM annotation a WHERE a.purged = 0 AND a.id IN (${Array.from(
  { length: LEVELS },
  (_, level) =>
    `SELECT annotation FROM mark WHERE run = :run AND level = ${level} AND block BETWEEN :from >> ${level} AND :to >> ${level}`,
).join(' UNION ALL ')}) ORDER BY a.id`;

/** Index from steps to the annotation entries whose target contains them. */
export class RangeIndex {
  constructor(private readonly statements: Statements) {}

  add(annotation: number, run: number, from: number, to: number): void {
    for (const { level, block } of coveringBlocks(from, to)) {
      this.statements.run(
        'INSERT OR IGNORE INTO mark (run, level, block, annotation) VALUES (?, ?, ?, ?)',
        run,
        level,
        block,
        annotation,
      );
    }
  }

  /** Entries whose target overlaps steps `from..to`, in the order they were stored. */
  overlapping(run: number, from: number, to: number): AnnotationEntry[] {
    const rows = this.statements.all<{ body: string }>(OVERLAP, { run, from, to });
    return rows.map(({ body }) => JSON.parse(body) as AnnotationEntry);
  }
}
