import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import picomatch from 'picomatch';

/** Existing files an absolute path with `*`, `?` and `[…]` stands for, sorted, as glob(3) does for Include. */
export async function globFiles(pattern: string): Promise<string[]> {
  let found = ['/'];
  for (const part of pattern.split('/').filter((name) => name !== '')) {
    const next: string[] = [];
    for (const folder of found) next.push(...(await below(folder, part)));
    found = next;
  }
  const files: string[] = [];
  for (const path of found) if (await isFile(path)) files.push(path);
  return files;
}

async function below(folder: string, part: string): Promise<string[]> {
  if (!/[*?[]/.test(part)) return [join(folder, part)];
  const matches = picomatch(part, { dot: part.startsWith('.'), nobrace: true, noextglob: true });
  const names = await readdir(folder).catch(() => []); // not a folder, or not ours to read: nothing is in it
  return names
    .filter((name) => matches(name))
    .sort()
    .map((name) => join(folder, name));
}

async function isFile(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isFile(),
    () => false,
  );
}
