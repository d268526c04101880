import { createHash } from 'node:crypto';
import { type FileHandle, lstat, mkdir, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { AtomicFile } from '../../base/atomic-file';
import { conflicting, isDirectory, notAFile } from '../file-texts';
import type { FileWriteOptions } from '../port';
import { absentIsUndefined } from './session-files';

/**
 * The content of `path` in one step; see `FileSystemPort.write`. The check of `expectSha256` comes after the new bytes are
 * safe and right before the rename, so only a change within that instant could be missed.
 */
export async function replaceFile(
  path: string,
  bytes: Uint8Array,
  options: FileWriteOptions,
  hash: (file: string) => Promise<string>,
): Promise<{ sha256: string }> {
  if (options.mkdirs) await mkdir(dirname(path), { recursive: true });
  const target = await behindLinks(path);
  const before = await absentIsUndefined(stat(target));
  if (before?.isDirectory()) throw isDirectory(path);
  if (before && !before.isFile()) throw notAFile(path);
  const file = await AtomicFile.begin(target, 0o600);
  try {
    await fill(file.handle, bytes, options.mode ?? (before ? before.mode & 0o7777 : 0o644), before);
    await file.flush();
    await mustMatch(path, target, options.expectSha256, hash);
  } catch (error) {
    await file.abandon();
    throw error;
  }
  await file.commit();
  return { sha256: createHash('sha256').update(bytes).digest('hex') };
}

async function fill(
  handle: FileHandle,
  bytes: Uint8Array,
  mode: number,
  before: { uid: number; gid: number } | undefined,
): Promise<void> {
  await handle.writeFile(bytes);
  const now = await handle.stat();
  // Only root can give a file away; for others the owner is the same or the rename is a new file of theirs.
  if (before && process.getuid?.() === 0 && (before.uid !== now.uid || before.gid !== now.gid)) {
    await handle.chown(before.uid, before.gid);
  }
  await handle.chmod(mode);
}

async function mustMatch(
  path: string,
  target: string,
  expected: string | null | undefined,
  hash: (file: string) => Promise<string>,
): Promise<void> {
  if (expected === undefined) return;
  const exists = (await absentIsUndefined(lstat(target))) !== undefined;
  const actual = exists ? await hash(target) : null;
  if (actual === expected) return;
  throw conflicting(path, expected === null ? 'exists' : actual === null ? 'gone' : 'changed');
}

/** Where a write must go so that a link stays a link, also one whose target does not exist yet. */
async function behindLinks(path: string): Promise<string> {
  const resolved = await absentIsUndefined(realpath(path));
  if (resolved !== undefined) return resolved;
  let target = path;
  for (let hops = 0; hops < 40; hops += 1) {
    const about = await absentIsUndefined(lstat(target));
    if (!about?.isSymbolicLink()) return target;
    target = resolve(dirname(target), await readlink(target));
  }
  return target;
}
