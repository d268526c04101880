import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Absolute path of the repository this script belongs to. */
export const projectRoot = resolve(dirname(fileURLToPath(import.meta.url)), '..', '..');
