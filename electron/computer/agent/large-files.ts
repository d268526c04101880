import { createHash } from 'node:crypto';
import { FileError } from '../failures';
import { tooLarge } from '../file-texts';
import type { FileContent } from '../port';
import type { AgentClient } from './agent-client';
import { moment, wholeNumber } from './answer-numbers';
import { inPieces, type TransferPace } from './transfer-pace';

/** Pieces of one large file that are under way at a time. */
const piecesAtOnce = 4;
/** A file that changes while it is read is begun again this often. */
const readTries = 3;

interface FilePart {
  bytes: Uint8Array;
  /** Of the whole file, when the part was read. */
  size: number;
  mtimeMs: number;
}

/** At most 1 MB of a file, fewer bytes at its end. @throws AgentRefusal, ChannelLost */
async function readPart(
  client: AgentClient,
  path: string,
  offset: number,
  length: number,
): Promise<FilePart> {
  const { fields, body } = await client.request('f.range', [path, String(offset), String(length)]);
  return {
    bytes: body.subarray(0, length),
    size: wholeNumber(fields[0], 'the size of a file'),
    mtimeMs: moment(fields[1], 'the age of a file'),
  };
}

/** Up to `length` bytes from `offset`, of any length. @throws AgentRefusal, ChannelLost */
export async function readRange(
  client: AgentClient,
  path: string,
  offset: number,
  length: number,
  pace: TransferPace,
): Promise<{ bytes: Uint8Array; size: number }> {
  // Asked first: a length without end must not become memory without end.
  const first = await readPart(client, path, offset, Math.min(length, pace.pieceBytes));
  const total = Math.max(0, Math.min(length, first.size - offset));
  if (first.bytes.length >= total) return { bytes: first.bytes.slice(), size: first.size };
  const bytes = new Uint8Array(total);
  bytes.set(first.bytes);
  // Up to where no byte is missing, should the file shrink meanwhile.
  let end = total;
  await inPieces(first.bytes.length, total, pace, piecesAtOnce, async (at, wanted) => {
    const part = await readPart(client, path, offset + at, wanted);
    bytes.set(part.bytes, at);
    if (part.bytes.length < wanted) end = Math.min(end, at + part.bytes.length);
  });
  return { bytes: bytes.subarray(0, end), size: first.size };
}

/**
 * The whole of a file of `size` bytes as it was at one moment; one that only grows, like a log, as much of it as there was.
 * @throws FileError too_large, conflict; AgentRefusal, ChannelLost
 */
export async function readLarge(
  client: AgentClient,
  path: string,
  size: number,
  maxBytes: number,
  pace: TransferPace,
): Promise<Pick<FileContent, 'bytes' | 'sha256' | 'size' | 'mtimeMs'>> {
  let wanted = size;
  for (let tries = 1; ; tries += 1) {
    if (wanted > maxBytes) throw tooLarge(path, wanted, maxBytes);
    const bytes = new Uint8Array(wanted);
    const parts: FilePart[] = [];
    let whole = true;
    await inPieces(0, wanted, pace, piecesAtOnce, async (offset, length) => {
      const part = await readPart(client, path, offset, length);
      bytes.set(part.bytes, offset);
      whole &&= part.bytes.length === length;
      parts.push({ ...part, bytes: emptyBytes });
    });
    const { mtimeMs = 0, size: sizeThen = 0 } = parts[0] ?? {};
    const steady = parts.every((part) => part.size === wanted && part.mtimeMs === mtimeMs);
    const grew = tries >= readTries && parts.every((part) => part.size >= wanted);
    if (whole && (steady || grew)) {
      return { bytes, size: wanted, mtimeMs, sha256: createHash('sha256').update(bytes).digest('hex') };
    }
    if (tries >= readTries) {
      throw new FileError(
        'conflict',
        path,
        `${path} was changed again and again while it was read. Wait until it is written, or read a part of it.`,
      );
    }
    wanted = sizeThen;
  }
}

const emptyBytes = new Uint8Array(0);

export interface LargeWrite {
  path: string;
  bytes: Uint8Array;
  mkdirs: boolean;
  /** As the protocol writes them. */
  mode: string;
  expect: string;
}

/** Replaces a file in one step after all of it has arrived. @throws AgentRefusal, ChannelLost */
export async function writeLarge(
  client: AgentClient,
  order: LargeWrite,
  pace: TransferPace,
): Promise<{ sha256: string }> {
  const { path, bytes } = order;
  const begun = await client.request('f.begin', [path, order.mkdirs ? '1' : '0']);
  const handle = begun.fields[0] ?? '';
  try {
    await inPieces(0, bytes.length, pace, piecesAtOnce, async (offset, length) => {
      const body = bytes.subarray(offset, offset + length);
      await client.request('f.put', [handle, String(offset)], { body });
    });
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const done = await client.request('f.commit', [handle, order.mode, order.expect, sha256]);
    return { sha256: done.fields[0] ?? sha256 };
  } catch (error) {
    // The first failure is the one to tell; a draft whose channel is gone goes with its helper.
    await client.request('f.abort', [handle]).catch(() => undefined);
    throw error;
  }
}
