import { mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { sourceGlance, sourceStamp } from './build.mjs';

let root;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'waymark-stamp-'));
  mkdirSync(join(root, 'electron'));
  writeFileSync(join(root, 'package.json'), '{}');
  writeFileSync(join(root, 'electron', 'main.ts'), 'export const a = 1;');
});
afterEach(() => rmSync(root, { recursive: true }));

test('the stamp follows content and names, not times', () => {
  const before = sourceStamp(root);
  utimesSync(join(root, 'electron', 'main.ts'), 1, 1);
  expect(sourceStamp(root)).toBe(before);
  writeFileSync(join(root, 'electron', 'main.ts'), 'export const a = 2;');
  const changed = sourceStamp(root);
  expect(changed).not.toBe(before);
  renameSync(join(root, 'electron', 'main.ts'), join(root, 'electron', 'other.ts'));
  expect(sourceStamp(root)).not.toBe(changed);
});

test('tests and notes do not ask for a new build', () => {
  const before = sourceStamp(root);
  writeFileSync(join(root, 'electron', 'main.test.ts'), 'test');
  writeFileSync(join(root, 'README.md'), 'text');
  expect(sourceStamp(root)).toBe(before);
});

test('a glance notices a change of the same length whose time was set back', () => {
  const file = join(root, 'electron', 'main.ts');
  utimesSync(file, 1, 1);
  const before = sourceGlance(root);
  expect(sourceGlance(root)).toBe(before);
  writeFileSync(file, 'export const a = 2;');
  utimesSync(file, 1, 1);
  expect(sourceGlance(root)).not.toBe(before);
});
