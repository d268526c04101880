import type { BatchChoices, BatchState, JudgedSteps } from '../judging/batch';
import type { StepMark } from '../labels/labels';
import type { Failure } from './errors';

/** What asking a judge would take, by estimate. Nothing was sent. */
export interface JudgeEstimate {
  /** As the votes would be signed. */
  judge: string;
  /** Versions of the rubrics it would go by. */
  rubrics: string[];
  requests: number;
  /** Steps that this judge has not judged by its rubric. */
  steps: number;
  inputTokens: number;
  outputTokens: number;
  /** In the currency of the endpoint's price; null: it has none. */
  cost: number | null;
  /** Why it cannot be started as things are now; null: it can. */
  obstacle: Failure | null;
}

/** What is asked of the quality of judges. */
export interface AskedQuality {
  runs: readonly string[];
  /** Whose word counts as right: a person's or a judge's, by name; null: what people agree on. */
  truth: string | null;
}

/** What is worth a person's eye where a judge has voted: it differs from a rule, or is not sure. */
export const judgeQueues = ['differs', 'unsure'] as const;
export type JudgeQueue = (typeof judgeQueues)[number];

/** The mark of such steps. */
export const queueMarks = {
  differs: 'rule_and_judge_differ',
  unsure: 'low_confidence',
} as const satisfies Record<JudgeQueue, StepMark>;

/** Steps of a batch's runs that are worth an eye, as this person may know it. */
export interface QueuedSteps {
  count: number;
  /** The first run with any; null: there is none. */
  run: string | null;
}

/** A batch of a judge, as a window lists it. */
export interface JudgeBatchView {
  id: string;
  /** What is asked: a verdict on each step, or several votes of +1 or −1. */
  mode: BatchChoices['mode'];
  /** A rubric is tried: its verdicts are no votes. */
  isTrial: boolean;
  /** When it began, ms since 1970. */
  at: number;
  judge: string;
  endpoint: string;
  model: string;
  /** The first 200 of `runCount`. */
  runs: string[];
  runCount: number;
  steps: JudgedSteps;
  state: BatchState;
  /** Why it ended early; null: it did not. */
  why: 'cost' | 'cancelled' | 'failed' | null;
  /** What its limit on money had counted when that ended it; null: it did not, or nobody wrote it down. */
  spent: number | null;
  failure: Failure | null;
  /** The process that answers asks it, so that it ends with that; others go on without. */
  isHere: boolean;
  /** It ends after the requests under way. */
  isStopping: boolean;
  /** Votes it is about, those that are there already included; null: nobody counted them, or it no longer runs. */
  total: number | null;
  /** Requests that were answered. */
  asked: number;
  votes: number;
  /** Steps that were asked about and got no verdict. */
  missing: number;
  /** What the votes say, −1 counted as a mask and +1 as a keep; null: it would tell what somebody who is to decide blind may not know. */
  found: { masks: number; keeps: number; unparsable: number } | null;
  cost: number | null;
  inputTokens: number;
  outputTokens: number;
  maxCost: number | null;
  /** The endpoint had a price when the batch began. */
  isPriced: boolean;
}
