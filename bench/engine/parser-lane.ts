import { everyParser } from '../../electron/testing/parsers/every-parser';

/** Below this, what is measured is noise, and nobody waits for it; ms. */
export const NOISE_MS = 25;
/** Growth from which a shape is measured again: what disturbs a measurement only makes it longer, so the shortest counts. */
const LOOKED_AT_AGAIN = 4.2;
const LOOKS = 5;

/** One shape: ms over a quarter of the text and over all of it. */
export interface Grown {
  what: string;
  small: number;
  large: number;
  growth: number;
}

/**
 * Every parser over its worst shapes at so many characters, or at all it takes, and at a quarter of that; a line of JSON on
 * stdout for each shape. Started with a young generation (`laneMemory`) that none of them fills: what is kept beyond it is
 * copied by the collector, once, and that step of a few times is not the parser's.
 */
export async function parseInLane([length]: readonly string[]): Promise<void> {
  for (const { names, shapes, most = Number(length), parse } of everyParser) {
    for (const [name, shape] of Object.entries(shapes)) {
      const whole = Math.min(Number(length), most);
      const grown = { what: `${names[0]} of ${name}`, ...lookAt(parse, shape(whole / 4), shape(whole)) };
      process.stdout.write(`${JSON.stringify(grown satisfies Grown)}\n`);
    }
  }
}

/** For `node`, before the file's name. MB of a half of the young generation. */
export const laneMemory = [
  '--expose-gc',
  '--min-semi-space-size=512',
  '--max-semi-space-size=512',
  '--max-old-space-size=4096',
] as const;

function lookAt(parse: (text: string) => unknown, less: string, all: string): Omit<Grown, 'what'> {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let look = 0; look < LOOKS; look += 1) {
    small = Math.min(small, timed(parse, less));
    large = Math.min(large, timed(parse, all));
    if (large < NOISE_MS || growthOf(small, large) < LOOKED_AT_AGAIN) break;
  }
  return { small, large, growth: growthOf(small, large) };
}

/** The smaller may be too quick to be told. */
const growthOf = (small: number, large: number): number => large / Math.max(small, NOISE_MS / 5);

function timed(parse: (text: string) => unknown, text: string): number {
  globalThis.gc?.();
  const started = performance.now();
  parse(text);
  return performance.now() - started;
}
