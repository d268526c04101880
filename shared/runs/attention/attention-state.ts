import type { Limits } from '../../log/event-parts';
import type { TaskRules } from '../detectors/detector';
import type { AttentionCounts, AttentionItem } from './attention';

/** Raised when the fold finds something else in the same events; kept states of another version are thrown away. */
export const ATTENTION_VERSION = 2;

/** Everything the next event needs of the events before it: plain JSON of bounded size, whatever the run's length. */
export interface AttentionState {
  version: string;
  run: string;
  /** Last folded event. */
  seq: number;
  at: number;
  /** Latest answered step. */
  step: number;
  status: string | null;
  ended: boolean;
  limits: Limits | null;
  rules: TaskRules;
  /** Steps that count against the limit. */
  taken: number;
  tokens: number;
  cost: number;
  scores: { best: number | null; last: number | null; tries: number; maxTries: number };
  time: WorkingClock;
  /** The call that has begun: name and digest of its arguments. */
  action: { step: number; call: number; name: string; digest: number } | null;
  /** Steps in a row that failed. */
  errors: { steps: number[]; count: number; code: string; failed: boolean; step: number };
  /** Idle GPUs by computer: since when, and the event that said so. */
  idle: Record<string, { since: number; seq: number; step: number }>;
  items: AttentionItem[];
  counts: AttentionCounts;
  /** State of each detector by its id. */
  detectors: Record<string, unknown>;
}

/** Working time so far, near enough for thresholds; `WorkingTime` has the exact rules. Wall-clock ms. */
export interface WorkingClock {
  doneMs: number;
  /** Begin of the running interval; null while time does not count. */
  since: number | null;
  /** Up to where command time was counted. */
  countedTo: number;
}
