import { decisionsFor, foldAnnotations, type StepDecisions } from '@shared/annotation-fold';
import { combineLabels } from '@shared/effective-label';
import type { EffectiveLabel, RuleVerdict } from '@shared/labels';
import { LabelFlag } from './fold-rows';
import { rowId, seqOf } from './ids';
import { RangeIndex } from './range-index';
import type { Statements } from './rows';

const SET = `UPDATE step_head SET label = ?, label_flags = ?, label_source = ?, label_reason = ?, rules = ?, authors = ?, comments = ?
  WHERE id BETWEEN ? AND ?`;

const NO_DECISIONS: StepDecisions = { humans: [], flagged: false, comments: [] };

/** Label columns of step heads: people's entries and rules' verdicts, combined by the pure functions of shared/. */
export class LabelProjection {
  readonly ranges: RangeIndex;

  constructor(private readonly statements: Statements) {
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

  /** Recomputes one step. */
  refresh(run: number, step: number): void {
    const entries = this.ranges.overlapping(run, step, step);
    const decisions = entries.length === 0 ? NO_DECISIONS : decisionsFor(entries, step);
    this.write(run, step, step, decisions, this.verdicts(run, step, step).get(step) ?? []);
  }

  /** Recomputes steps `from..to`. Steps that the same entries speak about and no rule are one UPDATE. */
  refreshRange(run: number, from: number, to: number): void {
    const verdicts = this.verdicts(run, from, to);
    for (const piece of this.pieces(run, from, to)) {
      let start = piece.from;
      for (const [step, rules] of verdicts) {
        if (step < piece.from || step > piece.to) {
          continue;
        }
        if (step > start) {
          this.write(run, start, step - 1, piece.decisions, []);
        }
        this.write(run, step, step, piece.decisions, rules);
        start = step + 1;
      }
      if (start <= piece.to) {
        this.write(run, start, piece.to, piece.decisions, []);
      }
    }
  }

  /** The whole of `from..to`, cut where decisions change. */
  private pieces(
    run: number,
    from: number,
    to: number,
  ): { from: number; to: number; decisions: StepDecisions }[] {
    const pieces: { from: number; to: number; decisions: StepDecisions }[] = [];
    let next = from;
    for (const range of foldAnnotations(this.ranges.overlapping(run, from, to)).ranges) {
      const start = Math.max(range.from, from);
      const end = Math.min(range.to, to);
      if (start > end) {
        continue;
      }
      if (start > next) {
        pieces.push({ from: next, to: start - 1, decisions: NO_DECISIONS });
      }
      pieces.push({ from: start, to: end, decisions: range.decisions });
      next = end + 1;
    }
    if (next <= to) {
      pieces.push({ from: next, to, decisions: NO_DECISIONS });
    }
    return pieces;
  }

  private write(run: number, from: number, to: number, decisions: StepDecisions, rules: RuleVerdict[]): void {
    const { effective } = combineLabels({
      humans: decisions.humans,
      rules,
      judge: null,
      precedence: 'union',
    });
    const authors = [...new Set(decisions.humans.map(({ author }) => author.name))];
    this.statements.run(
      SET,
      labelCode(effective),
      (effective.disagreement ? LabelFlag.disagreement : 0) + (decisions.flagged ? LabelFlag.flagged : 0),
      effective.source,
      effective.reason,
      JSON.stringify(rules.map(({ rule }) => rule)),
      JSON.stringify(authors),
      decisions.comments.length,
      rowId(run, from),
      rowId(run, to),
    );
  }
}

function labelCode({ value }: EffectiveLabel): number {
  return value === null ? 0 : value === 'train' ? 1 : 2;
}
