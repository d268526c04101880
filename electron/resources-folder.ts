import { join } from 'node:path';

/**
 * The `resources` folder for code that runs from `mainDir` (`out/main`). In a packed application it lies unpacked
 * beside the archive, because programs in it are run by shells.
 */
export function resourcesFolder(mainDir: string): string {
  return join(mainDir.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked'), '..', '..', 'resources');
}
