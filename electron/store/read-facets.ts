import type { StepFacets } from '@shared/ipc/timeline';
import { LAST_SEQ, rowId } from './ids';
import { findRun, type ReadContext } from './read-context';
import { ownersOf } from './run-owners';

/** Values that are worth listing, per kind. */
const MAX_VALUES = 500;

/** Tools, rules and computers of a run's steps with how many steps have each, the most frequent first; inherited steps included. */
export function readFacets(context: ReadContext, ulid: string): StepFacets {
  const tools = new Counts();
  const rules = new Counts();
  const computers = new Counts();
  for (const { run, from, to } of ownersOf(context, findRun(context, ulid), 1, LAST_SEQ)) {
    if (run === null) continue;
    const count = (sql: string) =>
      context.statements.all<{ value: string; n: number }>(sql, rowId(run.id, from), rowId(run.id, to));
    tools.add(count(BY_TOOL));
    computers.add(count(BY_COMPUTER));
    rules.add(count(BY_RULE));
  }
  return { tools: tools.sorted(), rules: rules.sorted(), computers: computers.sorted() };
}

const HEADS = 'FROM step_head INDEXED BY step_filter WHERE id BETWEEN ? AND ?';
const BY_TOOL = `SELECT tool AS value, count(*) AS n ${HEADS} AND tool <> '' GROUP BY tool`;
const BY_COMPUTER = `SELECT computer AS value, count(*) AS n ${HEADS} AND computer <> '' GROUP BY computer`;
const BY_RULE = 'SELECT rule AS value, count(*) AS n FROM rule_mark WHERE step BETWEEN ? AND ? GROUP BY rule';

class Counts {
  private readonly counts = new Map<string, number>();

  add(rows: readonly { value: string; n: number }[]): void {
    for (const { value, n } of rows) this.counts.set(value, (this.counts.get(value) ?? 0) + n);
  }

  sorted(): { value: string; count: number }[] {
    return [...this.counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || a.value.localeCompare(b.value, 'en'))
      .slice(0, MAX_VALUES);
  }
}
