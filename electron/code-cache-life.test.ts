import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { liveShortly } from './code-cache-life';
import { temporaryFolder } from './testing/store-fixtures';

it('a workspace is lived in from its first step to a merge, and nothing of it stays', async () => {
  const folder = join(temporaryFolder(), '.life-x1');
  mkdirSync(folder);
  await liveShortly(folder);
  expect(existsSync(folder)).toBe(false);
});

it('where it cannot live the reason is told, and nothing of it stays either', async () => {
  const folder = join(temporaryFolder(), '.life-x1');
  mkdirSync(folder);
  writeFileSync(join(folder, 'own'), 'a file is in its place');
  await expect(liveShortly(folder)).rejects.toThrow('own');
  expect(existsSync(folder)).toBe(false);
});
