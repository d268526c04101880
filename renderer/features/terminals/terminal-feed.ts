import type { TerminalPage } from '@shared/contract/ipc/terminals';

/** Raw bytes of one page. */
const pageBytes = 256 * 1024;
/** Raw bytes before the end: a scrollback of 10,000 lines of up to 200 bytes. */
const liveTailBytes = 2 * 1024 * 1024;
/** Raw bytes before a moment that is looked back at: as many as are parsed before a person sees the wait. */
const momentTailBytes = 512 * 1024;

/** Where a terminal's bytes come from: a session of a run, or a terminal of the person's own. */
export interface FeedSource {
  /** `live`: what follows comes to the listener under this number. */
  read(offset: number, maxBytes: number, live: number | undefined): Promise<TerminalPage>;
  listen(listener: (frame: TerminalPage & { live: number }) => void): () => void;
  /** Everything before `offset` is parsed. */
  seen(offset: number): Promise<void>;
  watch(): Promise<void>;
  unwatch(): void;
}

/** Raw bytes that are not on the screen: lost on the host before they were fetched, or skipped to keep up. */
export interface Hole {
  from: number;
  to: number;
  lost: boolean;
}

export interface FeedOptions {
  source: FeedSource;
  /** Raw offset to show up to; null = live, on and on. */
  until: number | null;
  /** First byte that can be had. */
  startOffset: number;
  /** Raw length as far as it is known. */
  endOffset: number;
  /** What was lost on the host, in order. */
  gaps: readonly { from: number; to: number }[];
  /** Resolves when the terminal has parsed them. */
  write(bytes: Uint8Array): Promise<void>;
  /** Says in the terminal what is missing there. */
  hole(hole: Hole): Promise<void>;
  /** The history is shown; what comes from now on is new. */
  ready(): void;
  failed(thrown: unknown): void;
}

/**
 * Fills one terminal: the last bytes before the end, then live frames in order, each acknowledged when it is parsed. Frames
 * that overtake the page they follow wait for it. Bytes that are missing are named where they would stand.
 * @returns the function that ends it.
 */
export function startFeed(options: FeedOptions): () => void {
  const feed = new Feed(options);
  feed.start().catch((thrown: unknown) => feed.fail(thrown));
  return () => feed.stop();
}

let views = 0;

class Feed {
  private readonly options: FeedOptions;
  /** Frames of a view that was there before carry another number. */
  private readonly live: number;
  /** The next byte the terminal wants; null until the first page is there. */
  private at: number | null = null;
  private early: TerminalPage[] = [];
  private turn: Promise<void> = Promise.resolve();
  private stopListening: () => void = () => undefined;
  private stopped = false;

  constructor(options: FeedOptions) {
    this.options = options;
    views += 1;
    this.live = views;
  }

  async start(): Promise<void> {
    const { source, until, startOffset, endOffset } = this.options;
    const tail = until === null ? liveTailBytes : momentTailBytes;
    const from = this.afterGap(Math.max(startOffset, (until ?? endOffset) - tail));
    if (until !== null) {
      await this.pages(from, until);
      if (!this.stopped) this.options.ready();
      return;
    }
    this.stopListening = source.listen((frame) => {
      if (frame.live === this.live) this.frame(frame);
    });
    await source.watch();
    if (this.stopped) return;
    const page = await source.read(from, pageBytes, this.live);
    if (this.stopped) return;
    await this.show(from, page);
    this.at = page.endOffset;
    const early = this.early;
    this.early = [];
    for (const frame of early) this.frame(frame);
    await this.turn;
    if (!this.stopped) this.options.ready();
  }

  stop(): void {
    this.stopped = true;
    this.stopListening();
    if (this.options.until === null) this.options.source.unwatch();
  }

  fail(thrown: unknown): void {
    if (!this.stopped) this.options.failed(thrown);
  }

  /** Reads up to `until`, page by page. */
  private async pages(from: number, until: number): Promise<void> {
    for (let at = from; at < until && !this.stopped; ) {
      const page = await this.options.source.read(at, Math.min(momentTailBytes, until - at), undefined);
      if (this.stopped || page.endOffset <= at) return;
      await this.show(at, page);
      at = this.afterGap(page.endOffset);
      if (at > page.endOffset) await this.options.hole({ from: page.endOffset, to: at, lost: true });
    }
  }

  private frame(frame: TerminalPage): void {
    if (this.stopped) return;
    if (this.at === null) {
      this.early.push(frame);
      return;
    }
    const expected = this.at;
    this.at = frame.endOffset;
    this.turn = this.turn
      .then(async () => {
        if (this.stopped) return;
        await this.show(expected, frame);
        if (!this.stopped) await this.options.source.seen(frame.endOffset);
      })
      .catch((thrown: unknown) => this.fail(thrown));
  }

  /** Writes bytes that should begin at `expected`, and before them what is missing. */
  private async show(expected: number, page: TerminalPage): Promise<void> {
    if (page.offset > expected) {
      const lost = this.options.gaps.some(({ from, to }) => from < page.offset && to > expected);
      await this.options.hole({ from: expected, to: page.offset, lost });
    }
    if (!this.stopped && page.bytes.length > 0) await this.options.write(page.bytes);
  }

  private afterGap(offset: number): number {
    return this.options.gaps.find(({ from, to }) => from <= offset && offset < to)?.to ?? offset;
  }
}
