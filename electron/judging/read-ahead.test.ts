import { expect, test } from 'vitest';
import { ReadAhead } from './read-ahead';

async function* numbers(made: number[], last: number) {
  for (let at = 1; at <= last; at += 1) {
    made.push(at);
    yield at;
  }
}

async function taken(ahead: ReadAhead<number>): Promise<number[]> {
  const all: number[] = [];
  for (let next = await ahead.next(); next.done !== true; next = await ahead.next()) all.push(next.value);
  return all;
}

test('makes as many ahead as it may, hands out each once and in order, and then says that it is over', async () => {
  const made: number[] = [];
  const ahead = new ReadAhead(numbers(made, 6), 2);
  expect(await ahead.next()).toEqual({ done: false, value: 1 });
  await new Promise(setImmediate);
  expect(made).toEqual([1, 2, 3]);
  const [second, third] = await Promise.all([ahead.next(), ahead.next()]);
  expect([second.value, third.value]).toEqual([2, 3]);
  expect(await taken(ahead)).toEqual([4, 5, 6]);
  expect((await ahead.next()).done).toBe(true);
});

test('what fails ahead is thrown to whoever comes to it, and to nobody else', async () => {
  async function* failing() {
    yield 1;
    throw new Error('The second is not there.');
  }
  const ahead = new ReadAhead(failing(), 4);
  expect((await ahead.next()).value).toBe(1);
  await expect(ahead.next()).rejects.toThrow('The second is not there.');
  expect((await ahead.next()).done).toBe(true);
  await ahead.close();
});

test('closing ends the source once what was begun is made', async () => {
  const made: number[] = [];
  const ahead = new ReadAhead(numbers(made, 100), 3);
  await ahead.next();
  await ahead.close();
  expect(made).toEqual([1, 2, 3, 4]);
  expect((await ahead.next()).done).toBe(false);
});
