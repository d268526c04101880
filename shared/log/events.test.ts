import { expect, it } from 'vitest';
import { validCalls } from './events';

const calls = ['a', 'b', 'c'].map((id) => ({ id, name: 'sleep', arguments: '{}' }));

it('leaves out calls that could not be understood and keeps the places of the others', () => {
  const found = validCalls({ calls, invalid: [null, 'There is no tool "sleep".'] });
  expect(found.map(({ id, index }) => [id, index])).toEqual([
    ['a', 0],
    ['c', 2],
  ]);
});
