import { mkdir, open } from 'node:fs/promises';
import { dirname, join, posix } from 'node:path';
import picomatch from 'picomatch';
import { FileError } from '../computer/failures';
import type { FileSystemPort } from '../computer/port';
import { isInside } from './package-files';

export type InputFiles = Pick<FileSystemPort, 'stat' | 'walk' | 'readRange' | 'realpath'>;

export interface InputOrder {
  files: InputFiles;
  /** The workspace on its computer; absolute. */
  root: string;
  globs: readonly string[];
  maxBytes: number;
  /** A fresh folder on the driver's machine. */
  target: string;
  signal: AbortSignal;
}

/** What stops the copy: the evaluation is unavailable, no try is spent. */
export class InputProblem extends Error {}

const MAX_INPUT_FILES = 50_000;
const CHUNK = 4 * 1024 * 1024;

/**
 * Copies what the globs match into `target`, under the same relative paths. Links are followed as long as they stay in the
 * workspace. @returns the copied paths, sorted. @throws InputProblem, ComputerUnavailable
 */
export async function copyInputs(order: InputOrder): Promise<string[]> {
  const found = await findInputs(order);
  const total = found.reduce((sum, file) => sum + file.size, 0);
  if (total > order.maxBytes) throw tooLarge(order.maxBytes, `${total} bytes in ${found.length} files`);
  const root = await order.files.realpath(order.root);
  let left = order.maxBytes;
  for (const { path } of found) {
    order.signal.throwIfAborted();
    const real = await order.files.realpath(posix.join(order.root, path));
    if (!isInside(root, real)) {
      throw new InputProblem(
        `${path} is a link that leaves the workspace (to ${real}). Put the file itself there.`,
      );
    }
    left = await copyFile(order, path, left);
  }
  return found.map(({ path }) => path);
}

async function copyFile(order: InputOrder, path: string, left: number): Promise<number> {
  const target = join(order.target, path);
  await mkdir(dirname(target), { recursive: true });
  const file = await open(target, 'wx');
  let room = left;
  try {
    for (let offset = 0; ; ) {
      order.signal.throwIfAborted();
      const { bytes, size } = await order.files.readRange(posix.join(order.root, path), offset, CHUNK);
      room -= bytes.length;
      if (room < 0) throw tooLarge(order.maxBytes, `${path} grew while it was copied`);
      await file.write(bytes);
      offset += bytes.length;
      if (bytes.length === 0 || offset >= size) return room;
    }
  } finally {
    await file.close();
  }
}

function tooLarge(maxBytes: number, what: string): InputProblem {
  return new InputProblem(
    `The evaluation takes at most ${maxBytes} bytes of input, and there is more: ${what}. Remove files that the task does not ask for.`,
  );
}

async function findInputs(order: InputOrder): Promise<{ path: string; size: number }[]> {
  const matches = inputMatcher(order.globs);
  const found = new Map<string, number>();
  const bases = order.globs.map((glob) => picomatch.scan(glob).base);
  for (const base of new Set(bases)) {
    const start = base === '' || base === '.' ? order.root : posix.join(order.root, base);
    const facts = await statOrNothing(order.files, start);
    if (!facts) continue;
    if (facts.kind === 'file') {
      if (matches(base)) found.set(base, facts.size);
      continue;
    }
    if (facts.kind !== 'directory')
      throw new InputProblem(
        `${start} is a device, pipe or socket, and an evaluation takes files and folders. Put one of them there.`,
      );
    const { entries, truncated } = await order.files.walk(start, {
      hidden: true,
      maxEntries: MAX_INPUT_FILES,
      signal: order.signal,
    });
    if (truncated) {
      throw new InputProblem(
        `${start} holds more than ${MAX_INPUT_FILES} files. Keep the outputs in a folder of their own.`,
      );
    }
    for (const entry of entries) {
      const path = entry.path.slice(order.root.replace(/\/+$/, '').length + 1);
      if (!matches(path)) continue;
      if (entry.kind === 'file') found.set(path, entry.size);
      if (entry.kind === 'symlink') {
        const target = await statOrNothing(order.files, entry.path);
        if (target?.kind === 'file') found.set(path, target.size);
      }
    }
  }
  return [...found].map(([path, size]) => ({ path, size })).sort((a, b) => (a.path < b.path ? -1 : 1));
}

async function statOrNothing(files: InputFiles, path: string): ReturnType<InputFiles['stat']> {
  try {
    return await files.stat(path);
  } catch (error) {
    if (error instanceof FileError && error.reason === 'not_directory') return undefined;
    throw error;
  }
}

/** Why a glob over the workspace is not taken; null when it is fine. */
export function globProblem(glob: string): string | null {
  if (glob.startsWith('/') || /^[A-Za-z]:/.test(glob)) return 'must be relative to the workspace';
  if (glob.includes('\\')) return 'must use / between folders and no backslash';
  if (glob.startsWith('!')) return 'must not start with "!"';
  if (glob.split('/').includes('..')) return 'must not climb out of the workspace with ".."';
  if (unbalanced(glob)) return 'has a bracket or brace that is not closed';
  return null;
}

function unbalanced(glob: string): boolean {
  for (const [open, close] of ['[]', '{}', '()']) {
    if (open === undefined || close === undefined) continue;
    if (glob.split(open).length !== glob.split(close).length) return true;
  }
  return false;
}

/** Tells whether a workspace path (relative, `/`) is an input. A name without wildcard also stands for what is below it. */
export function inputMatcher(globs: readonly string[]): (path: string) => boolean {
  const wide = globs.flatMap((glob) => [glob, `${glob.replace(/\/+$/, '')}/**`]);
  return picomatch(wide, { dot: true, strictBrackets: true });
}
