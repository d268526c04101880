import { decodeTime, isValid } from 'ulid';
import { expect, test } from 'vitest';
import { newUlid } from './new-ulid';

test('10,000 new ids are valid, differ, and carry the time', () => {
  const before = Date.now();
  const ids = Array.from({ length: 10_000 }, () => newUlid());
  const after = Date.now();
  expect(new Set(ids).size).toBe(ids.length);
  expect(ids.every(isValid)).toBe(true);
  expect(ids.map(decodeTime).every((at) => before <= at && at <= after)).toBe(true);
  expect(decodeTime(newUlid(1_234))).toBe(1_234);
});

test('every place of the random part takes each of the 32 characters', () => {
  const ids = Array.from({ length: 2_000 }, () => newUlid());
  for (let place = 10; place < 26; place += 1) {
    expect(new Set(ids.map((id) => id[place])).size).toBe(32);
  }
});
