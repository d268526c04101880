import type { FileError, FileErrorReason } from '../failures';
import {
  cannot,
  conflicting,
  isDirectory,
  noDirectory,
  notAFile,
  systemErrors,
  tooLarge,
} from '../file-texts';
import { AgentRefusal } from './channel-lost';

const texts: Record<FileErrorReason, string> = {
  not_found: 'nothing is there',
  is_directory: 'it is a directory',
  not_directory: 'it, or a part of the path to it, is not a directory',
  not_a_file: 'it is a device, pipe or socket',
  not_empty: 'the directory is not empty',
  permission: 'permission denied',
  conflict: 'it changed meanwhile',
  exists: 'something is there already',
  too_large: 'it is too large',
  no_space: 'the disk is full',
  read_only: 'the file system is read-only',
  invalid_path: 'the path cannot be',
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
