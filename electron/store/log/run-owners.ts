import { parseRun, type ReadContext, RUN_SELECT, type RunRecord, type RunRow } from '../queries/read-context';

/** Steps `from..to` of a branch belong to `ulid`; `run` is null when that run was removed. */
export interface OwnedSteps {
  ulid: string;
  run: RunRecord | null;
  from: number;
  to: number;
}

/** No family is deeper; a log that says so leads in a circle. */
const MAX_DEPTH = 10_000;

/** Whose the steps `from..to` are, ascending: those up to the branch point are the parent's, and so on upwards. */
export function ownersOf(context: ReadContext, run: RunRecord, from: number, to: number): OwnedSteps[] {
  const owned: OwnedSteps[] = [];
  let owner: { ulid: string; run: RunRecord | null } = { ulid: run.ulid, run };
  for (let last = to, depth = 0; from <= last && depth < MAX_DEPTH; depth += 1) {
    const parent: { run: string; step: number } | null = owner.run?.facts.parent ?? null;
    const first = Math.max(from, (parent?.step ?? 0) + 1);
    if (first <= last) {
      owned.unshift({ ...owner, from: first, to: last });
    }
    if (parent === null) break;
    last = Math.min(last, parent.step);
    owner = { ulid: parent.run, run: runOrNull(context, parent.run) };
  }
  return owned;
}

/** Null when the run was removed. */
export function runOrNull(context: ReadContext, ulid: string): RunRecord | null {
  const row = context.statements.get<RunRow>(`${RUN_SELECT} WHERE r.ulid = ?`, ulid);
  return row === undefined ? null : parseRun(row);
}
