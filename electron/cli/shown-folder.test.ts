import { execFileSync } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../testing/store-fixtures';
import { shownFolder } from './shown-folder';

const refused = (word: string): unknown => {
  try {
    return shownFolder(word);
  } catch (thrown) {
    return thrown;
  }
};

test('a folder is shown read-only, or for writing with :rw', () => {
  const folder = join(temporaryFolder(), 'data');
  mkdirSync(folder);
  expect(shownFolder(folder)).toEqual({ path: folder, write: false });
  expect(shownFolder(`${folder}:rw`)).toEqual({ path: folder, write: true });
  expect(shownFolder('.')).toEqual({ path: process.cwd(), write: false });
  expect(shownFolder('~')).toEqual({ path: homedir(), write: false });
});

test.each(['', ' ', ':rw'])('"%s" names no folder, and never the current one', (word) => {
  expect(refused(word)).toMatchObject({
    code: 'bad_input',
    message: expect.stringMatching(/^--show is ".*", which names no folder\. Name the folder/),
  });
});

test('a file or a named pipe is no folder', () => {
  const folder = temporaryFolder();
  const [file, pipe] = [join(folder, 'file'), join(folder, 'pipe')];
  writeFileSync(file, 'x');
  execFileSync('mkfifo', [pipe]);
  const about = (path: string, what: string) => ({
    code: 'bad_input',
    message: expect.stringContaining(`--show names ${path}, which is ${what}, not a folder.`),
  });
  expect(refused(file)).toMatchObject(about(file, 'a file'));
  expect(refused(`${pipe}:rw`)).toMatchObject(about(pipe, 'a named pipe'));
});
