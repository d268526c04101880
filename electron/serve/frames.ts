import { nestsDeeper } from '@shared/base/json-depth';

/**
 * Frames of `docs/remote.md`: two lengths (32 bit, big-endian), a JSON header, and the bytes of the header's typed
 * arrays one after the other. The header is `{m, b}`: the message with null where bytes stood, and their places and lengths.
 */

/** Nothing after it can be trusted. */
export class MessageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MessageError';
  }
}

const headBytes = 8;
/** Messages nest no deeper than this: what does is no message of ours. */
const deepest = 64;
const mostParts = 10_000;

interface Part {
  path: (string | number)[];
  length: number;
}

/** @param limit of the whole frame, bytes. @throws MessageError when the message is larger */
export function encodeFrame(message: unknown, limit: number): Buffer {
  const parts: Part[] = [];
  const bodies: Uint8Array[] = [];
  const plain = withoutBytes(message, [], (path, bytes) => {
    parts.push({ path, length: bytes.byteLength });
    bodies.push(bytes);
  });
  const header = Buffer.from(JSON.stringify(parts.length === 0 ? { m: plain } : { m: plain, b: parts }));
  const body = bodies.reduce((sum, bytes) => sum + bytes.byteLength, 0);
  if (headBytes + header.length + body > limit) {
    throw new MessageError(`A message of ${header.length + body} bytes is longer than ${limit}.`);
  }
  const head = Buffer.alloc(headBytes);
  head.writeUInt32BE(header.length, 0);
  head.writeUInt32BE(body, 4);
  return Buffer.concat([head, header, ...bodies]);
}

/** Copies what holds bytes; everything else is given to JSON as it is. */
function withoutBytes(
  value: unknown,
  path: (string | number)[],
  found: (path: (string | number)[], bytes: Uint8Array) => void,
): unknown {
  if (value instanceof Uint8Array) {
    found(path, value);
    return null;
  }
  if (path.length >= deepest || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((each, at) => withoutBytes(each, [...path, at], found));
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, withoutBytes(each, [...path, key], found)]),
  );
}

/** Puts messages together from pieces of any size; holds one frame at most. */
export class MessageDecoder {
  private pieces: Buffer[] = [];
  private length = 0;
  private head: { header: number; body: number } | null = null;

  /** @param limit of a whole frame, bytes */
  constructor(private readonly limit: number) {}

  /** @throws MessageError */
  push(piece: Uint8Array, onMessage: (message: unknown) => void): void {
    this.pieces.push(Buffer.from(piece.buffer, piece.byteOffset, piece.byteLength));
    this.length += piece.byteLength;
    for (;;) {
      if (this.head === null) {
        if (this.length < headBytes) return;
        const head = this.take(headBytes);
        const [header, body] = [head.readUInt32BE(0), head.readUInt32BE(4)];
        if (header < 2 || headBytes + header + body > this.limit) {
          throw new MessageError(`A frame of ${header} and ${body} bytes is out of bounds.`);
        }
        this.head = { header, body };
      }
      const { header, body } = this.head;
      if (this.length < header + body) return;
      this.head = null;
      onMessage(readMessage(this.take(header), this.take(body)));
    }
  }

  private take(length: number): Buffer {
    const [first] = this.pieces;
    if (first !== undefined && first.length >= length) {
      this.length -= length;
      if (first.length === length) this.pieces.shift();
      else this.pieces[0] = first.subarray(length);
      return first.subarray(0, length);
    }
    const all = Buffer.concat(this.pieces);
    this.pieces = all.length > length ? [all.subarray(length)] : [];
    this.length -= length;
    return all.subarray(0, length);
  }
}

function readMessage(header: Buffer, body: Buffer): unknown {
  let parsed: unknown;
  const text = header.toString('utf8');
  if (nestsDeeper(text, 2 * deepest)) {
    throw new MessageError(`A frame's header nests deeper than ${2 * deepest} levels.`);
  }
  try {
    parsed = JSON.parse(text);
  } catch (cause) {
    throw new MessageError(`A frame's header is not JSON: ${(cause as Error).message}`);
  }
  if (typeof parsed !== 'object' || parsed === null || !('m' in parsed)) {
    throw new MessageError('A frame carries no message.');
  }
  const holder: { m: unknown } = { m: parsed.m };
  let at = 0;
  for (const { path, length } of readParts('b' in parsed ? parsed.b : [])) {
    if (at + length > body.length) throw new MessageError('A frame names more bytes than it carries.');
    // A copy: a small piece kept for long must not keep the whole frame.
    place(holder, path, new Uint8Array(body.subarray(at, at + length)));
    at += length;
  }
  if (at !== body.length) throw new MessageError('A frame carries bytes that it does not name.');
  return holder.m;
}

function readParts(value: unknown): Part[] {
  if (!Array.isArray(value) || value.length > mostParts)
    throw new MessageError('A frame names its bytes wrongly.');
  return value.map((part: unknown) => {
    if (typeof part === 'object' && part !== null && 'path' in part && 'length' in part) {
      const { path, length } = part;
      const steps = Array.isArray(path) && path.length <= deepest && path.every(isStep) ? path : null;
      if (steps !== null && Number.isSafeInteger(length) && Number(length) >= 0) {
        return { path: steps, length: Number(length) };
      }
    }
    throw new MessageError('A frame names its bytes wrongly.');
  });
}

function isStep(value: unknown): value is string | number {
  return typeof value === 'string' || typeof value === 'number';
}

/** Puts bytes where the sender took them from: at a null that is there, and nowhere else. */
function place(holder: { m: unknown }, path: readonly (string | number)[], bytes: Uint8Array): void {
  let at: Record<string, unknown> = holder;
  let key = 'm';
  for (const step of path) {
    const next = Object.hasOwn(at, key) ? at[key] : null;
    if (typeof next !== 'object' || next === null)
      throw new MessageError('A frame names bytes for no place.');
    at = next as Record<string, unknown>;
    key = String(step);
  }
  if (!Object.hasOwn(at, key) || at[key] !== null) {
    throw new MessageError('A frame names bytes for no place.');
  }
  at[key] = bytes;
}
