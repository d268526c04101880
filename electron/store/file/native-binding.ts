import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import nativeBuild from '../../../resources/runtime/native-build.json';

/** The Node-API version that better-sqlite3's own prebuilt add-on is made for; it crashes on older ones. */
const STOCK_NODE_API = 10;

const ADDON_FILE = 'better_sqlite3.node';

/** What the choice depends on, read from the running process; tests pass their own. */
export interface RuntimeFacts {
  /** `process.versions.napi`, a decimal number as text. */
  readonly nodeApi: string | undefined;
  readonly platform: NodeJS.Platform;
  readonly arch: string;
  /** The user id; undefined where the platform has none. */
  readonly uid: number | undefined;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Electron's resources folder; undefined under plain Node. */
  readonly resourcesPath: string | undefined;
}

/**
 * Folder for what set-up fetches or builds once and keeps outside the repository. The same rule as
 * `scripts/setup/cache-folder.mjs` (a test compares them). Root uses /var/cache because its home is
 * closed to the unprivileged user that the application is run as under root.
 */
export function cacheFolder(facts: RuntimeFacts): string {
  const { env, platform, home, uid } = facts;
  if (env.WAYMARK_CACHE) return env.WAYMARK_CACHE;
  if (env.XDG_CACHE_HOME) return join(env.XDG_CACHE_HOME, 'waymark');
  if (uid === 0 && platform === 'linux') return '/var/cache/waymark';
  if (platform === 'darwin') return join(home, 'Library', 'Caches', 'waymark');
  if (platform === 'win32')
    return join(env.LOCALAPPDATA ?? join(home, 'AppData', 'Local'), 'waymark', 'Cache');
  return join(home, '.cache', 'waymark');
}

/** Where set-up puts the rebuilt add-on; keyed by everything that decides its bytes. */
export function rebuiltBinding(facts: RuntimeFacts): string {
  const { betterSqlite3, headerSha256 } = nativeBuild;
  const key = `${betterSqlite3}-${headerSha256.slice(0, 12)}-${facts.platform}-${facts.arch}`;
  return join(cacheFolder(facts), 'better-sqlite3', key, ADDON_FILE);
}

/**
 * The one place that chooses better-sqlite3's native code: pass the result as
 * `new Database(path, { nativeBinding })` (leave the option out when it is undefined).
 *
 * Returns undefined where the stock prebuild is right (Node-API ≥ 10: Electron 45, Node ≥ 22.14);
 * otherwise the absolute path of the add-on rebuilt for Node-API 8, from a packaged application's
 * resources if it carries one, else from the cache folder.
 * Throws when that file is missing, because then set-up has not been run.
 */
export function nativeBinding(facts: RuntimeFacts = currentRuntime()): string | undefined {
  if (Number(facts.nodeApi) >= STOCK_NODE_API) return undefined;
  if (facts.resourcesPath !== undefined) {
    const packaged = join(facts.resourcesPath, ADDON_FILE);
    if (existsSync(packaged)) return packaged;
  }
  const rebuilt = rebuiltBinding(facts);
  if (existsSync(rebuilt)) return rebuilt;
  throw new Error(
    `The database library has no build for this Node-API version (${facts.nodeApi ?? 'unknown'}): ${rebuilt} is missing. Run \`npm run setup\` in the project's folder once; it builds that file.`,
  );
}

/** The facts of the process this runs in. */
export function currentRuntime(): RuntimeFacts {
  return {
    nodeApi: process.versions.napi,
    platform: process.platform,
    arch: process.arch,
    uid: process.getuid?.(),
    home: homedir(),
    env: process.env,
    resourcesPath: (process as { resourcesPath?: string }).resourcesPath,
  };
}
