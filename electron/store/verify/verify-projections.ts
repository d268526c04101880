import type { VerifyProblem } from '@shared/contract/views';
import { runLockPath } from '../../files/workspace-paths';
import { LAST_SEQ, rowId, type Statements, seqOf } from '../file/rows';
import { isLockHeld } from '../log/run-lock';
import type { PrivateRebuild } from '../projections/private-rebuild';
import type { Rebuild } from '../projections/rebuild';
import type { VerifyContext } from './verify-context';

/** Tables of projections: which rows are one run's, and in what order to walk them. */
const BY_ID = ['step_head', 'note', 'segment', 'query', 'evaluation', 'timing', 'tile'];
const BY_RUN: readonly [string, string][] = [
  ['file_revision', 'computer, path, revision'],
  ['session', 'uid'],
  ['hint', 'ulid'],
  ['mark', 'level, block, annotation'],
  ['gesture', 'annotation'],
];
const ENOUGH = 5;

/** Compares what is stored with what the logs give again, row by row. */
export function compareProjections(
  context: VerifyContext,
  again: PrivateRebuild,
  seq: number,
  where: string,
): VerifyProblem[] {
  const { statements } = context;
  const { rebuild } = again;
  const { run } = rebuild.options;
  const range = [rowId(run, 0), rowId(run, LAST_SEQ)];
  const problems: VerifyProblem[] = [];
  for (const table of BY_ID) {
    const sql = `SELECT * FROM ${table} WHERE id BETWEEN ? AND ? ORDER BY id`;
    problems.push(...compare(statements, again.statements, sql, range, table, where));
  }
  for (const [table, order] of BY_RUN) {
    const sql = `SELECT * FROM ${table} WHERE run = ? ORDER BY ${order}`;
    problems.push(...compare(statements, again.statements, sql, [run], table, where));
  }
  const marks = 'SELECT * FROM rule_mark WHERE step BETWEEN ? AND ? ORDER BY step, rule';
  problems.push(...compare(statements, again.statements, marks, range, 'rule_mark', where));
  return [...problems, ...checkHead(context, rebuild, where), ...checkRules(context, rebuild, seq, where)];
}

function compare(
  stored: Statements,
  again: Statements,
  sql: string,
  parameters: number[],
  table: string,
  where: string,
): VerifyProblem[] {
  const problems: VerifyProblem[] = [];
  const expected = again.db
    .prepare(sql)
    .raw()
    .iterate(...parameters);
  const found = stored.db
    .prepare(sql)
    .raw()
    .iterate(...parameters);
  try {
    for (;;) {
      const right = expected.next();
      const left = found.next();
      if (right.done === true && left.done === true) {
        return problems;
      }
      if (!sameRow(left.value as unknown[] | undefined, right.value as unknown[] | undefined)) {
        const row = (right.value ?? left.value) as unknown[];
        const key = typeof row[0] === 'number' ? String(seqOf(row[0])) : String(row[0]);
        problems.push({
          what: 'projection',
          where: `${where} ${table} ${key}`,
          message: 'This row is not what the log gives.',
        });
      }
      if (problems.length >= ENOUGH) {
        return problems;
      }
    }
  } finally {
    expected.return?.();
    found.return?.();
  }
}

function sameRow(left: unknown[] | undefined, right: unknown[] | undefined): boolean {
  return (
    left !== undefined &&
    right !== undefined &&
    left.length === right.length &&
    left.every((value, index) => Object.is(value, right[index]))
  );
}

function checkHead(context: VerifyContext, rebuild: Rebuild, where: string): VerifyProblem[] {
  const row = context.statements.get<{
    changed_at: number;
    facts: string;
    state: string;
    created_at: number;
    ulid: string;
  }>(
    'SELECT h.changed_at, h.facts, h.state, r.created_at, r.ulid FROM run_head h JOIN run r ON r.id = h.run WHERE r.id = ?',
    rebuild.options.run,
  );
  const same =
    row?.changed_at === rebuild.state.lastAt &&
    row.created_at === rebuild.createdAt &&
    row.facts === JSON.stringify(rebuild.facts) &&
    row.state === JSON.stringify(rebuild.state);
  return same
    ? []
    : [{ what: 'projection', where: `${where} run_head`, message: 'The head is not what the log gives.' }];
}

/** Verdicts reach the head, unless another process is deriving them just now. */
function checkRules(context: VerifyContext, rebuild: Rebuild, seq: number, where: string): VerifyProblem[] {
  const cursor = context.statements.get<{ version: string; seq: number }>(
    'SELECT rule_version AS version, rule_seq AS seq FROM run_head WHERE run = ?',
    rebuild.options.run,
  );
  const buried =
    context.statements.get('SELECT 1 FROM tombstone WHERE run = ?', rebuild.options.run) !== undefined;
  const current = cursor?.version === rebuild.inForce?.version && cursor?.seq === seq;
  return current || buried || isLockHeld(runLockPath(context.folder, rebuild.options.ulid))
    ? []
    : [
        {
          what: 'projection',
          where: `${where} rules`,
          message: 'Rule labels have not reached the end of the log.',
        },
      ];
}
