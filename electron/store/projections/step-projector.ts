import type { RuleSettings } from '@shared/contract/rules/rule-settings';
import type { MachinePrecedence, RuleVerdict } from '@shared/labels/labels';
import type { RunEvent } from '@shared/log/events';

/** What a rule says about one step; a later verdict of the same rule on the same step replaces it. */
export interface RuleVerdictRow {
  step: number;
  verdict: RuleVerdict;
}

/** Incremental fold over one run's events, in order. */
export interface RunRuleFold {
  apply(event: RunEvent): RuleVerdictRow[];
}

/** What the labels of a run rest on. */
export interface RulesInForce {
  /** Names rules, parameters and precedence; verdicts of another version are dropped and derived again in the background. */
  version: string;
  precedence: MachinePrecedence;
}

/** The store's view of rule labels: it keeps their verdicts beside the heads but knows no rule. */
export interface StepProjector {
  /** What of a pinned task specification `inForce` reads; small, so that it can be kept for thousands of runs. */
  wordsOf(spec: Record<string, unknown>): Record<string, unknown>;
  /** `spec`: the run's pinned task specification, or its `wordsOf`. */
  inForce(spec: Record<string, unknown>, settings: RuleSettings): RulesInForce;
  /** `created` is the run's first event; it is passed to `apply` as well. */
  start(created: RunEvent, settings: RuleSettings): RunRuleFold;
}
