import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { sessionFolder } from '../files/workspace-paths';

/** Paths of a session's part files that begin at byte `base`, whoever wrote them. */
export function partFiles(workspace: string, run: string, uid: string, base: number): string[] {
  const folder = sessionFolder(workspace, run, uid);
  return readdirSync(folder)
    .filter((name) => name === `${base}.log` || name.startsWith(`${base}-`))
    .sort()
    .map((name) => join(folder, name));
}

/** Output in which every byte says where it is. */
export function byteAt(from: number, to: number): Buffer {
  return Buffer.from(Array.from({ length: to - from }, (_, index) => ((from + index) * 7) % 251));
}
