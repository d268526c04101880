import { decisionsFor, foldAnnotations, noDecisions, type StepDecisions } from '@shared/annotation-fold';
import type { EffectiveLabel, MachinePrecedence, RuleVerdict } from '@shared/labels';
import { judgesInShort, stepOpinion } from '@shared/step-marks';
import type { StepRange } from '@shared/step-range';
import { LabelFlag, markFlags } from './fold-rows';
import { rowId, seqOf } from './ids';
import { RangeIndex } from './range-index';
import type { Statements } from './rows';

const SET = `UPDATE step_head SET label = ?, label_flags = ?, label_source = ?, label_reason = ?, rules = ?, authors = ?,
  decided = ?, judge = ?, comments = ? WHERE id BETWEEN ? AND ?`;

interface Place {
  run: number;
  precedence: MachinePrecedence;
}

/** Columns of steps that lie side by side, not written yet. */
interface OpenUpdate {
  columns: (string | number | null)[];
  first: number;
  last: number;
}

/** Label columns of step heads: what people, judges and rules say, combined by the pure functions of shared/. */
export class LabelProjection {
  readonly ranges: RangeIndex;
  private open: OpenUpdate | null = null;

  /** `precedenceOf`: how machine opinions meet in a run, by its number. */
  constructor(
    private readonly statements: Statements,
    readonly precedenceOf: (run: number) => MachinePrecedence = (run) => storedPrecedence(statements, run),
  ) {
    this.ranges = new RangeIndex(statements);
  }

  verdicts(run: number, from: number, to: number): Map<number, RuleVerdict[]> {
    const rows = this.statements.all<{ step: number; verdict: string }>(
      'SELECT step, verdict FROM rule_mark WHERE step BETWEEN ? AND ? ORDER BY step, rule',
      rowId(run, from),
      rowId(run, to),
    );
    const found = new Map<number, RuleVerdict[]>();
    for (const { step, verdict } of rows) {
      const list = found.get(seqOf(step)) ?? [];
      list.push(JSON.parse(verdict) as RuleVerdict);
      found.set(seqOf(step), list);
    }
    return found;
  }

  /** What people and judges say about one step. */
  decisions(run: number, step: number): StepDecisions {
    return decisionsFor(this.ranges.overlapping(run, [{ from: step, to: step }]), step);
  }

  /** Recomputes one step. */
  refresh(run: number, step: number): void {
    const rules = this.verdicts(run, step, step).get(step) ?? [];
    const place = { run, precedence: this.precedenceOf(run) };
    this.write(place, step, step, this.decisions(run, step), rules);
    this.flush();
  }

  /** Recomputes steps `from..to`. Steps that the same entries speak about and no rule are one UPDATE. */
  refreshRange(run: number, from: number, to: number): void {
    this.refreshParts(run, [{ from, to }]);
  }

  /** As `refreshRange`, for pieces that lie apart: ascending and disjoint. */
  refreshParts(run: number, parts: readonly StepRange[]): void {
    const { ranges } = foldAnnotations(this.ranges.overlapping(run, parts), parts);
    const place = { run, precedence: this.precedenceOf(run) };
    let next = 0;
    for (const { from, to } of parts) {
      const verdicts = this.verdicts(run, from, to);
      let start = from;
      for (let range = ranges[next]; range !== undefined && range.from <= to; range = ranges[next]) {
        this.refreshPiece(place, start, range.from - 1, noDecisions, verdicts);
        this.refreshPiece(place, range.from, range.to, range.decisions, verdicts);
        start = range.to + 1;
        next += 1;
      }
      this.refreshPiece(place, start, to, noDecisions, verdicts);
    }
    this.flush();
  }

  /** Steps about which people and judges say the same. */
  private refreshPiece(
    place: Place,
    from: number,
    to: number,
    decisions: StepDecisions,
    verdicts: ReadonlyMap<number, RuleVerdict[]>,
  ): void {
    let start = from;
    for (let step = from; step <= to && verdicts.size > 0; step += 1) {
      const rules = verdicts.get(step);
      if (rules === undefined) {
        continue;
      }
      if (step > start) {
        this.write(place, start, step - 1, decisions, []);
      }
      this.write(place, step, step, decisions, rules);
      start = step + 1;
    }
    if (start <= to) {
      this.write(place, start, to, decisions, []);
    }
  }

  private write(
    { run, precedence }: Place,
    from: number,
    to: number,
    decisions: StepDecisions,
    rules: RuleVerdict[],
  ): void {
    const { effective, marks } = stepOpinion(decisions, rules, precedence);
    const { humans } = decisions;
    const judge = judgesInShort(decisions);
    const columns = [
      labelCode(effective),
      marks.reduce((bits, mark) => bits | markFlags[mark], humans.length > 0 ? LabelFlag.decided : 0),
      effective.source,
      effective.reason,
      JSON.stringify(rules.map(({ rule }) => rule)),
      JSON.stringify([...new Set(humans.map(({ author }) => author.name))]),
      JSON.stringify([...new Set(humans.map(({ author }) => author.uuid))]),
      judge === null ? null : JSON.stringify(judge),
      decisions.comments.length,
    ];
    const first = rowId(run, from);
    const { open } = this;
    if (
      open !== null &&
      open.last + 1 === first &&
      columns.every((value, index) => value === open.columns[index])
    ) {
      open.last = rowId(run, to);
      return;
    }
    this.flush();
    this.open = { columns, first, last: rowId(run, to) };
  }

  /** Steps side by side about which different entries come to the same are written as one. */
  private flush(): void {
    if (this.open !== null) {
      const { columns, first, last } = this.open;
      this.open = null;
      this.statements.run(SET, ...columns, first, last);
    }
  }
}

/** How rules and judge met when the run's stored labels were made. */
export function storedPrecedence(statements: Statements, run: number): MachinePrecedence {
  const row = statements.get<{ precedence: string }>('SELECT precedence FROM run_head WHERE run = ?', run);
  return row?.precedence === 'judge_over_rule' ? 'judge_over_rule' : 'union';
}

function labelCode({ value }: EffectiveLabel): number {
  return value === null ? 0 : value === 'train' ? 1 : 2;
}
