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
  'workspace_moved',
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
  'endpoint_differs',
  'not_isolated',
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
  'export_no_tools',
  'unsupported',
] as const;

export type ErrorCode = (typeof errorCodes)[number];

export function isErrorCode(value: unknown): value is ErrorCode {
  return errorCodes.some((code) => code === value);
}

/** Why a workspace takes nothing; and what was asked of it. A window says both in its own language. */
export const readOnlyReasons = ['from_elsewhere', 'cannot_be_written'] as const;
export const refusedActs = [
  'recording',
  'asking',
  'labelling',
  'merging',
  'undoing',
  'redoing',
  'removing',
  'cleaning',
  'adding_task',
  'setting_rules',
  'setting_rubric',
  'deriving',
  'driving',
  'searching',
  'backing_up',
  'indexing',
] as const;

/** Which sentence a failure is, and what stands in it, for whoever says it in another language than `message`. */
export interface FailureWords {
  is: (typeof readOnlyReasons)[number];
  folder: string;
  act: (typeof refusedActs)[number];
}

/** What goes over the wire and into the log for an expected failure. */
export interface Failure {
  code: ErrorCode;
  /** What happened, to what, and what to do next; one or two sentences. */
  message: string;
  /** Copyable detail: paths, status codes, the offending value. */
  detail?: string | undefined;
  words?: FailureWords | undefined;
}

export type Result<T> = { ok: true; value: T } | { ok: false; error: Failure };

/** An expected failure on its way to the edge that turns it into a `Failure`. */
export class WaymarkError extends Error {
  readonly code: ErrorCode;
  readonly detail: string | undefined;
  readonly words: FailureWords | undefined;

  constructor(
    code: ErrorCode,
    message: string,
    detail?: string,
    options?: { cause?: unknown; words?: FailureWords | undefined },
  ) {
    super(message, options);
    this.name = 'WaymarkError';
    this.code = code;
    this.detail = detail;
    this.words = options?.words;
  }
}

/**
 * Turns anything thrown into a `Failure`; what is neither a `WaymarkError` nor the disk's own refusal becomes `bug` and keeps
 * its stack as detail.
 */
export function toFailure(thrown: unknown): Failure {
  if (thrown instanceof WaymarkError) {
    const { code, message, detail, words } = thrown;
    return { code, message, detail, ...(words === undefined ? {} : { words }) };
  }
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const disk = diskFailure(error);
  if (disk !== null) return disk;
  return { code: 'bug', message: error.message, detail: error.stack };
}

/** Words of the database, of the system and of a stack. */
const OF_MACHINES = /\bSQLITE_[A-Z]|\bSqliteError\b|^\w*Error: E[A-Z]+\b|^\s+at /;

/**
 * What a person can use of an error's detail; '' when nothing is left. The words of machines say nothing that the message does not
 * say better: they stay for diagnostics and for who asks for JSON. A bug is told whole.
 */
export function plainDetail({ code, detail = '' }: Failure): string {
  if (code === 'bug') return detail;
  return detail
    .split('\n')
    .filter((line) => !OF_MACHINES.test(line))
    .join('\n');
}

/** A disk without room, or one that takes nothing, can stop any work; it is no bug wherever it was not foreseen. */
function diskFailure(error: Error & { code?: unknown; path?: unknown }): Failure | null {
  const { code, path, message, stack } = error;
  const where = typeof path === 'string' ? path : 'a file';
  const detail = stack ?? message;
  if (code === 'ENOSPC' || code === 'EDQUOT' || code === 'SQLITE_FULL') {
    return {
      code: 'disk_full',
      message: `There is no room for ${where}: its disk is full. Free some space and try again.`,
      detail,
    };
  }
  if (code === 'EROFS') {
    return {
      code: 'read_only',
      message: `${path === undefined ? 'A file' : where} is on a disk that cannot be written. Choose another place, or make it writable.`,
      detail,
    };
  }
  return null;
}

/** For `switch` over a union: fails to compile when a member is forgotten, throws when data lie. */
export function assertNever(value: never, what: string): never {
  throw new WaymarkError('bug', `Unknown ${what}: ${JSON.stringify(value)}`);
}
