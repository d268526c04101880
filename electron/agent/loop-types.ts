import type { ContextFold } from '@shared/context/context';
import type { Limits } from '@shared/log/event-parts';
import type { RunFold } from '@shared/runs/run-fold';
import type { BackOffOptions } from '../base/back-off';
import type { Clock } from '../clock';
import type {
  ActionPort,
  CheckpointPort,
  ControlPort,
  EvaluationPort,
  HintPort,
  LivePort,
  ModelAnswer,
  ModelPort,
  RecorderPort,
} from './ports';
import type { RequestHash } from './request-hash';
import type { SummaryTexts } from './summarise-texts';

export interface LoopPorts {
  model: ModelPort;
  recorder: RecorderPort;
  hints: HintPort;
  control: ControlPort;
  actions: ActionPort;
  evaluation: EvaluationPort;
  /** Absent: no checkpoints are made. */
  checkpoint?: CheckpointPort;
  live: LivePort;
  clock: Clock;
  /** Wall clock by which working time is measured, even where the clock was set and the log does not know yet; absent: `clock`. */
  reckoned?(): number;
  /** A new ULID. */
  id(): string;
  /** In [0, 1), for the jitter of retries. */
  random(): number;
  /** Why the run has to wait for its computer, when `error` says so; null for any other error. */
  unavailable(error: unknown): string | null;
  /** Resolves when the computer that `error` names can be reached again; absent or never: nobody can tell. */
  back?: (error: unknown, signal: AbortSignal) => Promise<void>;
  /** Cost of an answer in the price table's currency; null when unknown. */
  cost(answer: Pick<ModelAnswer, 'usage'>): number | null;
  /** What keeps running where if the run rests now, in a sentence; '' for nothing. Never throws. */
  running?(): Promise<string>;
}

/** Folds of the run's log. The recorder feeds them after each commit; the loop only reads. */
export interface LoopState {
  context: ContextFold;
  hash: RequestHash;
  run: RunFold;
}

export interface LoopOptions {
  /** Where the log does not say: a run's own are in `RunFold.limits`. */
  limits: Limits;
  contextTokens: number;
  approvals: 'on' | 'off';
  retry: RetryOptions;
  summary: SummaryTexts;
}

export interface RetryOptions extends BackOffOptions {
  /** Tries per driven request before the run pauses and says why. */
  attempts: number;
  /** How long a model that cannot even be reached is tried, whatever `attempts` says, ms. */
  patienceMs: number;
}

/** About an hour for an endpoint that answers with errors; a network that is away over night does not end in a paused run. */
export const defaultRetry: RetryOptions = {
  attempts: 40,
  patienceMs: 12 * 3_600_000,
  firstMs: 1_000,
  longestMs: 120_000,
  jitter: [0.5, 1],
};

export type LoopEnd = 'paused' | 'finished' | 'stopped';

/** One lap of the loop: go on, or the run has come to rest. */
export type Lap = 'next' | LoopEnd;

export interface Loop {
  ports: LoopPorts;
  state: LoopState;
  options: LoopOptions;
}
