import { type ErrorCode, WaymarkError } from '@shared/contract/errors';

/** The link is broken or the machine is away. The run waits; the model never sees it. */
export class ComputerUnavailable extends WaymarkError {
  readonly computer: string;

  constructor(computer: string, message: string, detail?: string, options?: { cause?: unknown }) {
    super('computer_unavailable', message, detail, options);
    this.name = 'ComputerUnavailable';
    this.computer = computer;
  }
}

const sessionReasons = {
  session_exists: 'already_exists',
  session_not_found: 'not_found',
  session_busy: 'session_busy',
  session_ended: 'refused',
  session_lost: 'refused',
  command_unknown: 'not_found',
  dropped: 'not_found',
  input_full: 'refused',
  invalid_name: 'bad_input',
  invalid_command: 'bad_input',
  cwd_missing: 'bad_input',
  supervisor_missing: 'unsupported',
  shell_missing: 'unsupported',
  sandbox_refused: 'refused',
  start_failed: 'refused',
  disk_full: 'disk_full',
} as const satisfies Record<string, ErrorCode>;

export type SessionErrorReason = keyof typeof sessionReasons;

/** The computer answered, and the answer about this session is no. */
export class SessionError extends WaymarkError {
  readonly reason: SessionErrorReason;
  readonly session: string;

  constructor(reason: SessionErrorReason, session: string, message: string, detail?: string) {
    super(sessionReasons[reason], message, detail);
    this.name = 'SessionError';
    this.reason = reason;
    this.session = session;
  }
}

const fileReasons = {
  not_found: 'not_found',
  is_directory: 'bad_input',
  not_directory: 'bad_input',
  not_a_file: 'bad_input',
  not_empty: 'refused',
  permission: 'refused',
  conflict: 'conflict',
  exists: 'already_exists',
  too_large: 'refused',
  no_space: 'disk_full',
  read_only: 'read_only',
  invalid_path: 'bad_input',
  io: 'refused',
} as const satisfies Record<string, ErrorCode>;

export type FileErrorReason = keyof typeof fileReasons;

/** The computer answered, and the answer about this path is no. */
export class FileError extends WaymarkError {
  readonly reason: FileErrorReason;
  readonly path: string;

  constructor(
    reason: FileErrorReason,
    path: string,
    message: string,
    detail?: string,
    options?: { cause?: unknown },
  ) {
    super(fileReasons[reason], message, detail, options);
    this.name = 'FileError';
    this.reason = reason;
    this.path = path;
  }
}
