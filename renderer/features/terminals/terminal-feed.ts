import { call, listen } from '../../api';

const pageBytes = 256 * 1024;

export interface FeedOptions {
  run: string;
  uid: string;
  /** Raw offset to show up to; null = live, on and on. */
  until: number | null;
  /** Raw length of the session as far as it is known. */
  endOffset: number;
  /** `skipped` raw bytes before these were left out. Resolves when the terminal has parsed them. */
  write(bytes: Uint8Array): Promise<void>;
  clear(): void;
  failed(thrown: unknown): void;
}

/**
 * Fills one terminal: first the last pages before the end, then live frames in order. A frame that does not
 * continue where the terminal is means bytes were left out on the way: the terminal reads on from the store.
 * @returns the function that ends it.
 */
export function startFeed(options: FeedOptions): () => void {
  const { run, uid, until } = options;
  let at = Math.max(0, (until ?? options.endOffset) - pageBytes);
  let stopped = false;
  let reading = false;
  let wanted = until ?? options.endOffset;

  async function readOn(): Promise<void> {
    if (reading) return;
    reading = true;
    try {
      do {
        const limit = until ?? Number.POSITIVE_INFINITY;
        if (at >= limit) break;
        const maxBytes = Math.max(1, Math.min(pageBytes, limit - at));
        const chunk = await call('sessions.read', { run, uid, offset: at, maxBytes });
        if (stopped || chunk.endOffset <= at) break;
        at = chunk.endOffset;
        await options.write(chunk.bytes);
      } while (!stopped && at < wanted);
    } finally {
      reading = false;
    }
  }

  const guarded = () => {
    readOn().catch((thrown: unknown) => {
      if (!stopped) options.failed(thrown);
    });
  };
  const stopLive =
    until === null
      ? listen('live.session', (frame) => {
          if (frame.run !== run || frame.uid !== uid || stopped) return;
          wanted = Math.max(wanted, frame.endOffset);
          if (frame.endOffset <= at) return;
          if (!reading && frame.offset === at) {
            at = frame.endOffset;
            void options.write(frame.bytes);
          } else guarded();
        })
      : () => undefined;
  options.clear();
  const watched = until === null ? call('sessions.watch', { run, uids: [uid] }) : Promise.resolve();
  watched.then(guarded, (thrown: unknown) => options.failed(thrown));
  return () => {
    stopped = true;
    stopLive();
  };
}
