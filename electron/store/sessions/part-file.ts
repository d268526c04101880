import { createHash, type Hash } from 'node:crypto';
import { closeSync, fchmodSync, fdatasyncSync, openSync, readSync, writeSync } from 'node:fs';
import { basename, dirname } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { inside } from '../../files/inside';
import { makeFoldersIn, modesIn } from '../../files/private';
import { openRegularFile } from '../../files/regular-file';
import { syncFolder } from '../file/blob-store';
import { isDiskFull, systemCode } from '../file/database';

const READ_BYTES = 1024 * 1024;

/** What a refusal to read a part ends with. */
export const NOT_READ = 'The output in it was not read. Run "verify" to see what is affected.';

/** `file`: as its row names it. @throws WaymarkError workspace_corrupt for a name that no writer gives */
export function partPath(folder: string, base: number, file: string | null): string {
  if (file !== null && !/^\d+-[0-9a-z]{1,40}\.log$/.test(file)) {
    throw new WaymarkError(
      'workspace_corrupt',
      `A row names ${JSON.stringify(file)} as a file of session output. Run "verify" to see what is affected.`,
      folder,
    );
  }
  return inside(folder, file ?? `${base}.log`);
}

/**
 * A part file that is being written. No other process ever writes to it, so nothing that was acknowledged can be cut or
 * overwritten by somebody who takes turns; what lies behind the stored end was never acknowledged and is written again.
 */
export class PartFile {
  /** Over the bytes so far; null when it was opened again, until it is sealed from the file. */
  private hash: Hash | null;

  private constructor(
    readonly name: string,
    private readonly path: string,
    private readonly file: number,
    isEmpty: boolean,
  ) {
    this.hash = isEmpty ? createHash('sha256') : null;
  }

  /** Opens a writer's own part, or makes it; `length`: bytes of it that are stored. */
  static open(folder: string, name: string, length: number): PartFile {
    makeFolder(folder);
    const path = partPath(folder, 0, name);
    return new PartFile(
      name,
      path,
      openOrMake(path, modesIn(dirname(dirname(dirname(folder)))).file),
      length === 0,
    );
  }

  write(position: number, bytes: Uint8Array): void {
    for (let written = 0; written < bytes.length; ) {
      written += writeSync(this.file, bytes, written, bytes.length - written, position + written);
    }
    this.hash?.update(bytes);
  }

  sync(): void {
    fdatasyncSync(this.file);
  }

  /** Hash of its first `length` bytes, which are all that were written. */
  digest(length: number): Buffer {
    return this.hash?.copy().digest() ?? hashPart(this.path, length);
  }

  /** Bytes count once they were synced: what a disk says when their file is closed changes nothing about them. */
  close(): void {
    try {
      closeSync(this.file);
    } catch (thrown) {
      if (systemCode(thrown) !== 'EIO' && !isDiskFull(thrown)) {
        throw thrown;
      }
    }
  }
}

/** sha256 of a part's first `length` bytes. @throws WaymarkError workspace_corrupt when it is shorter or missing */
export function hashPart(path: string, length: number): Buffer {
  const sha = hashRange(path, 0, length);
  if (sha === null) {
    throw new WaymarkError(
      'workspace_corrupt',
      'Output of a session is shorter than recorded. Run "verify" to see what is missing.',
      path,
    );
  }
  return sha;
}

/** sha256 of a piece of a file; null when it is not there whole. */
export function hashRange(path: string, position: number, length: number): Buffer | null {
  const hash = createHash('sha256');
  try {
    const file = openRegularFile(path, path, NOT_READ);
    try {
      const buffer = Buffer.alloc(Math.min(READ_BYTES, Math.max(1, length)));
      for (let done = 0; done < length; ) {
        const count = readSync(file, buffer, 0, Math.min(buffer.length, length - done), position + done);
        if (count === 0) {
          return null;
        }
        hash.update(buffer.subarray(0, count));
        done += count;
      }
    } finally {
      closeSync(file);
    }
  } catch (thrown) {
    // Only a file that is not there counts as missing bytes: any other trouble passes, and must not be taken for damage.
    if (thrown instanceof WaymarkError && thrown.code === 'not_found') {
      return null;
    }
    throw thrown;
  }
  return hash.digest();
}

/** `folder`: as `sessionFolder` says. A new folder survives a power cut only when those above it know of it. */
function makeFolder(folder: string): void {
  const run = dirname(folder);
  const sessions = dirname(run);
  const names = [basename(sessions), basename(run), basename(folder)];
  const first = makeFoldersIn(dirname(sessions), ...names);
  if (first === null) {
    return;
  }
  for (let made = folder; made.length >= first.length; made = dirname(made)) {
    syncFolder(dirname(made));
  }
}

function openOrMake(path: string, mode: number): number {
  try {
    return openSync(path, 'r+');
  } catch (thrown) {
    if (systemCode(thrown) !== 'ENOENT') {
      throw thrown;
    }
  }
  const file = openSync(path, 'wx+', mode);
  try {
    if (mode !== 0o600) fchmodSync(file, mode);
    syncFolder(dirname(path));
  } catch (thrown) {
    closeSync(file);
    throw thrown;
  }
  return file;
}
