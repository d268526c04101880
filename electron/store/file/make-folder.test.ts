import { existsSync, mkdirSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../../testing/store-fixtures';
import { makeFolder } from './make-folder';

test('a folder is made with those above it; one that is there stays, also behind a link', () => {
  const base = temporaryFolder();
  makeFolder(join(base, 'a', 'b', 'c'));
  makeFolder(join(base, 'a', 'b', 'c'));
  expect(statSync(join(base, 'a', 'b', 'c')).isDirectory()).toBe(true);
  symlinkSync(join(base, 'a'), join(base, 'link'));
  makeFolder(join(base, 'link', 'd'));
  expect(existsSync(join(base, 'a', 'd'))).toBe(true);
});

test('what cannot be made is refused at once, with what is in the way', () => {
  const base = temporaryFolder();
  writeFileSync(join(base, 'file'), 'mine');
  symlinkSync(join(base, 'nowhere', 'deep'), join(base, 'dangling'));
  mkdirSync(join(base, 'there'));
  const ways: [string, RegExp][] = [
    [join(base, 'file'), /file is a file/],
    [join(base, 'file', 'x'), /file is a file/],
    [join(base, 'file', 'x', 'y'), /file is a file/],
    [join(base, 'dangling'), /dangling is a link to .*deep, which is not there/],
    [join(base, 'dangling', 'x'), /dangling is a link/],
    [join(base, 'there', 'n'.repeat(300)), /name is too long/],
    ...(process.platform === 'linux'
      ? ([
          ['/proc/x', /\/proc does not accept new folders/],
          ['/proc/x/y', /\/proc does not accept new folders/],
          ['/dev/null/x', /\/dev\/null is a file/],
        ] satisfies [string, RegExp][])
      : []),
  ];
  for (const [path, words] of ways) {
    const refused = { code: 'bad_input', message: expect.stringMatching(words) };
    expect(() => makeFolder(path), path).toThrow(expect.objectContaining(refused));
  }
});
