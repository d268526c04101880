import { ulid } from 'ulid';
import { describe, expect, it } from 'vitest';
import { idSchema, isId } from './id';

describe('ids', () => {
  it('are what this application makes', () => {
    for (let at = 0; at < 2 ** 48; at += 2 ** 43) expect(isId(ulid(at))).toBe(true);
  });

  it.each([
    '../../../../tmp/aaaaaaaaaa',
    '..........................',
    '01ARZ3NDEKTSV4RRFFQ69G5FA',
    '01ARZ3NDEKTSV4RRFFQ69G5FAVV',
    '01ARZ3NDEKTSV4RRFFQ69G5FA\n',
    '01arz3ndektsv4rrffq69g5fav',
    '81ARZ3NDEKTSV4RRFFQ69G5FAV',
    '01ARZ3NDEKTSV4RRFFQ69G5FAU',
    '01ARZ3NDEKTSV4RRFFQ69G5F/V',
    '01ARZ3NDEKTSV4RRFFQ69G5F\u0000V',
    '０1ARZ3NDEKTSV4RRFFQ69G5FAV',
    '',
    null,
    26,
    ['01ARZ3NDEKTSV4RRFFQ69G5FAV'],
  ])('are nothing else: %j', (text) => {
    expect(isId(text)).toBe(false);
    expect(idSchema.safeParse(text).success).toBe(false);
  });
});
