import { type FilterOptions, TerminalFilter } from '@shared/terminal/terminal-filter';

/** Raw bytes of one frame to the window, which parses it in one go: 1 ms of its time, 25 ms when all are line breaks, before a key is heard. */
export const frameBytes = 32 * 1024;
/** Raw bytes on their way that the window has not said to have parsed: with a second full frame behind it a key would wait for both. */
const maxUnseen = frameBytes;
/** Beyond this the screen skips to the end; the byte log keeps everything. */
export const maxBehind = 4 * 1024 * 1024;
/** How far into a slice its first whole line is looked for. */
const lineLook = 64 * 1024;

/** What one terminal of the window has been sent, and how much of it it has taken. Offsets count raw bytes. */
export class TerminalScreen {
  /** First byte that was not sent yet. */
  at: number;
  private filter: TerminalFilter;
  private seenTo: number;
  private skipped = false;
  private waiting: (() => void)[] = [];
  private readonly human: boolean;

  /** `filter` has taken everything before `at`. */
  constructor(at: number, filter: TerminalFilter, options: { human?: boolean } = {}) {
    this.at = at;
    this.filter = filter;
    this.seenTo = at;
    this.human = options.human === true;
  }

  /** Whether another frame may go; without a word from the window none does for ever. */
  get room(): boolean {
    return this.at - this.seenTo < maxUnseen;
  }

  /** The window has parsed everything before `offset`. */
  seen(offset: number): void {
    if (offset <= this.seenTo || offset > this.at) return;
    this.seenTo = offset;
    this.wake();
  }

  /** Resolves when there is room, or when `signal` aborts. */
  async untilRoom(signal: AbortSignal): Promise<void> {
    while (!this.room && !signal.aborted) {
      await new Promise<void>((resolve) => {
        const done = () => {
          signal.removeEventListener('abort', done);
          resolve();
        };
        signal.addEventListener('abort', done, { once: true });
        this.waiting.push(done);
      });
    }
  }

  /** The next bytes as the window may have them. `questions`: it may answer what they ask. */
  frame(bytes: Uint8Array, questions = false): { offset: number; endOffset: number; bytes: Uint8Array } {
    const offset = this.at;
    this.filter.questions = questions;
    this.at += bytes.length;
    const whole = this.skipped ? fromWholeLine(bytes) : bytes;
    this.skipped = false;
    return { offset, endOffset: this.at, bytes: this.filter.write(whole) };
  }

  /** Leaves out everything before `offset` and goes on at a whole line; what was sent counts as taken. */
  skipTo(offset: number): void {
    this.skipped = true;
    this.at = offset;
    this.seenTo = offset;
    this.filter = new TerminalFilter({ human: this.human });
    this.wake();
  }

  private wake(): void {
    for (const resolve of this.waiting.splice(0)) resolve();
  }
}

/**
 * The filtered rendition of a slice that begins anywhere in a log: from its first whole line on, so that the screen
 * does not start inside a character or an escape sequence; the filter is left at the end of the slice.
 */
export function renderSlice(
  bytes: Uint8Array,
  offset: number,
  options: FilterOptions,
): { filter: TerminalFilter; bytes: Uint8Array } {
  const filter = new TerminalFilter(options);
  return { filter, bytes: filter.write(offset === 0 ? bytes : fromWholeLine(bytes)) };
}

function fromWholeLine(bytes: Uint8Array): Uint8Array {
  const feed = bytes.subarray(0, lineLook).indexOf(0x0a);
  if (feed >= 0) return bytes.subarray(feed + 1);
  // One endless line: at least no half character.
  let start = 0;
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  return bytes.subarray(start);
}
