import type { RunState } from '@shared/contract/views';
import type { ModelRef, Tool, Usage } from '@shared/log/event-parts';
import type { NewEvent } from '@shared/log/events';
import type { ImagePart } from '@shared/log/image-part';
import type { LimitsChange } from '@shared/log/outbox';

/** Everything the loop touches comes in through these ports; the loop does no I/O of its own. */

export interface ModelRequest {
  /** The exact body bytes, as hashed into `model.requested`. */
  body: string;
  sha256: string;
}

export interface ModelAnswer {
  text: string;
  reasoning: string;
  calls: { id: string; name: string; arguments: string }[];
  finishReason: string | null;
  model: string;
  usage: Usage | null;
}

/** Streams deltas to `onDelta` (live frames, never stored) and returns the whole answer, or a failure to judge. */
export interface ModelPort {
  ask(
    request: ModelRequest,
    onDelta: (delta: {
      text?: string;
      reasoning?: string;
      call?: { index: number; name?: string; arguments?: string };
    }) => void,
    signal: AbortSignal,
  ): Promise<{ ok: true; answer: ModelAnswer } | { ok: false; failure: ModelFailure }>;
}

export interface ModelFailure {
  code:
    | 'model_unreachable'
    | 'model_rejected'
    | 'model_overloaded'
    | 'model_malformed'
    | 'context_full'
    | 'model_key_missing'
    | 'endpoint_differs';
  message: string;
  status: number | null;
  retryable: boolean;
  /** What the server asked for, if it did. */
  retryAfterMs: number | null;
  /** Estimated tokens of the answer that had come before it broke off; absent: none. */
  outputTokens?: number | undefined;
}

/**
 * Only the recorder appends; it resolves after COMMIT and publishes then, so that every fold of the run already
 * holds the events. Waits while the disk is full. Rejects only when this process may no longer drive the run.
 */
export interface RecorderPort {
  record(events: NewEvent[]): Promise<void>;
  /** As `StoreWriter.appendIfOutboxAt`. */
  recordIfOutboxAt(head: number, events: NewEvent[]): Promise<{ raced: boolean }>;
}

export interface HintPort {
  /**
   * Due hints in queue order and the outbox head they were read at. `fresh` reads the outbox again first: asked for
   * after a race was lost, and where an answer decides whether the run ends. `waiting`: ids of all that wait, also those
   * whose condition has not come true.
   */
  due(fresh: boolean): Promise<{ head: number; hints: { id: string; text: string }[]; waiting: string[] }>;
}

/** What a human, or the application that is quitting, asked of the driver. */
export interface HaltRequest {
  op: 'pause' | 'stop';
  mode: 'after_step' | 'now';
  /** Outbox entries that `control.applied` acknowledges; empty for the application's own wish. */
  entries: { entry: string; op: 'pause' | 'stop' | 'wake' }[];
  message: string;
}

/** A change of a run that a person asked for; `entry` of the outbox, `by`: their name. */
export type PendingChange = { entry: string; by: string } & (
  | { op: 'model'; model: ModelRef }
  | { op: 'limits'; limits: LimitsChange }
);

/** `forRun`: from now on everything of the kinds that the question named runs unasked in this run. */
export interface HumanDecision {
  decision: 'allow' | 'deny';
  by: string;
  forRun: boolean;
  /** Of a refusal, for the agent. */
  reason?: string | undefined;
}

/** What people answered so far, as far as it bears on the next question. */
export interface StandingAnswers {
  /** Kinds of actions that are allowed in this run. */
  kinds: ReadonlySet<string>;
  /** The agent has written files since a person answered it last. */
  wrote: boolean;
}

export interface ControlPort {
  /** The strongest unapplied request: stop before pause, now before after the step. */
  asked(): HaltRequest | null;
  /** Aborted once a stop or a pause "now" was asked for: ends what is being waited for. */
  readonly halt: AbortSignal;
  /** As `halt`, and also aborted when the application is quitting: a request under way is asked again on resume. */
  readonly haltThinking: AbortSignal;
  /** Changes of model and limits that were asked for and not applied, oldest first. */
  changes(): PendingChange[];
  /** Calls back for every such change until the returned function is called. */
  onChangeAsked(listener: () => void): () => void;
  /** Unapplied wake requests. */
  wakes(): string[];
  /** Calls back for every wake request until the returned function is called. */
  onWake(listener: () => void): () => void;
  /** Resolves with the human's decision; rejects when the signal aborts or the run is to halt, in either mode. */
  decision(approval: string, signal: AbortSignal): Promise<HumanDecision>;
  /** Kinds of actions that a person no longer allows, in requests that were not applied yet. */
  withdrawals(): { entry: string; kind: string; by: string }[];
}

/** Keeps a run's state between two steps (semantics, Time: "A checkpoint holds"). */
export interface CheckpointPort {
  /** Steps from one to the next; 0 = only when somebody asks for one. */
  readonly every: number;
  /** Whether one follows the final evaluation. */
  readonly final: boolean;
  /** Unapplied requests of people, oldest first. */
  asked(): { entry: string; note: string }[];
  /**
   * Copies the workspace and describes everything else; what a disk or a workspace can do becomes part of the event. The
   * caller records it. `ComputerUnavailable` and the signal's abort are the expected throws.
   */
  make(
    order: { step: number; why: 'interval' | 'asked' | 'final'; note: string },
    signal: AbortSignal,
  ): Promise<NewEvent>;
}

/** The forced evaluation at a run's end. Never throws for what a workspace or an evaluator can do. */
export interface EvaluationPort {
  final(step: number | null, signal: AbortSignal): Promise<NewEvent[]>;
}

/** What a driver does right now; never stored. `call` is the piece of a call's text. */
export type LoopFrame =
  | { kind: 'delta'; step: number; text?: string; reasoning?: string; call?: string }
  | { kind: 'state'; state: RunState; until: number | null };

export interface LivePort {
  emit(frame: LoopFrame): void;
}

export interface ActionOutcome {
  ok: boolean;
  error: { code: string; message: string; detail?: string } | null;
  text: string;
  data: Record<string, unknown>;
  closedBy: 'run' | 'look' | 'interrupted' | 'not_run';
  /** Recorded in the same transaction, before the observation (file revisions, session events, evaluations). */
  events: NewEvent[];
  /** Ends the run after this observation. */
  ends: 'finish' | 'evals_spent' | null;
  /** Shown to the model after the text; only where it takes images. */
  images?: ImagePart[];
}

export interface ParsedCall {
  name: string;
  args: Record<string, string | number | boolean>;
}

/**
 * A call as the model wrote it. `readable`: its name is one and its arguments are one JSON object, so it stays a call in the
 * context although it cannot be carried out, and `problem` becomes its observation.
 */
export type ParsedAnswerCall =
  | { ok: true; call: ParsedCall }
  | { ok: false; problem: string; readable: boolean };

/** The offered actions: schemas, parsing, guards, running. Implemented by electron/actions. */
export interface ActionPort {
  tools(): Tool[];
  /** `problem` is the sentence that teaches the model what was wrong. */
  parse(name: string, argumentsText: string): ParsedAnswerCall;
  /** Guard verdicts before the action of `step` is recorded; a `refuse` turns into an observation without running it. */
  guards(call: ParsedCall, step: number): { rule: string; level: 'warn' | 'refuse'; message: string }[];
  /** What a human must allow before the call runs, and why; absent or null = nobody is asked. */
  approval?(
    call: ParsedCall,
    standing: StandingAnswers,
  ): { what: string; why: string; kinds?: string[]; on?: string[] } | null;
  /** Never throws for anything a model, file or computer can do; `ComputerUnavailable` is the one expected throw. */
  run(call: ParsedCall, context: ActionContext): Promise<ActionOutcome>;
  /** Closes an orphan after a crash, or goes on after a lost link, by looking (semantics: Time, crash, sleep). */
  look(call: ParsedCall, context: ActionContext): Promise<ActionOutcome>;
  /** What commands changed in the task's code folders since the last look, outside of any call; the caller records it. */
  codeChanges?(): Promise<NewEvent[]>;
  /** End offset of every session, keyed `computer:session`, for the observation about to be recorded. */
  offsets(): Record<string, number>;
}

export interface ActionContext {
  step: number;
  call: number;
  callId: string;
  signal: AbortSignal;
  /** Aborted when the human wakes a sleep; only `sleep` listens. */
  wake: AbortSignal;
  /** Working time left, ms; nothing may run past it. */
  leftMs: number;
  /**
   * Why a call is closed by looking: the process that started it is gone, or (`link`) this very process lost the
   * connection to its computer. Then the call goes on, and nothing the model reads mentions it.
   */
  lookFor?: 'restart' | 'link';
}
