import { randomBytes } from 'node:crypto';
import type { AgentClient } from './agent-client';
import { ChannelLost } from './agent-failures';
import { wholeNumber } from './answer-numbers';
import { maxBodyBytes } from './frames';
import { inPieces, type TransferPace } from './transfer-pace';

/** Pieces of one long read that are under way at a time. */
const piecesAtOnce = 4;
const stageBytes = 256 * 1024;

interface LogPart {
  bytes: Uint8Array;
  /** Length of the whole log. */
  endOffset: number;
  /** First byte that is still there. */
  dropped: number;
}

/** Up to `maxBytes` of a session's log, however many; see `SessionBackend.read`. @throws AgentRefusal, ChannelLost */
export async function readLog(
  client: AgentClient,
  directory: string,
  offset: number,
  maxBytes: number,
  pace: TransferPace,
): Promise<LogPart> {
  const first = await readPart(client, directory, offset, Math.min(maxBytes, pace.pieceBytes));
  const total = Math.max(0, Math.min(maxBytes, first.endOffset - offset));
  if (first.dropped > offset || first.bytes.length >= total) {
    return { ...first, bytes: first.bytes.slice() };
  }
  const bytes = new Uint8Array(total);
  bytes.set(first.bytes);
  let { dropped } = first;
  await inPieces(first.bytes.length, total, pace, piecesAtOnce, async (at, wanted) => {
    const part = await readPart(client, directory, offset + at, wanted);
    // Nothing may stand for bytes that did not come.
    if (part.bytes.length < wanted && part.dropped <= offset + at)
      throw new ChannelLost(`the host sent ${part.bytes.length} bytes of a log where it has ${wanted}.`);
    bytes.set(part.bytes, at);
    // Bytes may be dropped between two pieces: the caller sees that the log begins later now.
    dropped = Math.max(dropped, part.dropped);
  });
  return { bytes, endOffset: first.endOffset, dropped };
}

async function readPart(
  client: AgentClient,
  directory: string,
  offset: number,
  length: number,
): Promise<LogPart> {
  const { fields, body } = await client.request('read', [directory, String(offset), String(length)]);
  return {
    bytes: body.subarray(0, length),
    endOffset: wholeNumber(fields[1], 'the length of a log'),
    dropped: wholeNumber(fields[2], 'the beginning of a log'),
  };
}

/** Bytes of an order as its body or, when they do not fit a frame, staged under a key. @throws AgentRefusal, ChannelLost */
export async function staged(
  client: AgentClient,
  bytes: Uint8Array,
): Promise<{ key: string; body: Uint8Array | undefined }> {
  if (bytes.length <= maxBodyBytes) return { key: '', body: bytes };
  const key = randomBytes(8).toString('hex');
  for (let at = 0; at < bytes.length; at += stageBytes) {
    await client.request('stage', [key, String(at)], { body: bytes.subarray(at, at + stageBytes) });
  }
  return { key, body: undefined };
}
