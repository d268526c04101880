import { failureOf } from '../api';

/** Typed and not yet sent; what comes on top is refused rather than piled up. */
const maxWaitingBytes = 4 * 1024 * 1024;
/** One command to the main process. */
const pieceBytes = 64 * 1024;

/** Why bytes were not sent: the link is not up, too much waits, or sending failed with these words. */
export type Refusal = { kind: 'link' } | { kind: 'full' } | { kind: 'failed'; message: string };

export interface InputDoors {
  /** Whether the link takes keys now. */
  open(): boolean;
  send(bytes: Uint8Array<ArrayBuffer>): Promise<void>;
  sent(): void;
  refused(bytes: number, why: Refusal): void;
}

/**
 * Keys on their way into one terminal: in order, one command under way at a time, those that come meanwhile together in the
 * next. What a link that is not up would swallow is refused at once, and what waits behind a failure is refused with it: it
 * would arrive when nobody expects it any more.
 */
export class TerminalInput {
  private readonly doors: InputDoors;
  private waiting: Uint8Array[] = [];
  private bytes = 0;
  private busy = false;

  constructor(doors: InputDoors) {
    this.doors = doors;
  }

  type(bytes: Uint8Array): void {
    if (!this.doors.open()) {
      this.doors.refused(bytes.length, { kind: 'link' });
      return;
    }
    if (this.bytes + bytes.length > maxWaitingBytes) {
      this.doors.refused(bytes.length, { kind: 'full' });
      return;
    }
    this.waiting.push(bytes);
    this.bytes += bytes.length;
    void this.send();
  }

  private async send(): Promise<void> {
    if (this.busy) return;
    this.busy = true;
    try {
      while (this.bytes > 0) {
        const piece = this.take();
        try {
          await this.doors.send(piece);
          this.doors.sent();
        } catch (thrown) {
          const lost = piece.length + this.bytes;
          this.waiting = [];
          this.bytes = 0;
          this.doors.refused(lost, { kind: 'failed', message: failureOf(thrown).message });
        }
      }
    } finally {
      this.busy = false;
    }
  }

  /** The next bytes, as many as go together. */
  private take(): Uint8Array<ArrayBuffer> {
    const size = Math.min(pieceBytes, this.bytes);
    const piece = new Uint8Array(size);
    for (let filled = 0; filled < size; ) {
      const first = this.waiting[0] ?? piece;
      const part = first.subarray(0, size - filled);
      piece.set(part, filled);
      filled += part.length;
      if (part.length === first.length) this.waiting.shift();
      else this.waiting[0] = first.subarray(part.length);
    }
    this.bytes -= size;
    return piece;
  }
}
