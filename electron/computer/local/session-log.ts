import { type FileHandle, open } from 'node:fs/promises';
import { CommandIndex, MarkerScanner } from '@shared/terminal/command-markers';
import type { SessionBytes, SessionChunk } from '../port';
import type { SessionFiles } from './session-files';
import { SpoolWatch } from './spool-watch';

const scanChunk = 1024 * 1024;
const followChunk = 512 * 1024;

/** The byte log of one session: reading, following, and the index of its commands. */
export class SessionLog {
  readonly index = new CommandIndex();
  readonly #files: SessionFiles;
  readonly #scanner: MarkerScanner;
  readonly #watch: SpoolWatch;
  #handle: Promise<FileHandle> | undefined;
  #scan: Promise<void> = Promise.resolve();
  #scanBuffer: Uint8Array | undefined;

  constructor(files: SessionFiles, nonce: string) {
    this.#files = files;
    this.#scanner = new MarkerScanner(nonce);
    this.#watch = new SpoolWatch(files.directory);
  }

  #open(): Promise<FileHandle> {
    this.#handle ??= open(this.#files.path('spool'), 'r');
    return this.#handle;
  }

  /** Brings the index up to what the log holds now. */
  catchUp(): Promise<void> {
    // One at a time; a second caller waits for a look that begins after its call.
    this.#scan = this.#scan.then(() => this.#readNew());
    return this.#scan;
  }

  async #readNew(): Promise<void> {
    const handle = await this.#open();
    this.#scanBuffer ??= new Uint8Array(scanChunk);
    for (;;) {
      const { bytesRead } = await handle.read(this.#scanBuffer, 0, scanChunk, this.#scanner.offset);
      if (bytesRead === 0) return;
      for (const marker of this.#scanner.push(this.#scanBuffer.subarray(0, bytesRead)))
        this.index.accept(marker);
      this.#watch.active();
    }
  }

  async read(offset: number, maxBytes: number): Promise<SessionBytes> {
    const handle = await this.#open();
    const { size } = await handle.stat();
    const length = Math.max(0, Math.min(maxBytes, size - offset));
    const bytes = new Uint8Array(length);
    let filled = 0;
    while (filled < length) {
      const { bytesRead } = await handle.read(bytes, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return { bytes: bytes.subarray(0, filled), offset, endOffset: size };
  }

  /** See `SessionHost.follow`. Keeps its own handle, so that closing the session does not cut it short. */
  async follow(
    from: number,
    onChunk: (chunk: SessionChunk) => void | Promise<void>,
    signal: AbortSignal,
  ): Promise<{ reason: 'ended' | 'aborted'; offset: number }> {
    const handle = await open(this.#files.path('spool'), 'r');
    // Not a Buffer: its `slice` would be a view of memory that is used again.
    const buffer = new Uint8Array(followChunk);
    let offset = from;
    let over = false;
    try {
      while (!signal.aborted) {
        const { bytesRead } = await handle.read(buffer, 0, followChunk, offset);
        if (bytesRead > 0) {
          const { mtimeMs } = await handle.stat();
          const bytes = buffer.subarray(0, bytesRead);
          await onChunk({ offset, bytes, receivedAt: Date.now(), hostAt: mtimeMs });
          offset += bytesRead;
          this.#watch.active();
          if (bytesRead === followChunk) continue;
        } else if (over) {
          return { reason: 'ended', offset };
        } else {
          // Read once more after the end was seen: the last bytes may have come in between.
          over = (await this.#files.life()).life !== 'alive';
          if (over) continue;
        }
        await this.#watch.changed(signal);
      }
      return { reason: 'aborted', offset };
    } finally {
      await handle.close();
    }
  }

  /** Waits for the next change of the log, or a moment that is worth another look. */
  changed(signal: AbortSignal): Promise<void> {
    return this.#watch.changed(signal);
  }

  async close(): Promise<void> {
    this.#watch.close();
    await this.#scan;
    await (await this.#handle)?.close();
    this.#handle = undefined;
  }
}
