import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { cacheName, chunksIn, codeCacheFolder, moduleScript, takeFromCodeCache } from './code-cache';

/** As long as each other: what V8 compares of a source is its length, so the value tells which of them ran. */
const [written, cached] = ['exports.from = "file!"', 'exports.from = "cache"'] as const;
let main: string;

beforeAll(() => {
  main = mkdtempSync(join(tmpdir(), 'waymark-code-cache-'));
  for (const folder of [chunksIn(main), codeCacheFolder(main)]) mkdirSync(folder, { recursive: true });
  takeFromCodeCache(main);
});
afterAll(() => rmSync(main, { recursive: true }));

function load(folder: string, name: string, cache: Buffer | null): { from: string } {
  const file = join(folder, name);
  writeFileSync(file, written);
  if (cache !== null) writeFileSync(join(codeCacheFolder(main), cacheName(name)), cache);
  return createRequire(file)(file);
}

it('takes a chunk from the cache that lies beside it', () => {
  const data = moduleScript(cached, 'known.js').createCachedData();
  expect(load(chunksIn(main), 'known.js', data).from).toBe('cache');
});

it('compiles what has no cache, what is no chunk, and what the engine does not take', () => {
  const data = moduleScript(cached, 'other.js').createCachedData();
  expect(load(chunksIn(main), 'unknown.js', null).from).toBe('file!');
  expect(load(main, 'outside.js', data).from).toBe('file!');
  expect(load(chunksIn(main), 'damaged.js', Buffer.from('nothing that V8 wrote')).from).toBe('file!');
  const older = Buffer.from(data);
  older.writeUInt32LE(older.readUInt32LE(4) ^ 1, 4); // another version of V8
  expect(load(chunksIn(main), 'older.js', older).from).toBe('file!');
});

it('names lines and columns as they are in the file', () => {
  const file = join(chunksIn(main), 'throws.js');
  const code = 'exports.fail = () => {\n  throw new Error("here") };exports.first = new Error("first")';
  writeFileSync(file, code);
  writeFileSync(
    join(codeCacheFolder(main), cacheName(file)),
    moduleScript(code, 'throws.js').createCachedData(),
  );
  const { fail, first } = createRequire(file)(file) as { fail(): void; first: Error };
  expect(first.stack).toContain('throws.js:2:45');
  expect(fail).toThrow('here');
  const one = moduleScript('throw new Error("at")', 'one.js').runInThisContext() as () => void;
  expect(stackOf(one)).toContain('one.js:1:7');
});

function stackOf(act: () => void): string {
  try {
    act();
  } catch (error) {
    return (error as Error).stack ?? '';
  }
  return '';
}
