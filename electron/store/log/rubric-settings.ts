import { WaymarkError } from '@shared/contract/errors';
import { MOST_RUBRIC_BYTES, type StoredRubric } from '@shared/judging/rubric-text';
import type { Statements } from '../file/rows';
import { rowSum } from './hashing';

/** What the checksum of a row covers, in this order. */
export const RUBRIC_COLUMNS = 'task, text, at, author';

/** A text is not read into memory before it is known to be one: a row is also what somebody else wrote. */
const READ = `SELECT task, at, author, iif(octet_length(text) > ${MOST_RUBRIC_BYTES}, NULL, text) AS text FROM rubric_setting`;

interface Row extends Omit<StoredRubric, 'text'> {
  text: string | null;
}

/** The rubric that is kept for a task; null: none, so that the application's own holds. @throws WaymarkError workspace_corrupt */
export function readRubric(statements: Statements, task: string): StoredRubric | null {
  const row = statements.get<Row>(`${READ} WHERE task = ?`, task);
  return row === undefined ? null : rubricIn(row);
}

/** Those that are kept for some of the tasks. @throws WaymarkError workspace_corrupt */
export function readRubricsOf(statements: Statements, tasks: readonly string[]): StoredRubric[] {
  const asked = new Set(tasks);
  // Tasks without one cost nothing: there are as many rows as rubrics.
  const kept = statements.all<{ task: string }>('SELECT task FROM rubric_setting ORDER BY task');
  return kept.flatMap(({ task }) => (asked.has(task) ? (readRubric(statements, task) ?? []) : []));
}

/**
 * Keeps a text for a task; null goes back to the application's own. `before`: the text that the person had seen kept, null for none;
 * undefined: whatever it is. To be called inside of a transaction. @throws WaymarkError conflict: another text is kept meanwhile
 */
export function writeRubric(
  statements: Statements,
  { task, text, at, author }: Omit<StoredRubric, 'text'> & { text: string | null },
  before?: string | null,
): void {
  if (before !== undefined) {
    const kept = statements.get<Row>(`${READ} WHERE task = ?`, task);
    if ((kept?.text ?? null) !== before) throw changedMeanwhile(task, kept?.author ?? null);
  }
  if (text === null) {
    statements.run('DELETE FROM rubric_setting WHERE task = ?', task);
    return;
  }
  const row = [task, text, Math.round(at), author] as const;
  statements.run(
    `INSERT OR REPLACE INTO rubric_setting (${RUBRIC_COLUMNS}, sum) VALUES (?, ?, ?, ?, ?)`,
    ...row,
    rowSum(...row),
  );
}

function changedMeanwhile(task: string, author: string | null): WaymarkError {
  const what = author === null ? 'was reset to the built-in text' : `was changed by ${author}`;
  return new WaymarkError(
    'conflict',
    `The rubric of task ${task} ${what} in the meantime. Nothing was saved. Compare your text with that one before you save again.`,
  );
}

function rubricIn({ task, text, at, author }: Row): StoredRubric {
  if (text !== null && text.trim() !== '') return { task, text, at, author };
  throw new WaymarkError(
    'workspace_corrupt',
    `The rubric of task ${task} cannot be read. Save it again, or reset it to the built-in text.`,
  );
}
