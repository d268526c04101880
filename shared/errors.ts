/**
 * The closed list of error codes. Expected failures travel as values (`Result`) or as a
 * `WaymarkError`; anything else that is thrown is a bug.
 */
export const errorCodes = [
  'bug',
  'bad_input',
  'not_found',
  'already_exists',
  'conflict',
  'refused',
  'cancelled',
  'timed_out',
  'workspace_newer',
  'workspace_corrupt',
  'workspace_locked',
  'workspace_network_fs',
  'disk_full',
  'read_only',
  'system_busy',
  'run_driven_elsewhere',
  'run_ended',
  'hint_already_delivered',
  'hint_withdrawn',
  'task_invalid',
  'task_unsupported',
  'model_key_missing',
  'model_unreachable',
  'model_rejected',
  'model_overloaded',
  'model_malformed',
  'context_full',
  'computer_unavailable',
  'session_busy',
  'evaluation_unavailable',
  'export_undecided',
  'export_empty',
  'unsupported',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export function isErrorCode(value: unknown): value is ErrorCode {
  return errorCodes.some((code) => code === value);
}

/** What goes over the wire and into the log for an expected failure. */
export interface Failure {
  code: ErrorCode;
  /** What happened, to what, and what to do next; one or two sentences. */
  message: string;
  /** Copyable detail: paths, status codes, the offending value. */
  detail?: string | undefined;
}

export type Result<T> = { ok: true; value: T } | { ok: false; error: Failure };

/** An expected failure on its way to the edge that turns it into a `Failure`. */
export class WaymarkError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;

  constructor(code: ErrorCode, message: string, detail?: string, options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'WaymarkError';
    this.code = code;
    this.detail = detail;
  }
}

/** Turns anything thrown into a `Failure`; what is not a `WaymarkError` becomes `bug` and keeps its stack as detail. */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof WaymarkError) {
    return { code: thrown.code, message: thrown.message, detail: thrown.detail };
  }
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { code: 'bug', message: error.message, detail: error.stack };
}

/** For `switch` over a union: fails to compile when a member is forgotten, throws when data lie. */
export function assertNever(value: never, what: string): never {
  throw new WaymarkError('bug', `Unknown ${what}: ${JSON.stringify(value)}`);
}
