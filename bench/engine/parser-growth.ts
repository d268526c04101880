import { type Grown, growthMemory, NOISE_MS } from '../../electron/testing/parsers/growth';
import { childCommand, finished, start } from '../child-process';
import { type Bench, figure, shorten, size } from '../harness';

/**
 * Every parser of what others wrote, over its worst shapes at 64 and 256 KB, with `--long` at 1 and 4 MB, or at a quarter and
 * all of what it takes.
 */
export const parserGrowth: Bench = {
  name: 'parser-growth',
  about: 'worst shapes of every parser: time at 256 KB over time at 64 KB, with `--long` at 4 MB over 1 MB',
  run: async (options) => {
    const full = size(options, 256 * 1024, 4 * 1024 * 1024, 64 * 1024);
    const [node, ...rest] = childCommand('parsers', [String(full)]);
    const { code, signal, out } = await finished(start([node, ...growthMemory, ...rest]));
    if (code !== 0) throw new Error(`The parsers ended with ${signal ?? code} after ${out.slice(-200)}`);
    const all = out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Grown);
    const told = all.filter(({ large }) => large >= NOISE_MS);
    const slowest = all.reduce((a, b) => (b.large > a.large ? b : a));
    const worst = told.sort((a, b) => b.growth - a.growth).slice(0, 3);
    return [
      figure(
        'parser-growth',
        worst[0]?.growth ?? 0,
        '×',
        { is: '≤', value: 5 },
        {
          detail: `${worst.map(({ what, growth, small, large }) => `${what} ${shorten(growth)}× (${shorten(small)}, ${shorten(large)} ms)`).join('; ')}; slowest ${slowest.what}, ${shorten(slowest.large)} ms; ${all.length} shapes, ${told.length} over ${NOISE_MS} ms`,
        },
      ),
    ];
  },
};
