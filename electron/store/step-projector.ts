import type { RunEvent } from '@shared/events';
import type { RuleVerdict } from '@shared/labels';

/** What a rule says about one step; a later verdict of the same rule on the same step replaces it. */
export interface RuleVerdictRow {
  step: number;
  verdict: RuleVerdict;
}

/** Incremental fold over one run's events, in order. */
export interface RunRuleFold {
  apply(event: RunEvent): RuleVerdictRow[];
}

/**
 * The store's view of rule labels: it keeps their verdicts beside the heads but knows no rule. `version` names
 * rule set and parameters; verdicts of another version are dropped and derived again in the background.
 */
export interface StepProjector {
  readonly version: string;
  /** `created` is the run's first event; it is passed to `apply` as well. */
  start(created: RunEvent): RunRuleFold;
}
