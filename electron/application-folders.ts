import { homedir } from 'node:os';
import { join } from 'node:path';

/** The application's own data folder: settings, logs, window state. Never inside a workspace. */
export function dataFolder(env: NodeJS.ProcessEnv, platform: NodeJS.Platform): string {
  if (env.WAYMARK_DATA) return env.WAYMARK_DATA;
  if (platform === 'darwin') return join(homedir(), 'Library', 'Application Support', 'Waymark');
  if (platform === 'win32') return join(env.APPDATA ?? join(homedir(), 'AppData', 'Roaming'), 'Waymark');
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'Waymark');
}

/**
 * The `resources` folder for code that runs from `mainDir` (`out/main`). In a packed application it lies unpacked
 * beside the archive, because programs in it are run by shells.
 */
export function resourcesFolder(mainDir: string): string {
  return join(mainDir.replace(/app\.asar(?=[\\/])/, 'app.asar.unpacked'), '..', '..', 'resources');
}
