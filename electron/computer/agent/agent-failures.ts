import { type FileError, type FileErrorReason, SessionError } from '../failures';
import {
  cannot,
  conflicting,
  isDirectory,
  noDirectory,
  notAFile,
  systemErrors,
  tooLarge,
} from '../file-texts';
import { cannotStartIn, inputFull, noSupervisor, sessionOver } from '../session-texts';

/** The channel ended while something was asked for. Internal: ports turn it into `ComputerUnavailable`. */
export class ChannelLost extends Error {
  /** What is known of the cause, one sentence without the host's name. */
  readonly reason: string;

  constructor(reason: string, options?: { cause?: unknown }) {
    super(`The channel to the host's helper ended: ${reason}`, options);
    this.name = 'ChannelLost';
    this.reason = reason;
  }
}

/** The helper answered, and the answer is no; ports turn it into a `FileError` or `SessionError`. */
export class AgentRefusal extends Error {
  /** One of the error codes of `docs/host-agent.md`. */
  readonly code: string;
  readonly extra: readonly string[];

  constructor(code: string, message: string, extra: readonly string[] = []) {
    super(message);
    this.name = 'AgentRefusal';
    this.code = code;
    this.extra = extra;
  }
}

const texts: Record<FileErrorReason, string> = {
  not_found: 'it does not exist',
  is_directory: 'it is a directory',
  not_directory: 'it, or a part of the path to it, is not a directory',
  not_a_file: 'it is a device, pipe or socket',
  not_empty: 'the directory is not empty',
  permission: 'permission denied',
  conflict: 'it changed in the meantime',
  exists: 'something already exists there',
  too_large: 'it is too large',
  no_space: 'the disk is full',
  read_only: 'the file system is read-only',
  invalid_path: 'the path is not possible',
  io: 'the host could not do it',
};

export interface FileQuestion {
  path: string;
  /** As in "Cannot read". */
  verb: string;
  /** What a write expected; absent when it expected nothing. */
  expected?: string | null | undefined;
  maxBytes?: number | undefined;
}

/**
 * A helper's refusal as the `FileError` this computer's files would give, `io` for one that nobody knows; anything else comes
 * back as it was.
 */
export function asRefusedFile(thrown: unknown, question: FileQuestion): unknown {
  if (!(thrown instanceof AgentRefusal)) return thrown;
  return refusedFile(isFileReason(thrown.code) ? thrown.code : 'io', thrown, question);
}

function isFileReason(code: string): code is FileErrorReason {
  return Object.hasOwn(texts, code);
}

/** Extra fields of the answer: for `too_large` the size, for `conflict` what is there (`exists`, `gone`, `changed`), else the name of the system's error. */
function refusedFile(reason: FileErrorReason, refusal: AgentRefusal, question: FileQuestion): FileError {
  const { path, verb, expected, maxBytes } = question;
  const [extra = ''] = refusal.extra;
  const opens = verb === 'read' || verb === 'write';
  if (reason === 'is_directory' && opens) return isDirectory(path);
  if (reason === 'not_a_file' && opens) return notAFile(path);
  if (reason === 'too_large') return tooLarge(path, Number(extra), maxBytes ?? 0);
  if (reason === 'conflict') {
    return conflicting(path, expected === null ? 'exists' : extra === 'gone' ? 'gone' : 'changed');
  }
  const known =
    systemErrors[extra]?.text ?? (reason === 'io' && refusal.message ? refusal.message : texts[reason]);
  const text = verb === 'write' && reason === 'not_found' ? noDirectory : known;
  return cannot(reason, path, verb, text, `${extra} ${refusal.message}`.trim(), { cause: refusal });
}

interface SessionQuestion {
  /** The computer's name, for messages. */
  computer: string;
  session: string;
  directory: string;
  /** Where it was to start. */
  cwd?: string | undefined;
}

/** A helper's refusal about a session as the error this computer's sessions would give; anything else as it was. */
export function asRefusedSession(thrown: unknown, question: SessionQuestion): unknown {
  if (!(thrown instanceof AgentRefusal)) return thrown;
  const { code, message, extra } = thrown;
  const { computer, session, directory, cwd = '' } = question;
  const where = `on the computer ${computer}`;
  const detail = [message, ...extra].join('\n');
  switch (code) {
    case 'session_not_found':
      return new SessionError(code, session, `There is no session "${session}" ${where}.`, detail);
    case 'session_ended':
      return sessionOver(session, 'ended', detail);
    case 'session_lost':
      return sessionOver(session, 'lost', detail);
    case 'input_full':
      return inputFull(session, Number(extra[0]), detail);
    case 'cwd_missing':
      return cannotStartIn(session, cwd, extra[0] || message, detail);
    case 'supervisor_missing':
      return noSupervisor(session, where, detail);
    case 'shell_missing': {
      const text = `Sessions need bash, and none was found ${where}. Install it there.`;
      return new SessionError(code, session, text, detail);
    }
    case 'no_space': {
      const text = `Session "${session}" cannot take this: the disk ${where} is full. Free some space there.`;
      return new SessionError('disk_full', session, text, detail);
    }
    default:
      return asRefusedFile(thrown, { path: directory, verb: 'use' });
  }
}
