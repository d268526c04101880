import { everyParser } from './every-parser';

/** Below this, what is measured is noise, and nobody waits for it; ms. */
export const NOISE_MS = 25;
/** Growth from which a shape is measured again: what disturbs a measurement only makes it longer, so the shortest counts. */
const LOOKED_AT_AGAIN = 4.2;
/** Now and then V8 has dropped a parser's compiled code: the same 5,000 fields then take 45 ms instead of 8, several times in a row. */
const LOOKS = 20;
/** After so many looks a parser's code is compiled for both texts: the first alone may make the smaller one look slow, and hide a square. */
const WARM_LOOKS = 4;

/**
 * Characters up to which only the young generation is collected before a measurement: a whole collection takes longer than most shapes
 * then, and drops compiled code of the parsers with it, so that the smaller text paid for what the larger one then had. What longer
 * texts leave outgrows the young generation, and would be collected while others are measured.
 */
const YOUNG_TEXT = 512 * 1024;

/** One shape: ms of processor time over a quarter of the text and over all of it. */
export interface Grown {
  /** Of the parser; messages use the first. */
  names: readonly string[];
  what: string;
  small: number;
  large: number;
  growth: number;
}

/** For `node`, before the file's name: a young generation that no shape fills. MB of a half of it. */
export const growthMemory = [
  '--expose-gc',
  '--min-semi-space-size=512',
  '--max-semi-space-size=512',
  '--max-old-space-size=4096',
] as const;

/**
 * Every parser over its worst shapes at so many characters, or at all it takes, and at a quarter of that. In a process that was
 * started with `growthMemory`: what is kept beyond a young generation is copied by the collector, once, and that step of a few
 * times is not the parser's. A shape that costs less than `judged` ms is not looked at again, nor is
 * one that grows by no more than `allowed` once its parser is warm.
 */
export function* growthOfEach(length: number, judged = NOISE_MS, allowed = 0): Generator<Grown> {
  const collect = () => globalThis.gc?.({ type: length > YOUNG_TEXT ? 'major' : 'minor' });
  for (const { names, shapes, most = length, parse } of everyParser) {
    for (const [name, shape] of Object.entries(shapes)) {
      const whole = Math.min(length, most);
      yield {
        names,
        what: `${names[0]} of ${name}`,
        ...lookAt((text) => costOf(parse, text, collect), shape(whole / 4), shape(whole), {
          judged,
          allowed,
        }),
      };
    }
  }
}

function lookAt(
  cost: (text: string) => number,
  less: string,
  all: string,
  { judged, allowed }: { judged: number; allowed: number },
): Pick<Grown, 'small' | 'large' | 'growth'> {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let look = 0; look < LOOKS; look += 1) {
    small = Math.min(small, cost(less));
    large = Math.min(large, cost(all));
    const growth = growthOf(small, large);
    if (large < judged || growth < LOOKED_AT_AGAIN) break;
    if (look + 1 >= WARM_LOOKS && growth <= allowed) break;
  }
  return { small, large, growth: growthOf(small, large) };
}

/** The smaller may be too quick to be told. */
const growthOf = (small: number, large: number): number => large / Math.max(small, NOISE_MS / 5);

/**
 * ms of processor time: other programs take none of it. What earlier shapes left is collected before, and not while this one is
 * measured.
 */
function costOf(parse: (text: string) => unknown, text: string, collect: () => void): number {
  collect();
  const before = process.cpuUsage();
  parse(text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
