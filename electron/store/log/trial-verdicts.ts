import { WaymarkError } from '@shared/contract/errors';
import type { JudgeOp, TriedStep } from '@shared/judging/rubric-trial';
import { annotationOps } from '@shared/log/annotations';
import type { Statements } from '../file/rows';
import { rowSum } from './hashing';

/** What the checksum of a row covers, in this order. */
export const TRIAL_COLUMNS = 'run, rubric, judge, step, verdict';

/** A rubric that a judge tried, by its version. */
export interface TriedBy {
  judge: string;
  rubric: string;
}

/** A verdict of a rubric that is tried, on a step of the run that made it. */
export interface Tried {
  run: string;
  step: number;
  op: JudgeOp;
}

/** Verdicts of rubrics that are tried: no votes, and in no log. To be called inside of transactions. */
export class TrialVerdicts {
  constructor(private readonly statements: Statements) {}

  /** A later verdict by the same judge and rubric takes the place of the earlier one. */
  put(judge: string, { run, step, op }: Tried): void {
    const row = [run, op.rubric, judge, step, JSON.stringify(annotationOps.parse(op))];
    this.statements.run(
      `INSERT OR REPLACE INTO judge_trial (${TRIAL_COLUMNS}, sum) VALUES (?, ?, ?, ?, ?, ?)`,
      ...row,
      rowSum(...row),
    );
  }

  take(run: string, { judge, rubric }: TriedBy, step: number): void {
    this.statements.run(
      'DELETE FROM judge_trial WHERE run = ? AND rubric = ? AND judge = ? AND step = ?',
      ...[run, rubric, judge, step],
    );
  }
}

/** Verdicts on steps `from..` that were made in the run, ascending, at most so many. @throws WaymarkError workspace_corrupt */
export function readTried(
  statements: Statements,
  run: string,
  { judge, rubric }: TriedBy,
  from = 1,
  most = 100_000,
): TriedStep[] {
  const rows = statements.all<{ step: number; verdict: string }>(
    `SELECT step, verdict FROM judge_trial WHERE run = ? AND rubric = ? AND judge = ? AND step >= ? ORDER BY step LIMIT ?`,
    ...[run, rubric, judge, from, most],
  );
  return rows.map(({ step, verdict }) => ({ step, op: opIn(verdict, run, step) }));
}

/** Judges that tried the rubric on steps of the run. */
export function readTriers(statements: Statements, run: string, rubric: string): string[] {
  return statements
    .all<{ judge: string }>(
      'SELECT DISTINCT judge FROM judge_trial WHERE run = ? AND rubric = ?',
      run,
      rubric,
    )
    .map(({ judge }) => judge);
}

/** A row is also what somebody else wrote. */
function opIn(verdict: string, run: string, step: number): JudgeOp {
  let value: unknown;
  try {
    value = JSON.parse(verdict);
  } catch {
    value = undefined; // not what was stored: said below
  }
  const { data } = annotationOps.safeParse(value);
  if (data?.op === 'judge') return data;
  throw new WaymarkError(
    'workspace_corrupt',
    `A tried verdict on step ${step} of run ${run} cannot be read. Run "verify" to see what is affected.`,
  );
}
