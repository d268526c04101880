import { readdirSync } from 'node:fs';
import { systemCode } from './database';

/** What is in a folder; nothing where there is none, or a file of somebody else in its place. */
export function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (thrown) {
    if (systemCode(thrown) === 'ENOENT' || systemCode(thrown) === 'ENOTDIR') return [];
    throw thrown;
  }
}
