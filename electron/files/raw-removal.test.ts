import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, it } from 'vitest';

const electron = join(import.meta.dirname, '..');

/**
 * What may still call the system's own removals, and why. Each takes one entry at a time: none of them descends into a folder or
 * follows a link. Whatever deletes a tree, or a name that was read from a row or a file, goes through `remove.ts`.
 */
const ALLOWED: Record<string, string> = {
  'files/remove.ts': 'the one place',
  'store/restore/restore-target.ts': 'rmdir of the empty folder that the person named',
  'dataset/dataset-folder.ts': 'rmdir of the empty folder that the person named',
  'computer/local/local-files.ts':
    "the port of a computer's files: what is removed is named by its caller, as on a host",
  'base/atomic-file.ts': 'its own draft, beside the file that it becomes',
  'computer/local/session-input.ts':
    "files of the inbox, in a session's folder that only this user may enter",
  'computer/local/drop-log.ts': 'its own wish, in the same folder',
  'computer/local/sandbox/probes.ts':
    'its own marker, which it made under a name of chance the moment before',
};

const REMOVAL = /\b(?:rm|rmSync|rmdir|rmdirSync|unlink|unlinkSync)\b/;

function sources(folder: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !path.includes(`${sep}testing${sep}`) && !path.endsWith('action-rig.ts'));
}

/** Names that a source imports from the file system's modules, whichever way it writes that. */
function removalsIn(text: string): boolean {
  const imports = [...text.matchAll(/(?:import|from|require)\s*\(?\s*['"](?:node:)?fs(?:\/promises)?['"]/g)];
  if (imports.length === 0) return false;
  const named = [...text.matchAll(/import\s*\{([^}]*)\}\s*from\s*['"](?:node:)?fs(?:\/promises)?['"]/g)];
  const whole =
    /import\s+(?:\*\s+as\s+)?\w+\s+from\s*['"](?:node:)?fs|(?:import|require)\(\s*['"](?:node:)?fs/.test(
      text,
    );
  if (named.some(([, names]) => REMOVAL.test(names ?? ''))) return true;
  return whole && /\.(?:rm|rmSync|rmdir|rmdirSync|unlink|unlinkSync)\(/.test(text);
}

it('nothing deletes by itself but what says why', () => {
  const found = sources(electron)
    .filter((path) => removalsIn(readFileSync(path, 'utf8')))
    .map((path) => relative(electron, path).split(sep).join('/'));
  expect(found.sort()).toEqual(Object.keys(ALLOWED).sort());
});

it('finds what it looks for', () => {
  expect(removalsIn("import { mkdir, rm } from 'node:fs/promises';")).toBe(true);
  expect(removalsIn("import {\n  rmSync,\n} from 'fs';")).toBe(true);
  expect(removalsIn("import * as fs from 'node:fs';\nfs.unlinkSync('x')")).toBe(true);
  expect(removalsIn("const { rm } = await import('node:fs/promises'); fs.rm('x')")).toBe(true);
  expect(removalsIn("import { readFile } from 'node:fs/promises';\nconst rm = 1;")).toBe(false);
});
