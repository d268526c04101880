import { FileError, type FileErrorReason } from './failures';

/** What is said about files when something is wrong; the same words for this computer and for a distant one. */

/** @throws FileError invalid_path */
export function mustBeAbsolute(path: string): void {
  if (path.startsWith('/') && !path.includes('\0')) return;
  throw new FileError('invalid_path', path, `"${path}" is not an absolute path. Give the full path.`);
}

export function isDirectory(path: string): FileError {
  return new FileError('is_directory', path, `${path} is a directory, not a file.`);
}

export function notAFile(path: string): FileError {
  return new FileError('not_a_file', path, `${path} is a device, pipe or socket, not a file.`);
}

export function tooLarge(path: string, size: number, limit: number): FileError {
  return new FileError(
    'too_large',
    path,
    `${path} has ${size} bytes, more than the ${limit} that can be taken at once. Read a part of it.`,
  );
}

export type ConflictKind = 'exists' | 'gone' | 'changed';

const conflicts: Record<ConflictKind, string> = {
  exists: 'it already exists',
  gone: 'it is gone',
  changed: 'its content changed since it was read',
};

export function conflicting(path: string, kind: ConflictKind): FileError {
  return new FileError('conflict', path, `${path} was not written: ${conflicts[kind]}. Read it again first.`);
}

/** Why a system call failed, by the name of its error number. */
export const systemErrors: Partial<Record<string, { reason: FileErrorReason; text: string }>> = {
  ENOENT: { reason: 'not_found', text: 'it does not exist' },
  EISDIR: { reason: 'is_directory', text: 'it is a directory' },
  ENOTDIR: { reason: 'not_directory', text: 'it, or a part of the path to it, is not a directory' },
  EACCES: { reason: 'permission', text: 'permission denied' },
  EPERM: { reason: 'permission', text: 'the operation is not permitted' },
  EEXIST: { reason: 'exists', text: 'something already exists there' },
  ENOTEMPTY: { reason: 'not_empty', text: 'the directory is not empty' },
  ENOSPC: { reason: 'no_space', text: 'the disk is full' },
  EDQUOT: { reason: 'no_space', text: 'the disk quota is used up' },
  EROFS: { reason: 'read_only', text: 'the file system is read-only' },
  ENAMETOOLONG: { reason: 'invalid_path', text: 'the name is too long' },
  ELOOP: { reason: 'invalid_path', text: 'symbolic links form a loop' },
  ENXIO: { reason: 'not_a_file', text: 'it is a device or socket' },
};

/** What a missing path means to a write. */
export const noDirectory = 'its directory does not exist';

/** `verb`: what was tried, as in "Cannot read". `text`: why not, a clause. */
export function cannot(
  reason: FileErrorReason,
  path: string,
  verb: string,
  text: string,
  detail?: string,
  options?: { cause?: unknown },
): FileError {
  return new FileError(reason, path, `Cannot ${verb} ${path}: ${text}.`, detail, options);
}
