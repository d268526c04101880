import { isUtf8 } from 'node:buffer';
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { WaymarkError } from '@shared/contract/errors';

/*
 * How a file that somebody else made or named is read: a regular one and nothing else. It is opened without following a link and
 * without waiting, and looked at through what was opened, so that no link leads to a file of this person's, and no FIFO or
 * device holds or floods whoever reads.
 */

const READ = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);
/** Read at a time where a file is gone through piece by piece, bytes. */
export const PIECE = 256 * 1024;

/** What a refusal ends with: what did not happen. */
const NOT_IMPORTED = 'Nothing was imported.';

/**
 * Reads such a file whole.
 * @param name for messages
 * @param most bytes
 * @param outcome what did not happen, a sentence for messages
 * @throws WaymarkError not_found, bad_input; both name the file and the reason
 */
export async function readRegularFile(
  path: string,
  name: string,
  most: number,
  outcome = NOT_IMPORTED,
): Promise<Buffer> {
  const handle = await open(path, READ).catch((thrown: NodeJS.ErrnoException) => {
    throw unopened(thrown, name, outcome);
  });
  try {
    const info = await handle.stat();
    if (!info.isFile()) throw refused(name, NO_FILE, outcome);
    if (info.size > most) throw refused(name, larger(most), outcome);
    const bytes = Buffer.alloc(info.size);
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, length);
      if (bytesRead === 0) throw refused(name, SHORTER, outcome);
      length += bytesRead;
    }
    return bytes;
  } finally {
    await handle.close();
  }
}

/** `readRegularFile` for who may not wait: in a thread of the store. Parameters and errors as there. */
export function readRegularFileSync(
  path: string,
  name: string,
  most: number,
  outcome = NOT_IMPORTED,
): Buffer {
  return withRegularFile(path, name, outcome, (file, size) => {
    if (size > most) throw refused(name, larger(most), outcome);
    const bytes = Buffer.alloc(size);
    if (fill(file, bytes, 0) < size) throw refused(name, SHORTER, outcome);
    return bytes;
  });
}

/** Its first bytes, fewer where it is shorter. Parameters and errors as for `readRegularFile`. */
export function headOfRegularFile(path: string, name: string, bytes: number, outcome = NOT_IMPORTED): Buffer {
  return withRegularFile(path, name, outcome, (file) => {
    const head = Buffer.alloc(bytes);
    return head.subarray(0, fill(file, head, 0));
  });
}

/**
 * Opens such a file for as long as `use` takes.
 * @param use gets its descriptor and its size in bytes
 */
export function withRegularFile<T>(
  path: string,
  name: string,
  outcome: string,
  use: (file: number, size: number) => T,
): T {
  const file = openRegularFile(path, name, outcome);
  try {
    return use(file, fstatSync(file).size);
  } finally {
    closeSync(file);
  }
}

/** Opens such a file for reading; whoever calls closes it. Parameters and errors as for `readRegularFile`. */
export function openRegularFile(path: string, name: string, outcome = NOT_IMPORTED): number {
  let file: number;
  try {
    file = openSync(path, READ);
  } catch (thrown) {
    throw unopened(thrown as NodeJS.ErrnoException, name, outcome);
  }
  if (fstatSync(file).isFile()) return file;
  closeSync(file);
  throw refused(name, NO_FILE, outcome);
}

/** Such a file piece by piece, of which no more than one is in memory. Parameters and errors as for `readRegularFile`. */
export function* piecesOfRegularFile(
  path: string,
  name: string,
  most: number,
  outcome = NOT_IMPORTED,
): Generator<Buffer, void, undefined> {
  const file = openRegularFile(path, name, outcome);
  try {
    const { size } = fstatSync(file);
    if (size > most) throw refused(name, larger(most), outcome);
    const piece = Buffer.alloc(Math.min(PIECE, Math.max(1, size)));
    for (let at = 0; at < size; ) {
      const read = fill(file, piece.subarray(0, Math.min(piece.length, size - at)), at);
      if (read === 0) throw refused(name, SHORTER, outcome);
      at += read;
      yield piece.subarray(0, read);
    }
  } finally {
    closeSync(file);
  }
}

export interface LineLimits {
  /** Bytes of the file at most. */
  most: number;
  /** Bytes of one line at most. */
  line: number;
  /** As for `readRegularFile`. */
  outcome: string;
}

/**
 * The lines of such a file, without their ends, in pieces: no more than a piece and a line of it are in memory, whatever its size.
 * The last line is there also when it is empty. @throws WaymarkError not_found, bad_input
 */
export function* linesOfRegularFile(
  path: string,
  name: string,
  { most, line, outcome }: LineLimits,
): Generator<string, void, undefined> {
  const file = openRegularFile(path, name, outcome);
  try {
    const { size } = fstatSync(file);
    if (size > most) throw refused(name, larger(most), outcome);
    const piece = Buffer.alloc(Math.min(PIECE, Math.max(1, size)));
    let begun: Buffer[] = [];
    let length = 0;
    let number = 1;
    for (let at = 0; at < size; ) {
      const read = fill(file, piece.subarray(0, Math.min(piece.length, size - at)), at);
      if (read === 0) throw refused(name, SHORTER, outcome);
      at += read;
      const end = piece.subarray(0, read).lastIndexOf(0x0a);
      const whole = piece.subarray(0, Math.max(0, end));
      const rest = Buffer.from(piece.subarray(end + 1, read));
      if (end !== -1) {
        const first = whole.indexOf(0x0a);
        if (length + (first === -1 ? whole.length : first) > line)
          throw refused(name, longer(line, number), outcome);
        // No character is cut: a line feed is none's part.
        const lines = textOf(Buffer.concat([...begun, whole]), name, number, outcome).split('\n');
        yield* lines;
        number += lines.length;
        begun = [];
        length = 0;
      }
      begun.push(rest);
      length += rest.length;
      if (length > line) throw refused(name, longer(line, number), outcome);
    }
    yield textOf(Buffer.concat(begun), name, number, outcome);
  } finally {
    closeSync(file);
  }
}

/** Lines from `first` on as text. @throws WaymarkError bad_input for bytes that are no UTF-8: replaced ones would be taken for what was written */
function textOf(lines: Buffer, name: string, first: number, outcome: string): string {
  if (isUtf8(lines)) return lines.toString('utf8');
  let from = 0;
  let number = first;
  for (let end = lines.indexOf(0x0a); end !== -1; end = lines.indexOf(0x0a, from)) {
    if (!isUtf8(lines.subarray(from, end))) break;
    from = end + 1;
    number += 1;
  }
  throw refused(name, `is not UTF-8 text (line ${number})`, outcome);
}

/** Bytes that were read into `bytes`, from `at` of the file on: all it holds, or less at the file's end. */
function fill(file: number, bytes: Buffer, at: number): number {
  let length = 0;
  while (length < bytes.length) {
    const count = readSync(file, bytes, length, bytes.length - length, at + length);
    if (count === 0) break;
    length += count;
  }
  return length;
}

const NO_FILE = 'is not a regular file';
const SHORTER = 'became shorter while it was read';
const larger = (most: number) => `is larger than ${sizeWords(most)}`;
const longer = (most: number, line: number) => `has a line longer than ${sizeWords(most)} (line ${line})`;

function unopened({ code, message }: NodeJS.ErrnoException, name: string, outcome: string): WaymarkError {
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return new WaymarkError('not_found', `There is no file ${name}. ${outcome}`);
  if (code === 'EMFILE' || code === 'ENFILE' || code === 'ENOMEM')
    return new WaymarkError(
      'system_busy',
      `The system has no memory or open files left to read ${name}. ${outcome} Close other programs and try again.`,
      message,
    );
  if (code === 'ELOOP') return refused(name, 'is a link, and links are not followed', outcome);
  if (code === 'ENXIO') return refused(name, NO_FILE, outcome);
  return refused(name, `cannot be read (${code ?? message})`, outcome);
}

function refused(name: string, why: string, outcome: string): WaymarkError {
  return new WaymarkError('bad_input', `${name} ${why}. ${outcome}`);
}

const sizeWords = (bytes: number) =>
  megabytes(bytes) === 0 ? `${Math.round(bytes / 1024)} KB` : `${megabytes(bytes)} MB`;

export function megabytes(bytes: number): number {
  return Math.round(bytes / 1024 ** 2);
}
