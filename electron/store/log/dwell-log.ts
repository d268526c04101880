import type { TimedDecision } from '@shared/labels/review/pace';
import { queueClasses } from '@shared/labels/review/queue-views';
import type { Statements } from '../file/rows';

/** Newest decisions that a person's pace is made of. */
const MOST = 20_000;

/**
 * How long people had steps before them. In no log: it stays in this workspace, and only the person themselves is shown it.
 */
export class DwellLog {
  constructor(private readonly statements: Statements) {}

  /** Inside a transaction. A step decided again counts with its latest look. */
  keep(run: number, author: string, { step, ms, at, class: kind, agreed }: Omit<TimedDecision, 'run'>): void {
    this.statements.run(
      `INSERT INTO dwell (run, step, author, ms, visits, class, agreed, at) VALUES (?, ?, ?, ?, 1, ?, ?, ?)
       ON CONFLICT (run, step, author) DO UPDATE SET ms = excluded.ms, visits = visits + 1, class = excluded.class,
         agreed = excluded.agreed, at = excluded.at`,
      run,
      step,
      author,
      ms,
      kind ?? '',
      agreed ? 1 : 0,
      at,
    );
  }
}

interface DwellRow {
  run: string;
  step: number;
  ms: number;
  class: string;
  agreed: number;
  at: number;
}

/** One person's own, the newest first. */
export function readDwell(statements: Statements, author: string): TimedDecision[] {
  return statements
    .all<DwellRow>(
      `SELECT r.ulid AS run, d.step, d.ms, d.class, d.agreed, d.at FROM dwell d JOIN run r ON r.id = d.run
       WHERE d.author = ? ORDER BY d.at DESC LIMIT ${MOST}`,
      author,
    )
    .map((row) => ({
      ...row,
      class: queueClasses.find((each) => each === row.class) ?? null,
      agreed: row.agreed !== 0,
    }));
}
