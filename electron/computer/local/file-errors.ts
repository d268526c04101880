import { WaymarkError } from '@shared/contract/errors';
import { cannot, noDirectory, systemErrors } from '../file-texts';

/** A system call's error as a `FileError`; what is none (an abort, a bug) comes back as it was. */
export function asFileError(thrown: unknown, path: string, verb: string): unknown {
  if (thrown instanceof WaymarkError || !(thrown instanceof Error)) return thrown;
  const { code } = thrown as NodeJS.ErrnoException;
  if (code === undefined || (thrown as NodeJS.ErrnoException).syscall === undefined) return thrown;
  const known = systemErrors[code] ?? { reason: 'io' as const, text: thrown.message };
  const text = verb === 'write' && code === 'ENOENT' ? noDirectory : known.text;
  return cannot(known.reason, path, verb, text, `${code}: ${thrown.message}`, { cause: thrown });
}
