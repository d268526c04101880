import type { RuleId } from '@shared/contract/rules/rule-settings';
import type { RuleRun } from './rule-run';

/** What is true of a planted step, as whoever planted it meant it; no rule is asked. */
export interface PlantedTruth {
  step: number;
  /** What the step should be said to be; empty: nothing that any rule claims to catch. */
  rules: RuleId[];
  /** Whether the step should train in the end; null = a person's business. */
  train: boolean | null;
  note: string;
}

/** Plants steps with their truth beside them. */
export class PlantedRun {
  readonly truth = new Map<number, PlantedTruth>();

  constructor(readonly run: RuleRun) {}

  /** A bad step, and what is bad about it. */
  bad(rule: RuleId, step: number, note: string): number {
    return this.plant(step, rule, false, note);
  }

  /** A step that must stay, and why. */
  keep(rule: RuleId, step: number, note: string): number {
    return this.plant(step, rule, true, note);
  }

  /** A bad step that a keep rule rescues: it is both. */
  rescued(mask: RuleId, keep: RuleId, step: number, note: string): number {
    this.plant(step, mask, true, note);
    return this.plant(step, keep, true, note);
  }

  /** Ordinary work, or a trap: nobody should say anything of it. */
  plain(step: number, note = ''): number {
    if (!this.truth.has(step)) this.truth.set(step, { step, rules: [], train: null, note });
    return step;
  }

  private plant(step: number, rule: RuleId, train: boolean, note: string): number {
    const known = this.truth.get(step);
    this.truth.set(step, { step, rules: [...(known?.rules ?? []), rule], train, note });
    return step;
  }
}
