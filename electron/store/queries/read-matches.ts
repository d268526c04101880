import type { StepQuery } from '@shared/contract/step-query';
import { looksAt } from '@shared/shell/shell-command';
import { LAST_SEQ, rowId, seqOf } from '../file/rows';
import { type OwnedSteps, ownersOf } from '../log/run-owners';
import { HeadFlag, markFlags } from '../projections/fold-rows';
import { findRun, type ReadContext, type RunRecord } from './read-context';

/** A query, and the steps of the run that its `text` finds (null when it has none): the search index is kept elsewhere. */
export interface AskedSteps {
  query: StepQuery;
  found: readonly number[] | null;
}

interface Condition {
  sql: string;
  parameters: (string | number)[];
}

const EVERY: Condition = { sql: '1', parameters: [] };

/** Numbers of all steps that match, ascending; a branch's inherited steps are looked for where they were made. */
export function matchingSteps(context: ReadContext, ulid: string, asked: AskedSteps): number[] {
  return owners(context, ulid).flatMap((owned) => {
    const condition = conditionFor(context, owned, asked);
    return context.statements
      .prepare(`SELECT id & ${LAST_SEQ} FROM ${source(condition)} ORDER BY id`)
      .pluck()
      .all(...rangeOf(owned), ...condition.parameters) as number[];
  });
}

export function countMatches(context: ReadContext, ulid: string, asked: AskedSteps): number {
  return owners(context, ulid).reduce(
    (sum, owned) => sum + countIn(context, owned, conditionFor(context, owned, asked)),
    0,
  );
}

/** The nearest step from `from` on in `direction` for which one of the queries holds, and for how many steps one does. */
export function nearestMatch(
  context: ReadContext,
  ulid: string,
  asked: readonly AskedSteps[],
  from: number,
  direction: 1 | -1,
): { step: number | null; total: number } {
  const owned = owners(context, ulid);
  let step: number | null = null;
  let total = 0;
  for (const each of direction === 1 ? owned : owned.reverse()) {
    const condition = anyOf(asked.map((one) => conditionFor(context, each, one)));
    total += countIn(context, each, condition);
    const [low, high] =
      direction === 1 ? [Math.max(from, each.from), each.to] : [each.from, Math.min(from, each.to)];
    if (step !== null || low > high) continue;
    const row = context.statements.get<{ id: number }>(
      `SELECT id FROM ${source(condition)} ORDER BY id ${direction === 1 ? 'ASC' : 'DESC'} LIMIT 1`,
      ...rangeOf({ ...each, from: low, to: high }),
      ...condition.parameters,
    );
    step = row === undefined ? null : seqOf(row.id);
  }
  return { step, total };
}

type KeptSteps = OwnedSteps & { run: RunRecord };

/** A run of so many steps is looked through from pages that are kept: fetching them anew took a fifth of the time of each question. */
const LONG_RUN = 50_000;
/** The filters' index of 250,000 steps, KiB. Few processes ever ask about a run that long, so only they keep so much. */
const LONG_CACHE_KIB = 16 * 1024;

function keepPages({ statements: { db } }: ReadContext, owned: readonly KeptSteps[]): void {
  const most = Math.max(0, ...owned.map(({ run, from, to }) => Math.min(to, run.state.steps) - from + 1));
  if (most > LONG_RUN) db.pragma(`cache_size = -${LONG_CACHE_KIB}`);
}

/** Stretches of the run's steps by the run that holds them; those of a removed run have no rows. */
function owners(context: ReadContext, ulid: string): KeptSteps[] {
  const kept = ownersOf(context, findRun(context, ulid), 1, LAST_SEQ).flatMap((owned) =>
    owned.run === null ? [] : [{ ...owned, run: owned.run }],
  );
  keepPages(context, kept);
  return kept;
}

function rangeOf({ run, from, to }: KeptSteps): [number, number] {
  return [rowId(run.id, from), rowId(run.id, to)];
}

/** Everything a condition names is in the index; the planner would rather read the rows for some. */
function source({ sql }: Condition): string {
  return `step_head INDEXED BY step_filter WHERE id BETWEEN ? AND ? AND (${sql})`;
}

function countIn(context: ReadContext, owned: KeptSteps, condition: Condition): number {
  const row = context.statements.get<{ n: number }>(
    `SELECT count(*) AS n FROM ${source(condition)}`,
    ...rangeOf(owned),
    ...condition.parameters,
  );
  return row?.n ?? 0;
}

function allOf(conditions: readonly Condition[]): Condition {
  return join(conditions, ' AND ');
}

function anyOf(conditions: readonly Condition[]): Condition {
  return join(conditions, ' OR ');
}

function join(conditions: readonly Condition[], word: string): Condition {
  if (conditions.length === 0) return EVERY;
  return {
    sql: conditions.map(({ sql }) => `(${sql})`).join(word),
    parameters: conditions.flatMap(({ parameters }) => parameters),
  };
}

const labelCodes = { undecided: 0, train: 1, mask: 2 } as const;

function conditionFor(context: ReadContext, owned: KeptSteps, { query, found }: AskedSteps): Condition {
  const { label, source: sources, marks, rule, tool, computer, kind, error, hint, file, from, to } = query;
  const conditions: Condition[] = [];
  const add = (sql: string, ...parameters: (string | number)[]) => conditions.push({ sql, parameters });
  // Whole numbers first: each row is dropped by the cheapest test that does not hold.
  if (label !== undefined) add(`label IN (${label.map((each) => labelCodes[each]).join()})`);
  if (marks !== undefined) {
    const bits = marks.reduce((sum, mark) => sum | markFlags[mark], 0);
    add(`label_flags & ${bits}`);
  }
  if (error !== undefined) add(`flags & ${HeadFlag.error} = ${error ? HeadFlag.error : 0}`);
  if (hint !== undefined) add(`flags & ${HeadFlag.hint} = ${hint ? HeadFlag.hint : 0}`);
  if (sources !== undefined) {
    const named = sources.filter((each) => each !== 'none');
    const none = named.length < sources.length ? ' OR label_source IS NULL' : '';
    add(`label_source IN (${placesFor(named)})${none}`, ...named);
  }
  for (const [column, values] of [
    ['tool', tool],
    ['computer', computer],
    ['kind', kind],
  ] as const) {
    if (values !== undefined) add(`${column} IN (${placesFor(values)})`, ...values);
  }
  if (rule !== undefined) {
    const [low, high] = rangeOf(owned);
    add(
      `id IN (SELECT step FROM rule_mark WHERE rule IN (${placesFor(rule)}) AND step BETWEEN ? AND ?)`,
      ...rule,
      low,
      high,
    );
  }
  if (file !== undefined) add(IN_LIST, JSON.stringify(stepsOfFile(context, owned, file)));
  if (found !== null) add(IN_LIST, JSON.stringify(found));
  if (from !== undefined) add('id >= ?', rowId(owned.run.id, from));
  if (to !== undefined) add('id <= ?', rowId(owned.run.id, to));
  return allOf(conditions);
}

/** Step numbers as a JSON array: one parameter for any length. */
const IN_LIST = `id & ${LAST_SEQ} IN (SELECT value FROM json_each(?))`;

function placesFor(values: readonly unknown[]): string {
  return values.map(() => '?').join();
}

/** Actions whose title is the path of the file they show. */
const viewers = new Set(['open_file', 'file_goto_line', 'get_file_info', 'search_file']);

/**
 * Steps that changed a file with `part` in its path, or looked at one as far as their titles tell: those of actions that
 * show files, and commands that print them. Case does not matter.
 */
function stepsOfFile(context: ReadContext, { run, from, to }: KeptSteps, part: string): number[] {
  const wanted = part.toLowerCase();
  const changed = context.statements
    .prepare(
      'SELECT DISTINCT step FROM file_revision WHERE run = ? AND step BETWEEN ? AND ? AND instr(lower(path), ?) > 0',
    )
    .pluck()
    .all(run.id, from, to, wanted) as number[];
  // Titles leave the workspace's root out.
  const root = `${run.state.root.toLowerCase()}/`;
  const titled = wanted.startsWith(root) ? wanted.slice(root.length) : wanted;
  const named = context.statements.all<{ id: number; tool: string; title: string }>(
    "SELECT id, tool, title FROM step_head WHERE id BETWEEN ? AND ? AND kind = 'act' AND instr(lower(title), ?) > 0",
    rowId(run.id, from),
    rowId(run.id, to),
    titled,
  );
  const looked = named.filter(
    ({ tool, title }) =>
      viewers.has(tool) ||
      (tool === 'run_command' && looksAt(title).some((path) => path.toLowerCase().includes(titled))),
  );
  return [...changed, ...looked.map(({ id }) => seqOf(id))];
}
