import { readDecimal } from '@shared/base/decimal';
import { WaymarkError } from '@shared/contract/errors';
import type { Price } from './client';

/** Of a million tokens: what costs more is a slip of the pen, and sums of it are no numbers any more. */
const MOST_PRICE = 1e9;

/** A price as a word of a command line: `INPUT,CACHED,OUTPUT`, per million tokens. */
export function priceWord({ input, cached, output }: Price): string {
  return [input, cached, output].join();
}

/** The price that `INPUT,CACHED,OUTPUT` or `INPUT,OUTPUT` says; without one of its own, cached input costs as much as any. @throws WaymarkError bad_input */
export function readPrice(word: string, what: string): Price {
  const parts = word.split(',').map(readDecimal);
  const [input = Number.NaN, second = Number.NaN, output = second] = parts;
  const cached = parts.length === 2 ? input : second;
  const isPrice =
    parts.length <= 3 && [input, cached, output].every((each) => each >= 0 && each <= MOST_PRICE);
  if (isPrice) return { input, cached, output };
  throw new WaymarkError(
    'bad_input',
    `${what} is "${word}" but must be INPUT,OUTPUT or INPUT,CACHED,OUTPUT: what a million tokens of each cost, such as 3,0.3,15.`,
  );
}
