import type { StepFacets } from '@shared/contract/ipc/timeline';
import { rowId } from '../file/rows';
import { ownersOf } from '../log/run-owners';
import { findRun, type ReadContext } from './read-context';

/** Values that are worth listing, per kind. */
const MAX_VALUES = 500;
/** Steps that are counted between two turns of other reads. */
const PIECE = 16_384;

const BY_PLACE = `SELECT tool, computer, count(*) AS n FROM step_head INDEXED BY step_filter
  WHERE id BETWEEN ? AND ? GROUP BY tool, computer`;
const NEXT_RULE = 'SELECT min(rule) AS rule FROM rule_mark WHERE rule > ?';
const BY_RULE = 'SELECT count(*) AS n FROM rule_mark WHERE rule = ? AND step BETWEEN ? AND ?';

/** Tools, rules and computers of a run's steps with how many steps have each, the most frequent first; inherited steps included. */
export async function readFacets(context: ReadContext, ulid: string): Promise<StepFacets> {
  const { statements } = context;
  const tools = new Counts();
  const rules = new Counts();
  const computers = new Counts();
  const run = findRun(context, ulid);
  for (const { run: owner, from, to } of ownersOf(context, run, 1, run.state.steps)) {
    if (owner === null) continue;
    for (let first = from; first <= to; first += PIECE) {
      const last = Math.min(to, first + PIECE - 1);
      const rows = statements.all<{ tool: string; computer: string; n: number }>(
        BY_PLACE,
        rowId(owner.id, first),
        rowId(owner.id, last),
      );
      for (const { tool, computer, n } of rows) {
        tools.add(tool, n);
        computers.add(computer, n);
      }
      await new Promise((resolve) => setImmediate(resolve));
    }
    const range = [rowId(owner.id, from), rowId(owner.id, to)];
    for (let rule = ''; ; ) {
      rule = statements.get<{ rule: string | null }>(NEXT_RULE, rule)?.rule ?? '';
      if (rule === '') break;
      rules.add(rule, statements.get<{ n: number }>(BY_RULE, rule, ...range)?.n ?? 0);
    }
  }
  return { tools: tools.sorted(), rules: rules.sorted(), computers: computers.sorted() };
}

class Counts {
  private readonly counts = new Map<string, number>();

  add(value: string, n: number): void {
    if (value !== '' && n > 0) this.counts.set(value, (this.counts.get(value) ?? 0) + n);
  }

  sorted(): { value: string; count: number }[] {
    return [...this.counts]
      .map(([value, count]) => ({ value, count }))
      .sort((a, b) => b.count - a.count || a.value.localeCompare(b.value, 'en'))
      .slice(0, MAX_VALUES);
  }
}
