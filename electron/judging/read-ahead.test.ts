import { expect, test } from 'vitest';
import { readAhead } from './read-ahead';

/** Numbers from 1, each made when it is begun. */
function* numbers(begun: number[], last: number): Generator<Promise<number>, void> {
  for (let at = 1; at <= last; at += 1) {
    begun.push(at);
    yield Promise.resolve(at);
  }
}

test('begins as many ahead as it may, gives each once and in order, and ends', async () => {
  const begun: number[] = [];
  const ahead = readAhead(numbers(begun, 6), 2);
  expect(begun).toEqual([]);
  expect(await ahead.next()).toEqual({ done: false, value: 1 });
  expect(begun).toEqual([1, 2, 3]);
  expect((await ahead.next()).value).toBe(2);
  expect(begun).toEqual([1, 2, 3, 4]);
  const rest: number[] = [];
  for await (const each of ahead) rest.push(each);
  expect(rest).toEqual([3, 4, 5, 6]);
});

test('what fails ahead is thrown to whoever comes to it, and ends it', async () => {
  function* failing(): Generator<Promise<number>, void> {
    yield Promise.resolve(1);
    yield Promise.reject(new Error('The second is not there.'));
    yield Promise.resolve(3);
  }
  const ahead = readAhead(failing(), 4);
  expect((await ahead.next()).value).toBe(1);
  await expect(ahead.next()).rejects.toThrow('The second is not there.');
  expect((await ahead.next()).done).toBe(true);
});

test('whoever leaves early waits for what is under way, and nothing more is begun', async () => {
  const ended: number[] = [];
  const begun: number[] = [];
  function* slow(): Generator<Promise<number>, void> {
    for (let at = 1; ; at += 1) {
      begun.push(at);
      yield new Promise<number>((resolve) => setImmediate(() => resolve(at))).finally(() => ended.push(at));
    }
  }
  for await (const each of readAhead(slow(), 3)) if (each === 2) break;
  expect(ended).toEqual(begun);
  expect(begun).toEqual([1, 2, 3, 4, 5]);
});
