import { expect, it } from 'vitest';
import { priceWord, readPrice } from './price-word';

it.each([
  { input: 3, cached: 0.3, output: 15 },
  { input: 0, cached: 0, output: 0 },
  { input: 1e-7, cached: 2.5e-9, output: 1e9 },
])('a price is read as it was written: %j', (price) => {
  expect(readPrice(priceWord(price), '--price')).toEqual(price);
});

it('without a price of its own, cached input costs what input costs', () => {
  expect(readPrice('3, 15', '--price')).toEqual({ input: 3, cached: 3, output: 15 });
});

it.each([
  '',
  '3',
  '3,',
  '1,2,3,4',
  '-1,2',
  '1,,2',
  'a,b',
  'Infinity,1',
  'NaN,1',
  '0x10,1',
  '1e308,1e308',
  '1.,2',
])('%j is refused by name', (word) => {
  expect(() => readPrice(word, '--price')).toThrow(
    expect.objectContaining({ code: 'bad_input', message: expect.stringContaining('--price is "') }),
  );
});
