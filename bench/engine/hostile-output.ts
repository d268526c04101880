import { hostileCorpus } from '@shared/terminal/hostile-corpus';
import { fuzzedSequence, HostileScreen } from '../../electron/testing/hostile-screen';
import { seededRandom } from '../../electron/testing/seeded-random';
import { type Bench, figure, quantile, shorten, size, spread } from '../harness';

const seed = 20_261;

/** The filter and the terminal behind it, against whatever a program may print. */
export const hostileOutput: Bench = {
  name: 'hostile-output',
  about: 'the hostile corpus and fuzzed sequences through the filter into a terminal: the slowest of each',
  async run(options) {
    const encoder = new TextEncoder();
    const corpus = hostileCorpus.map(([name, input]): [string, Uint8Array] => [name, encoder.encode(input)]);
    const random = seededRandom(seed);
    const fuzzed = Array.from(
      { length: size(options, 10_000, 100_000, 500) },
      (_, index): [string, Uint8Array] => [`sequence ${index}`, fuzzedSequence(random)],
    );
    return [await slowest('hostile-corpus', corpus), await slowest('hostile-fuzzed', fuzzed)];
  },
};

async function slowest(name: string, sequences: readonly [string, Uint8Array][]) {
  const screen = new HostileScreen();
  const all: number[] = [];
  let worst = { ms: 0, detail: '' };
  for (const [sequence, bytes] of sequences) {
    const { ms, did } = await screen.show(bytes);
    if (did.length > 0) throw new Error(`${sequence} made the terminal act: ${did.join(', ')}`);
    all.push(ms);
    if (ms > worst.ms)
      worst = { ms, detail: `${sequence}, ${bytes.length} bytes: ${JSON.stringify(opening(bytes))}` };
  }
  screen.dispose();
  return figure(
    name,
    worst.ms,
    'ms',
    { is: '≤', value: 80 },
    {
      detail: `slowest is ${worst.detail}; ${spread(all)} ms, p99 ${shorten(quantile(all, 0.99))} ms, n = ${all.length}`,
    },
  );
}

/** Enough of a sequence to find it again. */
function opening(bytes: Uint8Array): string {
  return new TextDecoder().decode(bytes.subarray(0, 24));
}
