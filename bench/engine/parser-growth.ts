import { everyParser } from '../../electron/testing/parsers/every-parser';
import { type Bench, figure, median, shorten, size } from '../harness';

/** Below this, what is measured is noise, and nobody waits for it; ms. */
const NOISE_MS = 25;
const ASKED_AGAIN = 3.5;

/**
 * Every parser of what others wrote, over its worst shapes at 64, 128 and 256 KB, with `--long` at 1, 2 and 4 MB, or at a quarter,
 * half and all it takes.
 */
export const parserGrowth: Bench = {
  name: 'parser-growth',
  about: 'worst shapes of every parser: time at 256 KB over time at 64 KB, with `--long` at four times that',
  run: async (options) => {
    const full = size(options, 256 * 1024, 4 * 1024 * 1024, 64 * 1024);
    const turns = size(options, 3, 9, 1);
    const grown: { what: string; growth: number; ms: number[] }[] = [];
    let slowest = { what: '', ms: 0 };
    let all = 0;
    for (const { names, shapes, most = full, parse } of everyParser) {
      const started = performance.now();
      for (const [name, shape] of Object.entries(shapes)) {
        const what = `${names[0]} of ${name}`;
        const texts = [4, 2, 1].map((part) => shape(Math.min(full, most) / part));
        all += 1;
        const first = timed(parse, texts[2] ?? '');
        if (first > slowest.ms) slowest = { what, ms: first };
        if (first < NOISE_MS) continue;
        const once = [...texts.slice(0, 2).map((text) => timed(parse, text)), first];
        // What looks bad once is asked again: compiling and collecting garbage come in lumps.
        const again = () =>
          texts.map((text) => median(Array.from({ length: turns }, () => timed(parse, text))));
        const ms = growthOf(once) > ASKED_AGAIN ? again() : once;
        grown.push({ what, growth: growthOf(ms), ms });
      }
      options.say(`${names.join(', ')}: ${shorten((performance.now() - started) / 1000)} s`);
    }
    const worst = grown.sort((a, b) => b.growth - a.growth).slice(0, 3);
    return [
      figure(
        'parser-growth',
        worst[0]?.growth ?? 0,
        '×',
        { is: '≤', value: 5 },
        {
          detail: `${worst.map(({ what, growth, ms }) => `${what} ${shorten(growth)}× (${ms.map(shorten).join(', ')} ms)`).join('; ')}; slowest ${slowest.what}, ${shorten(slowest.ms)} ms; ${all} shapes, ${grown.length} over ${NOISE_MS} ms`,
        },
      ),
    ];
  },
};

/** The smallest may be too quick to be told. */
const growthOf = ([small = 0, , large = 0]: readonly number[]): number =>
  large / Math.max(small, NOISE_MS / 5);

function timed(parse: (text: string) => unknown, text: string): number {
  const started = performance.now();
  parse(text);
  return performance.now() - started;
}
