import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ensureSetUp } from './steps.mjs';

test('a command for which everything is ready waits for nobody', async () => {
  const state = mkdtempSync(join(tmpdir(), 'waymark-steps-'));
  // Held by a process that lives and does nothing about it: this one.
  const lock = join(state, 'setup.lock');
  mkdirSync(lock);
  writeFileSync(join(lock, 'pid'), String(process.pid));
  try {
    await ensureSetUp('tests', { quiet: true, skip: ['test hosts'], state });
    expect(existsSync(lock)).toBe(true);
  } finally {
    rmSync(state, { recursive: true });
  }
});
