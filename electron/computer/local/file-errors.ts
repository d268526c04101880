import { WaymarkError } from '@shared/errors';
import { FileError, type FileErrorReason } from '../failures';

const reasons: Partial<Record<string, { reason: FileErrorReason; text: string }>> = {
  ENOENT: { reason: 'not_found', text: 'nothing is there' },
  EISDIR: { reason: 'is_directory', text: 'it is a directory' },
  ENOTDIR: { reason: 'not_directory', text: 'a part of the path is not a directory' },
  EACCES: { reason: 'permission', text: 'permission denied' },
  EPERM: { reason: 'permission', text: 'the operation is not permitted' },
  EEXIST: { reason: 'exists', text: 'something is there already' },
  ENOTEMPTY: { reason: 'not_empty', text: 'the directory is not empty' },
  ENOSPC: { reason: 'no_space', text: 'the disk is full' },
  EDQUOT: { reason: 'no_space', text: 'the disk quota is used up' },
  EROFS: { reason: 'read_only', text: 'the file system is read-only' },
  ENAMETOOLONG: { reason: 'invalid_path', text: 'the name is too long' },
  ELOOP: { reason: 'invalid_path', text: 'symbolic links go round in a circle' },
  ENXIO: { reason: 'not_a_file', text: 'it is a device or socket' },
};

/** A system call's error as a `FileError`; what is none (an abort, a bug) comes back as it was. */
export function asFileError(thrown: unknown, path: string, verb: string): unknown {
  if (thrown instanceof WaymarkError || !(thrown instanceof Error)) return thrown;
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === undefined || (thrown as NodeJS.ErrnoException).syscall === undefined) return thrown;
  const known = reasons[code] ?? { reason: 'io' as const, text: thrown.message };
  const { reason } = known;
  const text = verb === 'write' && code === 'ENOENT' ? 'its directory does not exist' : known.text;
  return new FileError(reason, path, `Cannot ${verb} ${path}: ${text}.`, `${code}: ${thrown.message}`, {
    cause: thrown,
  });
}
