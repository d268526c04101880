import { homedir } from 'node:os';
import { join } from 'node:path';

/**
 * Folder for what set-up fetches or builds once: the fallback runtime and the rebuilt database
 * library. The same rule as `electron/store/file/native-binding.ts` (a test compares them). Root uses
 * /var/cache because its home is closed to the unprivileged user the application is run as.
 *
 * @param {{ env?: Record<string, string | undefined>, platform?: string, home?: string, uid?: number }} [facts]
 * @returns {string} an absolute path; the folder need not exist
 */
export function cacheFolder(facts = {}) {
  const {
    env = process.env,
    platform = process.platform,
    home = homedir(),
    uid = process.getuid?.(),
  } = facts;
  if (env.WAYMARK_CACHE) return env.WAYMARK_CACHE;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'waymark');
  if (uid === 0 && platform === 'linux') return '/var/cache/waymark';
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'waymark');
  if (platform === 'win32')
    return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'waymark', 'Cache');
  return join(home, '.cache', 'waymark');
}
