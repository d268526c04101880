import type { Duplex } from 'node:stream';
import { encodeHead } from './frames';

/** Frames with a longer body wait until what was written before is on its way. */
const bulkBytes = 32 * 1024;

/**
 * The way out of a channel. Small frames (keys, looks, keepalives) overtake waiting large ones, so that an upload
 * over a slow link holds up nobody's typing for longer than one piece takes.
 */
export class FrameSender {
  private readonly stream: Duplex;
  private readonly bulk: { fields: readonly string[]; body: Uint8Array }[] = [];
  private blocked = false;
  private sentBytes = 0;

  constructor(stream: Duplex) {
    this.stream = stream;
    stream.on('drain', () => this.drained());
  }

  /** Bytes given to the channel so far; on a slow way up, answers wait behind them. */
  get bytesSent(): number {
    return this.sentBytes;
  }

  /** @throws WaymarkError bad_input, when a part is too long */
  send(fields: readonly string[], body: Uint8Array | undefined): void {
    if (body && body.length > bulkBytes && (this.blocked || this.bulk.length > 0)) {
      encodeHead(fields, body.length); // Refuses what is too long now, not later.
      this.bulk.push({ fields, body });
    } else {
      this.write(fields, body);
    }
  }

  private write(fields: readonly string[], body: Uint8Array | undefined): void {
    const head = encodeHead(fields, body?.length ?? 0);
    this.sentBytes += head.length + (body?.length ?? 0);
    // A frame in one write: two would be two packets, for every key.
    const small = body && body.length <= bulkBytes;
    if (!body || small) {
      this.blocked = !this.stream.write(small ? Buffer.concat([head, body]) : head);
      return;
    }
    this.stream.cork();
    this.stream.write(head);
    this.blocked = !this.stream.write(body);
    this.stream.uncork();
  }

  private drained(): void {
    this.blocked = false;
    while (!this.blocked) {
      const next = this.bulk.shift();
      if (!next) return;
      this.write(next.fields, next.body);
    }
  }
}
