import { existsSync, statfsSync } from 'node:fs';
import { inside } from '../../files/inside';

/** Free space beyond the ballast that ends the refusal of new work, bytes. */
export const RESUME_BYTES = 512 * 1024;

/** What others than root can still write there. */
export function freeBytes(folder: string): number {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
}

/** Whether a workspace that is there has neither room nor a ballast. */
export function lacksRoom(folder: string): boolean {
  return (
    existsSync(inside(folder, 'workspace.db')) &&
    !existsSync(inside(folder, 'ballast')) &&
    freeBytes(folder) < RESUME_BYTES
  );
}
