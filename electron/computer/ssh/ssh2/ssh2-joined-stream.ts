import { Duplex, type Readable, type Writable } from 'node:stream';

/** Bytes that wait before a writer is told to. */
const highWaterMark = 64 * 1024;

/**
 * A stream to read and one to write as one. ssh2's channels never call back for what is written after the connection
 * went; here such bytes go nowhere, reading ends after the last byte that came, and then `close` follows.
 */
export class JoinedStream extends Duplex {
  private pending: ((error?: Error | null) => void) | undefined;
  private lost = false;
  private readingEnded = false;

  constructor(
    private readonly source: Readable,
    private readonly sink: Writable,
    private readonly onDestroy: () => void,
  ) {
    super({ writableHighWaterMark: highWaterMark });
    source.on('data', (chunk: Buffer) => {
      if (!this.destroyed && !this.push(chunk)) source.pause();
    });
    source.pause();
    source.on('end', () => this.endReading());
    source.on('close', () => this.endReading());
    // Why it broke is told by whoever owns the connection.
    source.on('error', () => this.lose());
    sink.on('error', () => this.lose());
    this.on('error', () => this.lose());
  }

  /** The other side is gone. */
  lose(): void {
    if (this.lost) return;
    this.lost = true;
    this.written();
    this.end();
  }

  override _read(): void {
    this.source.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.lost) {
      done();
      return;
    }
    this.pending = done;
    this.sink.write(chunk, encoding, () => {
      if (this.pending === done) this.written();
    });
  }

  override _final(done: (error?: Error | null) => void): void {
    if (!this.lost) this.sink.end();
    done();
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.lost = true;
    this.written();
    // After the last byte the other side ends by itself, with something left to say: how it ended.
    if (!this.readingEnded) this.onDestroy();
    done(error);
  }

  private written(): void {
    const done = this.pending;
    this.pending = undefined;
    done?.();
  }

  private endReading(): void {
    if (this.readingEnded) return;
    this.readingEnded = true;
    if (!this.destroyed) this.push(null);
  }
}
