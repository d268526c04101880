import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../testing/store-fixtures';
import {
  headOfRegularFile,
  linesOfRegularFile,
  readRegularFile,
  readRegularFileSync,
  withRegularFile,
} from './regular-file';

const limits = { most: 1_000_000, line: 1_000_000, outcome: 'Nothing was merged.' };
const MOST = limits.most;

/** Each way to read one, waited for alike. */
const ways: Record<string, (path: string) => Promise<unknown>> = {
  readRegularFile: (path) => readRegularFile(path, 'the file', MOST, 'Nothing was merged.'),
  readRegularFileSync: async (path) => readRegularFileSync(path, 'the file', MOST, 'Nothing was merged.'),
  headOfRegularFile: async (path) => headOfRegularFile(path, 'the file', 16, 'Nothing was merged.'),
  withRegularFile: async (path) => withRegularFile(path, 'the file', 'Nothing was merged.', () => 0),
  linesOfRegularFile: async (path) => [...linesOfRegularFile(path, 'the file', limits)],
};

describe.runIf(process.platform !== 'win32').each(Object.entries(ways))('%s', (_, read) => {
  it('refuses what is no regular file at once, and follows no link', async () => {
    const path = join(temporaryFolder(), 'file');
    const refuses = async (why: string, make: () => void) => {
      make();
      await expect(read(path)).rejects.toMatchObject({
        code: 'bad_input',
        message: `the file ${why}. Nothing was merged.`,
      });
      rmSync(path, { recursive: true, force: true });
    };
    await refuses('is not a regular file', () => execFileSync('mkfifo', [path]));
    await refuses('is not a regular file', () => mkdirSync(path));
    await refuses('is a link, and links are not followed', () => symlinkSync('/etc/hostname', path));
    await refuses('is a link, and links are not followed', () => symlinkSync('/dev/zero', path));
    await expect(read('/dev/zero')).rejects.toThrow('is not a regular file');
    await expect(read(path)).rejects.toMatchObject({ code: 'not_found' });
    const server = createServer().listen(path);
    await new Promise((resolve) => server.once('listening', resolve));
    await expect(read(path)).rejects.toThrow('is not a regular file');
    await new Promise((resolve) => server.close(resolve));
  });
});

it('a file that is too large, or a line of it, is refused before it is read whole', async () => {
  const path = join(temporaryFolder(), 'file');
  writeFileSync(path, '');
  truncateSync(path, 900_000_000_000);
  for (const name of ['readRegularFile', 'readRegularFileSync', 'linesOfRegularFile']) {
    await expect(ways[name]?.(path), name).rejects.toThrow(
      'the file is larger than 1 MB. Nothing was merged.',
    );
  }
  expect(headOfRegularFile(path, 'the file', 4)).toEqual(Buffer.alloc(4));
  const lines = (line: number) => [
    ...linesOfRegularFile(path, 'the file', { ...limits, most: 9_000_000, line }),
  ];
  const long = 'y'.repeat(3_000_000);
  for (const text of [`a\n${long}\nb`, `a\nb\n${long}`, `${long}\n`, long]) {
    writeFileSync(path, text);
    expect(() => lines(2_000_000)).toThrow(/has a line longer than 2 MB \(line \d\)/);
    expect(lines(4_000_000)).toEqual(text.split('\n'));
  }
});

it('lines are those of the text, wherever a piece ends', () => {
  const path = join(temporaryFolder(), 'file');
  const unit = fc.constantFrom('\n', 'a', 'é', '漢', '🙂', 'x'.repeat(90_000), '漢'.repeat(50_000), '\r\n');
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 12 }), (units) => {
      const text = units.join('');
      writeFileSync(path, text);
      const all = { ...limits, most: 9_000_000, line: 9_000_000 };
      expect([...linesOfRegularFile(path, 'the file', all)]).toEqual(text.split('\n'));
    }),
    { numRuns: 60 },
  );
});
