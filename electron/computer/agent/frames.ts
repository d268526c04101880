import { WaymarkError } from '@shared/contract/errors';

/** The frames of `docs/host-agent.md`: `<header length> <body length>\n`, header, body. */

const maxHeaderBytes = 64 * 1024;
export const maxBodyBytes = 1024 * 1024;

const space = 0x20;
const newline = 0x0a;
const zero = 0x30;

export interface Frame {
  fields: string[];
  /** May be a view into the piece that was received, and keeps that in memory: a small one kept for long is copied. */
  body: Uint8Array;
}

/** The other side sent what is no frame; nothing after it can be trusted. */
export class FrameError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'FrameError';
  }
}

/** Head of a frame; the body follows it as it is. @throws WaymarkError bad_input, when a part is too long */
export function encodeHead(fields: readonly string[], bodyLength: number): Buffer {
  const header = fields.map(escapeField).join('\t');
  const length = Buffer.byteLength(header);
  if (length > maxHeaderBytes) throw tooLong(length, maxHeaderBytes, 'names, paths and variables');
  if (bodyLength > maxBodyBytes) throw tooLong(bodyLength, maxBodyBytes, 'content');
  return Buffer.from(`${length} ${bodyLength}\n${header}`);
}

function tooLong(length: number, limit: number, what: string): WaymarkError {
  return new WaymarkError(
    'bad_input',
    `${length} bytes of ${what} cannot be sent to a host at once; the most is ${limit}. Make it shorter.`,
  );
}

const escapes: Record<string, string> = { '%': '%25', '\t': '%09', '\n': '%0A', '\r': '%0D', '\0': '%00' };
const unescapes: Record<string, string> = { '25': '%', '09': '\t', '0A': '\n', '0D': '\r', '00': '\0' };

export function escapeField(text: string): string {
  return text.replace(/[%\t\n\r\0]/g, (character) => escapes[character] ?? character);
}

export function unescapeField(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(/%(25|09|0A|0D|00)/g, (_match, code: string) => unescapes[code] ?? '');
}

/** Puts frames together from pieces of any size. Holds one frame at most; a frame within one piece is not copied. */
export class FrameDecoder {
  private stage: 'header length' | 'body length' | 'header' | 'body' = 'header length';
  private digits = 0;
  private headerLength = 0;
  private bodyLength = 0;
  private fields: string[] = [];
  /** What has come of a header or body that began in an earlier piece. */
  private part: Uint8Array | undefined;
  private filled = 0;

  /** @throws FrameError */
  push(piece: Uint8Array, onFrame: (frame: Frame) => void): void {
    // Not a Buffer: its `slice` would be a view where everybody expects a copy.
    const bytes = new Uint8Array(piece.buffer, piece.byteOffset, piece.byteLength);
    let at = 0;
    while (at < bytes.length) {
      if (this.stage === 'header length' || this.stage === 'body length') {
        this.length(bytes[at] ?? 0);
        at += 1;
        continue;
      }
      const wanted = (this.stage === 'header' ? this.headerLength : this.bodyLength) - this.filled;
      const whole = this.take(bytes.subarray(at, at + wanted), wanted);
      at += Math.min(wanted, bytes.length - at);
      if (whole) this.whole(whole, onFrame);
    }
  }

  /** One byte of the first line. */
  private length(byte: number): void {
    const digit = byte - zero;
    const inHeader = this.stage === 'header length';
    if (digit >= 0 && digit <= 9 && this.digits < 8) {
      this.digits += 1;
      if (inHeader) this.headerLength = this.headerLength * 10 + digit;
      else this.bodyLength = this.bodyLength * 10 + digit;
      return;
    }
    if (this.digits === 0 || byte !== (inHeader ? space : newline)) {
      throw new FrameError('What the host sent is not a frame.');
    }
    this.digits = 0;
    if (inHeader) {
      this.stage = 'body length';
      return;
    }
    if (this.headerLength < 1 || this.headerLength > maxHeaderBytes || this.bodyLength > maxBodyBytes) {
      throw new FrameError(
        `The host sent a frame of ${this.headerLength} and ${this.bodyLength} bytes, out of bounds.`,
      );
    }
    this.stage = 'header';
  }

  /** The header or body once it is complete. `wanted`: bytes it lacks; `bytes` are at most that many. */
  private take(bytes: Uint8Array, wanted: number): Uint8Array | undefined {
    if (!this.part && bytes.length === wanted) return bytes;
    this.part ??= new Uint8Array(wanted);
    this.part.set(bytes, this.filled);
    this.filled += bytes.length;
    if (bytes.length < wanted) return undefined;
    const whole = this.part;
    this.part = undefined;
    this.filled = 0;
    return whole;
  }

  private whole(bytes: Uint8Array, onFrame: (frame: Frame) => void): void {
    if (this.stage === 'header') {
      const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
      this.fields = text.split('\t').map(unescapeField);
      this.stage = 'body';
      if (this.bodyLength > 0) return;
    }
    const frame = { fields: this.fields, body: this.bodyLength > 0 ? bytes : new Uint8Array(0) };
    this.stage = 'header length';
    this.headerLength = 0;
    this.bodyLength = 0;
    this.fields = [];
    onFrame(frame);
  }
}
