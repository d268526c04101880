import type { TerminalPage } from '@shared/contract/ipc/terminals';
import { expect, it } from 'vitest';
import { type FeedSource, type Hole, startFeed } from './terminal-feed';

const text = (bytes: Uint8Array) => new TextDecoder().decode(bytes);
const encode = (written: string) => new TextEncoder().encode(written);

/** A log of letters, and a terminal that parses when it is told to. */
function stand(
  log: string,
  rest: { until?: number; gaps?: { from: number; to: number }[]; start?: number } = {},
) {
  const shown: (string | Hole)[] = [];
  const seen: number[] = [];
  const failed: unknown[] = [];
  const reads: [number, number, number | undefined][] = [];
  let ready = 0;
  let listener: ((frame: TerminalPage & { live: number }) => void) | null = null;
  let live = 0;
  let watching = false;
  let answer: Promise<void> = Promise.resolve();
  const parsing: (() => void)[] = [];
  let slow = false;
  const page = (offset: number, end: number): TerminalPage => ({
    offset,
    endOffset: end,
    bytes: encode(log.slice(offset, end)),
  });
  const source: FeedSource = {
    read: async (offset, maxBytes, number) => {
      reads.push([offset, maxBytes, number]);
      if (number !== undefined) live = number;
      await answer;
      const gap = rest.gaps?.find(({ from, to }) => from <= offset && offset < to);
      const from = gap?.to ?? offset;
      const next = rest.gaps?.find((each) => each.from > from)?.from ?? log.length;
      return page(from, Math.min(from + maxBytes, next));
    },
    listen: (take) => {
      listener = take;
      return () => {
        listener = null;
      };
    },
    seen: async (offset) => {
      seen.push(offset);
    },
    watch: async () => {
      watching = true;
    },
    unwatch: () => {
      watching = false;
    },
  };
  const stop = startFeed({
    source,
    until: rest.until ?? null,
    startOffset: rest.start ?? 0,
    endOffset: log.length,
    gaps: rest.gaps ?? [],
    write: (bytes) => {
      shown.push(text(bytes));
      return slow ? new Promise((resolve) => parsing.push(resolve)) : Promise.resolve();
    },
    hole: async (hole) => {
      shown.push(hole);
    },
    ready: () => {
      ready += 1;
    },
    failed: (thrown) => failed.push(thrown),
  });
  const frame = (offset: number, written: string, number = live) =>
    listener?.({ offset, endOffset: offset + written.length, bytes: encode(written), live: number });
  return {
    shown,
    seen,
    failed,
    reads,
    frame,
    stop,
    parsing,
    ready: () => ready,
    watching: () => watching,
    listening: () => listener !== null,
    hold: () => {
      let go: () => void = () => undefined;
      answer = new Promise((resolve) => {
        go = resolve;
      });
      return go;
    },
    slow: () => {
      slow = true;
    },
  };
}

/** Lets every promise that can settle do so. */
const settled = () => new Promise((resolve) => setTimeout(resolve, 0));

it('fills from the log, then takes frames in order and says what it has parsed', async () => {
  const feed = stand('history ');
  await settled();
  expect(feed.ready()).toBe(1);
  feed.slow();
  feed.frame(8, 'one ');
  feed.frame(12, 'two ');
  await settled();
  expect(feed.shown).toEqual(['history ', 'one ']);
  expect(feed.seen).toEqual([]);
  feed.parsing.shift()?.();
  await settled();
  expect(feed.shown).toEqual(['history ', 'one ', 'two ']);
  expect(feed.seen).toEqual([12]);
  feed.parsing.shift()?.();
  await settled();
  expect(feed.seen).toEqual([12, 16]);
  expect(feed.failed).toEqual([]);
});

it('holds frames that overtake their page, and takes none of another view', async () => {
  const feed = stand('history ');
  const go = feed.hold();
  await settled();
  feed.frame(8, 'new ');
  feed.frame(5000, 'stale', -1);
  expect(feed.shown).toEqual([]);
  go();
  await settled();
  expect(feed.shown).toEqual(['history ', 'new ']);
  expect(feed.seen).toEqual([12]);
});

it('names what was skipped to keep up', async () => {
  const feed = stand('start ');
  await settled();
  feed.frame(6, 'a');
  feed.frame(9_000_000, 'z');
  await settled();
  expect(feed.shown).toEqual(['start ', 'a', { from: 7, to: 9_000_000, lost: false }, 'z']);
  expect(feed.seen).toEqual([7, 9_000_001]);
});

it('names what was lost on the host, in the history and in what comes', async () => {
  const log = `${'a'.repeat(10)}${'.'.repeat(10)}${'b'.repeat(10)}`;
  const gaps = [{ from: 10, to: 20 }];
  const past = stand(log, { until: 30, gaps });
  await settled();
  expect(past.shown).toEqual(['a'.repeat(10), { from: 10, to: 20, lost: true }, 'b'.repeat(10)]);
  expect(past.ready()).toBe(1);
  const live = stand(log, { gaps });
  await settled();
  live.frame(20, 'b'.repeat(10));
  await settled();
  expect(live.shown).toEqual(['a'.repeat(10), { from: 10, to: 20, lost: true }, 'b'.repeat(10)]);
});

it('shows a moment from half a megabyte before it, and nothing after it', async () => {
  const log = 'x'.repeat(3_000_000);
  const feed = stand(log, { until: 2_500_000 });
  await settled();
  await settled();
  expect(feed.reads[0]?.[0]).toBe(2_500_000 - 512 * 1024);
  expect(feed.reads.every(([, , live]) => live === undefined)).toBe(true);
  expect(feed.shown.join('')).toHaveLength(512 * 1024);
  expect(feed.watching()).toBe(false);
  expect(feed.listening()).toBe(false);
});

it('never asks for what the host gave up', async () => {
  const feed = stand('x'.repeat(100), { start: 40 });
  await settled();
  expect(feed.reads[0]?.[0]).toBe(40);
});

it('lets go when it is stopped, whatever is under way', async () => {
  const feed = stand('history ');
  const go = feed.hold();
  await settled();
  feed.stop();
  go();
  await settled();
  expect(feed.shown).toEqual([]);
  expect(feed.watching()).toBe(false);
  expect(feed.listening()).toBe(false);
  expect(feed.ready()).toBe(0);
});
