import type { Statements } from '../file/rows';

/**
 * Remembers that a person does not want a hint's proposal again. In no log: it decides nothing about a step, and losing it costs a
 * second look. `author`: uuid. Inside a transaction.
 */
export function dismissRetroMask(statements: Statements, run: number, hint: string, author: string): void {
  statements.run('INSERT OR IGNORE INTO retro_seen (run, hint, author) VALUES (?, ?, ?)', run, hint, author);
}
