import type { RunEvent } from '../../log/events';
import type { AttentionKind } from '../attention/attention';

/** What the run's task says about detectors (`rules` of task.yaml), and what the fold knows at the event. */
export interface TaskRules {
  /** Sources of regular expressions, case ignored. */
  trainingCommands: string[];
  /** MB of GPU memory in use from which a GPU counts as taken. */
  gpuTakenMb: number;
  forgottenAfterSteps: number;
  /** The most points that can be reached. */
  maxScore: number;
  /** Names of the run's computers with GPUs. */
  gpuComputers: string[];
}

/** Where the run stands at the event. */
export interface DetectorFacts {
  /** Latest answered step. */
  step: number;
  rules: TaskRules;
  scores: { best: number | null; tries: number; maxTries: number };
  /** ms, up to this event. */
  workingMs: number;
  maxWorkingMs: number;
  /** The call that was observed: name and digest of its arguments; null at other events. */
  action: { name: string; digest: number } | null;
}

export interface DetectorFinding {
  /** The same key names the same finding, whose steps and facts are then renewed. */
  key: string;
  step: number;
  /** All steps of the finding, ascending. */
  steps: number[];
  facts: Record<string, string | number | null>;
  /** Holds on, until a finding of the same key says otherwise; a single occurrence is never open. */
  open: boolean;
}

/**
 * A habit of agents that costs a run hours, found in the stored events while it happens (semantics, Labels: detectors).
 * It is no label. A change of meaning is a new `version`. The state is plain JSON of bounded size.
 */
export interface Detector<S> {
  id: AttentionKind;
  version: number;
  /** The detector in one sentence. */
  text: string;
  /** Where it comes from. */
  citation: string;
  parameters: Readonly<Record<string, number | string | boolean>>;
  start(): S;
  /** Costs O(1) amortised; changes `state`. */
  look(state: S, event: RunEvent, facts: DetectorFacts): DetectorFinding[];
}
