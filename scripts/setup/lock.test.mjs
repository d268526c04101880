import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { underLock } from './lock.mjs';

let folder;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'waymark-lock-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

test('two pieces of work under one lock never overlap', async () => {
  const lock = join(folder, 'lock');
  const seen = [];
  const piece = (name) =>
    underLock(lock, {
      onWait: vi.fn(),
      work: async () => {
        seen.push(`${name} in`);
        await new Promise(setImmediate);
        seen.push(`${name} out`);
      },
    });
  await Promise.all([piece('a'), piece('b')]);
  expect(seen).toEqual(['a in', 'a out', 'b in', 'b out']);
  expect(existsSync(lock)).toBe(false);
});

test('the lock of a process that died is taken over', async () => {
  const lock = join(folder, 'lock');
  const { pid } = spawnSync(process.execPath, ['-e', '']);
  mkdirSync(lock);
  writeFileSync(join(lock, 'pid'), String(pid));
  expect(await underLock(lock, { onWait: vi.fn(), work: async () => 'done' })).toBe('done');
});

test('failed work releases the lock', async () => {
  const lock = join(folder, 'lock');
  const failing = underLock(lock, {
    onWait: vi.fn(),
    work: async () => {
      throw new Error('broken');
    },
  });
  await expect(failing).rejects.toThrow('broken');
  expect(existsSync(lock)).toBe(false);
});
