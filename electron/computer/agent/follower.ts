import type { SessionChunk } from '../port';
import { ChannelLost } from './agent-failures';
import { moment, wholeNumber } from './answer-numbers';

/** Bytes the host may send ahead of one consumer. */
export const followWindow = 1024 * 1024;
const grantBytes = 256 * 1024;
/** Most bytes a consumer gets at once; as much as from a log on this machine. */
const handOverBytes = 512 * 1024;
/** Pieces waiting beyond this many are joined: a million single bytes must not become a million objects. */
const maxPieces = 64;
const joinBytes = 64 * 1024;
/** More than a host that keeps to its credit can have waiting: gaps are rare, and small pieces were joined. */
const mostPieces = 4096;

export interface FollowOptions {
  onChunk: (chunk: SessionChunk) => void | Promise<void>;
  /** Bytes that were gone on the host before they could be sent. */
  onGap?: ((gap: { from: number; to: number }) => void | Promise<void>) | undefined;
  /** Ends it, which is no error. */
  signal: AbortSignal;
}

export interface FollowEnd {
  reason: 'ended' | 'aborted';
  /** Everything before was handed over. */
  offset: number;
}

interface BytesPiece extends SessionChunk {
  kind: 'bytes';
  /** Memory `bytes` begins in and has room to grow in, once pieces were joined. */
  room?: Uint8Array;
}

type Piece = BytesPiece | { kind: 'gap'; from: number; to: number };

/** What one consumer has asked for and not yet taken. Checks that no byte is missing or comes twice. */
export class Follower {
  private readonly options: FollowOptions;
  private readonly grant: (bytes: number) => void;
  private readonly pieces: Piece[] = [];
  /** The next offset the host must send. */
  private expected: number;
  /** Everything before was handed over. */
  private offset: number;
  private ungranted = 0;
  /** Bytes the host may still send. */
  private credit = followWindow;
  private hasEnded = false;
  private failure: Error | undefined;
  private wake: (() => void) | undefined;

  constructor(offset: number, options: FollowOptions, grant: (bytes: number) => void) {
    this.expected = offset;
    this.offset = offset;
    this.options = options;
    this.grant = grant;
  }

  /** @throws ChannelLost when the host skips or repeats bytes, or sends more than was asked for: it cannot be trusted */
  bytes([offsetField, hostField]: readonly string[], bytes: Uint8Array): void {
    const offset = this.inOrder(offsetField);
    const hostAt = moment(hostField, 'the time of output');
    this.credit -= bytes.length;
    if (this.credit < 0) throw new ChannelLost('the host sent more output than was asked for.');
    if (bytes.length === 0) return;
    this.expected += bytes.length;
    const last = this.pieces.at(-1);
    const receivedAt = Date.now();
    if (last?.kind === 'bytes' && this.pieces.length >= maxPieces && fits(last, bytes)) {
      join(last, { offset, bytes, receivedAt, hostAt });
    } else {
      // A few bytes that wait must not keep the whole piece they came in.
      const slack = bytes.buffer.byteLength > 4 * bytes.length;
      this.put({ kind: 'bytes', offset, bytes: slack ? bytes.slice() : bytes, receivedAt, hostAt });
    }
    this.wake?.();
  }

  /** @throws ChannelLost */
  gap([fromField, toField]: readonly string[]): void {
    const from = this.inOrder(fromField);
    const to = wholeNumber(toField, 'the end of a gap');
    if (to <= from) throw new ChannelLost(`the host reported a gap from ${from} to ${to}.`);
    this.expected = to;
    const last = this.pieces.at(-1);
    if (last?.kind === 'gap') last.to = to;
    else this.put({ kind: 'gap', from, to });
    this.wake?.();
  }

  /** @throws ChannelLost */
  ended([offsetField]: readonly string[]): void {
    this.inOrder(offsetField);
    this.hasEnded = true;
    this.wake?.();
  }

  /** What has come is still handed over. */
  fail(error: Error): void {
    this.failure ??= error;
    this.wake?.();
  }

  private put(piece: Piece): void {
    if (this.pieces.length >= mostPieces) throw new ChannelLost('the host sent output in crumbs.');
    this.pieces.push(piece);
  }

  private inOrder(field: string | undefined): number {
    const offset = wholeNumber(field, 'the place of output');
    if (this.hasEnded) throw new ChannelLost('the host sent output after the end of a session.');
    if (offset === this.expected) return offset;
    throw new ChannelLost(`the host sent output from offset ${offset} where ${this.expected} comes next.`);
  }

  /** Hands over until the end. @throws what the consumer throws, or what `fail` was told */
  async run(): Promise<FollowEnd> {
    const { signal } = this.options;
    const wake = () => this.wake?.();
    signal.addEventListener('abort', wake, { once: true });
    try {
      for (;;) {
        if (signal.aborted) return { reason: 'aborted', offset: this.offset };
        const piece = this.next();
        if (piece) await this.handOver(piece);
        else if (this.hasEnded) return { reason: 'ended', offset: this.offset };
        else if (this.failure) throw this.failure;
        else await this.more();
      }
    } finally {
      signal.removeEventListener('abort', wake);
    }
  }

  /** What waits, in one piece as far as it may: a consumer that writes to disk does so once for all that came meanwhile. */
  private next(): Piece | undefined {
    const first = this.pieces.shift();
    if (first?.kind !== 'bytes') return first;
    const parts = [first];
    let length = first.bytes.length;
    for (;;) {
      const next = this.pieces[0];
      if (next?.kind !== 'bytes' || length + next.bytes.length > handOverBytes) break;
      parts.push(next);
      length += next.bytes.length;
      this.pieces.shift();
    }
    const last = parts.at(-1);
    if (parts.length === 1 || !last) return first;
    const bytes = new Uint8Array(length);
    let at = 0;
    for (const part of parts) {
      bytes.set(part.bytes, at);
      at += part.bytes.length;
    }
    return { ...first, bytes, receivedAt: last.receivedAt, hostAt: last.hostAt };
  }

  private async handOver(piece: Piece): Promise<void> {
    if (piece.kind === 'gap') {
      await this.options.onGap?.({ from: piece.from, to: piece.to });
      this.offset = piece.to;
      return;
    }
    const { offset, bytes, receivedAt, hostAt } = piece;
    await this.options.onChunk({ offset, bytes, receivedAt, hostAt });
    this.offset = offset + bytes.length;
    this.ungranted += bytes.length;
    if (this.ungranted < grantBytes || this.hasEnded) return;
    this.credit += this.ungranted;
    this.grant(this.ungranted);
    this.ungranted = 0;
  }

  private more(): Promise<void> {
    return new Promise((resolve) => {
      this.wake = () => {
        this.wake = undefined;
        resolve();
      };
    });
  }
}

function fits(piece: BytesPiece, more: Uint8Array): boolean {
  return piece.bytes.length + more.length <= joinBytes;
}

function join(piece: BytesPiece, more: SessionChunk): void {
  const length = piece.bytes.length;
  if (!piece.room) {
    piece.room = new Uint8Array(joinBytes);
    piece.room.set(piece.bytes);
  }
  piece.room.set(more.bytes, length);
  piece.bytes = piece.room.subarray(0, length + more.bytes.length);
  piece.receivedAt = more.receivedAt;
  piece.hostAt = more.hostAt;
}
