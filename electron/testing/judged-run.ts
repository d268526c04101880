import { combineLabels } from '@shared/labels/effective-label';
import type { RuleVerdict } from '@shared/labels/labels';
import { type RuleRun, verdictsOf } from './rule-run';

/**
 * What a person said of a step before any rule was asked. `bad`: it should be masked, and a rule can see it; `unseen`: it
 * should, but no rule can; `keep`: it should train, and a rule can say why; `fine`: nobody need say anything.
 */
type Judgement = 'bad' | 'unseen' | 'keep' | 'fine';

/** A run with a person's judgement of each step. */
export class JudgedRun {
  private readonly judgements = new Map<number, Judgement>();

  constructor(readonly run: RuleRun) {}

  bad(step: number): number {
    return this.judge(step, 'bad');
  }

  unseen(step: number): number {
    return this.judge(step, 'unseen');
  }

  keep(step: number): number {
    return this.judge(step, 'keep');
  }

  fine(step: number): number {
    return this.judge(step, 'fine');
  }

  /** What the rules, as they are without settings, make of the run. */
  figures(): RuleFigures {
    const byStep = new Map<number, RuleVerdict[]>();
    for (const { step, verdict } of verdictsOf(this.run.script.events, { rules: {} }))
      byStep.set(step, [...(byStep.get(step) ?? []), verdict]);
    const figures: RuleFigures = { softMasks: [0, 0], keeps: [0, 0], caught: [0, 0], wrong: [] };
    for (const [step, judgement] of this.judgements) {
      const rules = byStep.get(step) ?? [];
      const names = rules.map(({ rule }) => rule).join(', ');
      const { effective } = combineLabels({ humans: [], rules, judges: [], precedence: 'union' });
      const masked = effective.value === 'mask';
      const hard = rules.some((verdict) => verdict.hard);
      const deserved = judgement === 'bad' || judgement === 'unseen';
      if (masked && !hard) count(figures.softMasks, deserved);
      if (rules.some(({ effect }) => effect === 'keep')) count(figures.keeps, judgement === 'keep');
      if (judgement === 'bad') count(figures.caught, masked);
      if (masked !== deserved && judgement !== 'unseen') figures.wrong.push(`${step} ${judgement}: ${names}`);
    }
    return figures;
  }

  private judge(step: number, judgement: Judgement): number {
    this.judgements.set(step, judgement);
    return step;
  }
}

/** Counts as [right, all]. */
export interface RuleFigures {
  /** Soft masks in force, and how many a person agrees with. */
  softMasks: [number, number];
  keeps: [number, number];
  /** Faults that a rule can see, and how many are masked. */
  caught: [number, number];
  /** Steps that are masked and should not be, or the other way round, with what the rules say. */
  wrong: string[];
}

function count(of: [number, number], right: boolean): void {
  of[0] += right ? 1 : 0;
  of[1] += 1;
}
