import type { NewEvent, Tool, Usage } from '@shared/events';

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
    | 'model_key_missing';
  message: string;
  status: number | null;
  retryable: boolean;
  /** What the server asked for, if it did. */
  retryAfterMs: number | null;
}

/** Only the recorder appends; it resolves after COMMIT and publishes then. */
export interface RecorderPort {
  record(events: NewEvent[]): Promise<void>;
  /** As `StoreWriter.appendIfOutboxAt`. */
  recordIfOutboxAt(head: number, events: NewEvent[]): Promise<{ raced: boolean }>;
}

export interface HintPort {
  /** Due hints in queue order and the outbox head they were read at. */
  due(): Promise<{ head: number; hints: { id: string; text: string }[] }>;
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
}

export interface ParsedCall {
  name: string;
  args: Record<string, string | number | boolean>;
}

/** The offered actions: schemas, parsing, guards, running. Implemented by electron/actions. */
export interface ActionPort {
  tools(): Tool[];
  /** `problem` is the sentence that teaches the model what was wrong. */
  parse(name: string, argumentsText: string): { ok: true; call: ParsedCall } | { ok: false; problem: string };
  /** Guard verdicts before the action is recorded; a `refuse` turns into an observation without running it. */
  guards(call: ParsedCall): { rule: string; level: 'warn' | 'refuse'; message: string }[];
  /** Never throws for anything a model, file or computer can do; `ComputerUnavailable` is the one expected throw. */
  run(call: ParsedCall, context: ActionContext): Promise<ActionOutcome>;
  /** Closes an orphan after a crash by looking (semantics: Time, crash, sleep). */
  look(call: ParsedCall, context: ActionContext): Promise<ActionOutcome>;
  /** Gives a line for the end of the last message: what sessions do now. Empty string = nothing to say. */
  offsets(): Record<string, number>;
}

export interface ActionContext {
  step: number;
  call: number;
  callId: string;
  signal: AbortSignal;
  /** Rejects when the human wakes a sleep; only `sleep` listens. */
  wake: AbortSignal;
  /** Working time left, ms; nothing may run past it. */
  leftMs: number;
}
