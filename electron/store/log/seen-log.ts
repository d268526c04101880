import type { Statements } from '../file/rows';

/**
 * Up to where each person has looked at each run. A bookmark, in no log: it only ever moves forward, and losing it costs
 * a second look.
 */
export class SeenLog {
  constructor(private readonly statements: Statements) {}

  /** `author`: uuid of the person. `seq`: last event they had in view. Inside a transaction. */
  mark(run: number, author: string, seq: number, at: number): void {
    this.statements.run(
      `INSERT INTO seen (run, author, seq, at) VALUES (?, ?, ?, ?)
       ON CONFLICT (run, author) DO UPDATE SET seq = max(seq, excluded.seq), at = max(at, excluded.at)`,
      run,
      author,
      seq,
      at,
    );
  }

  /** A look that began at `at` has lasted `ms` by now. Told again, it only ever grows. Inside a transaction. */
  look(run: number, author: string, { at, ms }: Look): void {
    this.statements.run(
      `INSERT INTO look (run, author, at, ms) VALUES (?, ?, ?, ?)
       ON CONFLICT (run, author, at) DO UPDATE SET ms = max(ms, excluded.ms)`,
      run,
      author,
      at,
      ms,
    );
  }
}

/** A stretch of time in which a person had a run before them: when it began (wall-clock ms), and how long it has lasted (ms). */
export interface Look {
  at: number;
  ms: number;
}

/**
 * Remembers that a person does not want a hint's proposal again. In no log: it decides nothing about a step, and losing it costs a
 * second look. `author`: uuid. Inside a transaction.
 */
export function dismissRetroMask(statements: Statements, run: number, hint: string, author: string): void {
  statements.run('INSERT OR IGNORE INTO retro_seen (run, hint, author) VALUES (?, ?, ?)', run, hint, author);
}
