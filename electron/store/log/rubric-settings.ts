import { WaymarkError } from '@shared/contract/errors';
import {
  MOST_RUBRIC_BYTES,
  type RubricKind,
  rubricKinds,
  type StoredRubric,
} from '@shared/judging/rubric-text';
import type { Statements } from '../file/rows';
import { rowSum } from './hashing';

/** Where those of each kind are kept. */
const RUBRIC_TABLES = { steps: 'rubric_setting', summaries: 'summary_rubric' } as const satisfies Record<
  RubricKind,
  string
>;
/** What the checksum of a row covers, in this order. */
export const RUBRIC_COLUMNS = 'task, text, at, author';

/** A text is not read into memory before it is known to be one: a row is also what somebody else wrote. */
const readOf = (kind: RubricKind) =>
  `SELECT task, at, author, iif(octet_length(text) > ${MOST_RUBRIC_BYTES}, NULL, text) AS text FROM ${RUBRIC_TABLES[kind]} WHERE task = ?`;

/** `text` null: the application's own holds again. */
export interface NewRubric extends Omit<StoredRubric, 'text' | 'at'> {
  text: string | null;
}

interface Row extends Omit<StoredRubric, 'text' | 'kind'> {
  text: string | null;
}

/** The rubric that is kept for a task; null: none, so that the application's own holds. @throws WaymarkError workspace_corrupt */
export function readRubric(statements: Statements, task: string, kind: RubricKind): StoredRubric | null {
  const row = statements.get<Row>(readOf(kind), task);
  return row === undefined ? null : rubricIn(row, kind);
}

/** Those that are kept for some of the tasks. @throws WaymarkError workspace_corrupt */
export function readRubricsOf(statements: Statements, tasks: readonly string[]): StoredRubric[] {
  const asked = new Set(tasks);
  // Tasks without one cost nothing: there are as many rows as rubrics.
  return rubricKinds.flatMap((kind) => {
    const kept = statements.all<{ task: string }>(`SELECT task FROM ${RUBRIC_TABLES[kind]} ORDER BY task`);
    return kept.flatMap(({ task }) => (asked.has(task) ? (readRubric(statements, task, kind) ?? []) : []));
  });
}

/**
 * Keeps a text for a task; null goes back to the application's own. `before`: the text that the person had seen kept, null for none;
 * undefined: whatever it is. To be called inside of a transaction. @throws WaymarkError conflict: another text is kept meanwhile
 */
export function writeRubric(
  statements: Statements,
  { task, kind, text, at, author }: NewRubric & Pick<StoredRubric, 'at'>,
  before?: string | null,
): void {
  if (before !== undefined) {
    const kept = statements.get<Row>(readOf(kind), task);
    if ((kept?.text ?? null) !== before) throw changedMeanwhile(nameOf(task, kind), kept?.author ?? null);
  }
  if (text === null) {
    statements.run(`DELETE FROM ${RUBRIC_TABLES[kind]} WHERE task = ?`, task);
    return;
  }
  const row = [task, text, Math.round(at), author] as const;
  statements.run(
    `INSERT OR REPLACE INTO ${RUBRIC_TABLES[kind]} (${RUBRIC_COLUMNS}, sum) VALUES (?, ?, ?, ?, ?)`,
    ...row,
    rowSum(...row),
  );
}

const nameOf = (task: string, kind: RubricKind) =>
  kind === 'steps' ? `The rubric of task ${task}` : `The rubric for summaries of task ${task}`;

function changedMeanwhile(rubric: string, author: string | null): WaymarkError {
  const what = author === null ? 'was reset to the built-in text' : `was changed by ${author}`;
  return new WaymarkError(
    'conflict',
    `${rubric} ${what} in the meantime. Nothing was saved. Compare your text with that one before you save again.`,
  );
}

function rubricIn({ task, text, at, author }: Row, kind: RubricKind): StoredRubric {
  if (text !== null && text.trim() !== '') return { task, kind, text, at, author };
  throw new WaymarkError(
    'workspace_corrupt',
    `${nameOf(task, kind)} cannot be read. Save it again, or reset it to the built-in text.`,
  );
}
