import { redactState } from '../file/redact';
import { LAST_SEQ, rowId, type Statements } from '../file/rows';
import type { GroupCommit } from '../log/group-commit';

/** Rows that one transaction changes at most: a few milliseconds. */
const BATCH = 400;

const emptied = (table: string, list: string, kept: string) =>
  `json((SELECT json_group_array(json_object('${kept}', value ->> '${kept}', 'text', '')) FROM json_each(${table}.body, '$.${list}')))`;

/** What goes from rows with numbers of the run's own: table, new values, which rows (all unless said). */
const BY_NUMBER: readonly [string, string, string?][] = [
  ['step_head', "title = '', observation = '', bytes = 0"],
  ['query', "query = '', place = ''"],
  ['note', "body = json_set(body, '$.message', '')", "json_extract(body, '$.message') IS NOT NULL"],
  ['timing', "body = json_set(body, '$.message', '')", "json_extract(body, '$.message') IS NOT NULL"],
  ['note', "body = json_set(body, '$.note', '')", "json_extract(body, '$.kind') = 'checkpoint'"],
  [
    'timing',
    `body = json_set(body, '$.added', ${emptied('timing', 'added', 'id')})`,
    "kind = 'branch.began'",
  ],
  [
    'note',
    `body = json_set(body, '$.hints', ${emptied('note', 'hints', 'id')})`,
    "json_extract(body, '$.kind') = 'hint'",
  ],
  [
    'note',
    `body = json_set(body, '$.missing', ${emptied('note', 'missing', 'kind')})`,
    "json_extract(body, '$.kind') = 'summary'",
  ],
];

/** The others: table, its key, new values, and which rows still hold something. */
const BY_RUN: readonly [string, string, string, string][] = [
  ['session', 'uid', 'command = NULL', 'command IS NOT NULL'],
  ['hint', 'ulid', "text = ''", "text <> ''"],
  [
    'outbox',
    'id',
    "purged = 1, body = json_remove(json_replace(body, '$.body.text', '', '$.body.note', ''), '$.body.reason')",
    'purged = 0',
  ],
];

/**
 * Takes the texts out of a run's projections and outbox: what a rebuild from the redacted events gives, without folding
 * them all again. Small transactions; may be repeated.
 */
export async function emptyProjections(
  statements: Statements,
  group: Pick<GroupCommit, 'add'>,
  run: number,
): Promise<void> {
  for (const [table, values, which = '1'] of BY_NUMBER) {
    const update = `UPDATE ${table} SET ${values} WHERE id BETWEEN ? AND ? AND (${which})`;
    const lastOf = `SELECT max(id) AS last FROM (SELECT id FROM ${table} WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ${BATCH})`;
    const end = rowId(run, LAST_SEQ);
    for (let from = rowId(run, 0); ; ) {
      const last = statements.get<{ last: number | null }>(lastOf, from, end)?.last ?? null;
      if (last === null) {
        break;
      }
      const range = [from, last] as const;
      await group.add({ run: () => statements.run(update, ...range) });
      from = last + 1;
    }
  }
  for (const [table, key, values, which] of BY_RUN) {
    const update = `UPDATE ${table} SET ${values} WHERE run = ? AND ${key} IN
      (SELECT ${key} FROM ${table} WHERE run = ? AND ${which} LIMIT ${BATCH})`;
    for (let changes = BATCH; changes === BATCH; ) {
      changes = await group.add({ run: () => statements.run(update, run, run).changes });
    }
  }
  await group.add({ run: () => emptyState(statements, run) });
}

function emptyState(statements: Statements, run: number): void {
  const row = statements.get<{ state: string }>('SELECT state FROM run_head WHERE run = ?', run);
  if (row !== undefined) {
    const state = JSON.stringify(redactState(JSON.parse(row.state)));
    statements.run('UPDATE run_head SET state = ? WHERE run = ?', state, run);
  }
}
