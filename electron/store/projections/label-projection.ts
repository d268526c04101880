import type { StepRange } from '@shared/contract/step-range';
import {
  decisionsFor,
  foldAnnotations,
  noDecisions,
  type StepDecisions,
} from '@shared/labels/annotation-fold';
import type { EffectiveLabel, HumanLabel, MachinePrecedence, RuleVerdict } from '@shared/labels/labels';
import { judgesInShort, stepOpinion } from '@shared/labels/step-marks';
import { rowId, type Statements, seqOf } from '../file/rows';
import { RangeIndex } from '../log/range-index';
import { LabelFlag, markFlags } from './fold-rows';

const SET = `UPDATE step_head SET label = ?, label_flags = ?, label_source = ?, label_reason = ?, rules = ?, authors = ?,
  decided = ?, judge = ?, comments = ? WHERE id`;
const SET_ONE = `${SET} = ?`;
const SET_RANGE = `${SET} BETWEEN ? AND ?`;
const SET_MANY = `${SET} IN (SELECT value FROM json_each(?))`;

/** A piece of so many steps is written by itself, a shorter one together with others that come to the same. */
const LONG_PIECE = 32;

/** Opinions that are kept with what they come to: many steps are said the same about. */
const KEPT_OPINIONS = 500;

interface Place {
  run: number;
  precedence: MachinePrecedence;
}

type LabelColumns = (string | number | null)[];

/** Columns of steps that lie side by side, not written yet. */
interface OpenUpdate {
  columns: LabelColumns;
  first: number;
  last: number;
}

/** Label columns of step heads: what people, judges and rules say, combined by the pure functions of shared/. */
export class LabelProjection {
  readonly ranges: RangeIndex;
  private open: OpenUpdate | null = null;
  /** Rows in short pieces that are not written yet, ascending, by what they come to. */
  private readonly scattered = new Map<LabelColumns, number[]>();
  private readonly opinions = new Map<string, LabelColumns>();

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
    this.forgetUnwritten();
    const rules = this.verdicts(run, step, step).get(step) ?? [];
    const place = { run, precedence: this.precedenceOf(run) };
    this.write(place, step, step, this.decisions(run, step), rules);
    this.writeRest();
  }

  /** Recomputes steps `from..to`. Steps that the same entries speak about and no rule are one UPDATE. */
  refreshRange(run: number, from: number, to: number): void {
    this.refreshParts(run, [{ from, to }]);
  }

  /** As `refreshRange`, for pieces that lie apart: ascending and disjoint. */
  refreshParts(run: number, parts: readonly StepRange[]): void {
    this.forgetUnwritten();
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
    this.writeRest();
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
    const columns = this.columnsOf(decisions, rules, precedence);
    const first = rowId(run, from);
    const { open } = this;
    if (
      open !== null &&
      open.last + 1 === first &&
      (columns === open.columns || columns.every((value, index) => value === open.columns[index]))
    ) {
      open.last = rowId(run, to);
      return;
    }
    this.flush();
    this.open = { columns, first, last: rowId(run, to) };
  }

  /** What people and judges alone decided is worked out once for all steps about which they say the same. */
  private columnsOf(
    decisions: StepDecisions,
    rules: RuleVerdict[],
    precedence: MachinePrecedence,
  ): LabelColumns {
    const { humans, judges, corrections, flagged, comments } = decisions;
    if (rules.length + corrections.length + comments.length > 0 || flagged) {
      return labelColumns(decisions, rules, precedence);
    }
    const said = `${precedence}${inWords(humans)}${verdictsInWords(judges)}`;
    const known = this.opinions.get(said);
    if (known !== undefined) {
      return known;
    }
    const columns = labelColumns(decisions, rules, precedence);
    if (this.opinions.size >= KEPT_OPINIONS) {
      this.opinions.clear();
    }
    this.opinions.set(said, columns);
    return columns;
  }

  /** What an earlier call left when it failed: its transaction was rolled back. */
  private forgetUnwritten(): void {
    this.open = null;
    this.scattered.clear();
  }

  /** Steps side by side about which different entries come to the same are one piece. */
  private flush(): void {
    if (this.open === null) return;
    const { columns, first, last } = this.open;
    this.open = null;
    if (last - first >= LONG_PIECE) {
      this.statements.run(SET_RANGE, ...columns, first, last);
      return;
    }
    let rows = this.scattered.get(columns);
    if (rows === undefined) {
      rows = [];
      this.scattered.set(columns, rows);
    }
    for (let row = first; row <= last; row += 1) rows.push(row);
  }

  /** Few opinions are most of what is said: an UPDATE for each, not for each of its pieces. */
  private writeRest(): void {
    this.flush();
    for (const [columns, rows] of this.scattered) {
      const [first = 0] = rows;
      const last = rows.at(-1) ?? first;
      if (rows.length === 1) this.statements.run(SET_ONE, ...columns, first);
      else if (last - first === rows.length - 1) this.statements.run(SET_RANGE, ...columns, first, last);
      else this.statements.run(SET_MANY, ...columns, JSON.stringify(rows));
    }
  }
}

function labelColumns(
  decisions: StepDecisions,
  rules: RuleVerdict[],
  precedence: MachinePrecedence,
): LabelColumns {
  const { effective, marks } = stepOpinion(decisions, rules, precedence);
  const { humans } = decisions;
  const judge = judgesInShort(decisions);
  return [
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
}

/** The same text for the same opinions and another one for others: each part says how long it is. */
function inWords(humans: readonly HumanLabel[]): string {
  let words = '';
  for (const { author, value, reason, adjudication } of humans) {
    const { uuid, name } = author;
    words += `${uuid.length} ${uuid}${name.length} ${name}${value}${adjudication ? '!' : '.'}`;
    words += reason === null ? '-' : `${reason.length} ${reason}`;
  }
  return words;
}

/** The same for judges. Who they are and what else they say is in no column. */
function verdictsInWords(judges: StepDecisions['judges']): string {
  let words = '';
  for (const { value, confidence, reason } of judges) {
    words += `/${value}${confidence ?? '-'} ${reason.length} ${reason}`;
  }
  return words;
}

/** How rules and judge met when the run's stored labels were made. */
export function storedPrecedence(statements: Statements, run: number): MachinePrecedence {
  const row = statements.get<{ precedence: string }>('SELECT precedence FROM run_head WHERE run = ?', run);
  return row?.precedence === 'judge_over_rule' ? 'judge_over_rule' : 'union';
}

function labelCode({ value }: EffectiveLabel): number {
  return value === null ? 0 : value === 'train' ? 1 : 2;
}
