/** Electron 36 surely bundles Node-API 10 (Node 22.14 or newer); older ones get the rebuilt database library. */
const LAST_OLD_ELECTRON = 35;

/** How long a failed download is remembered before it is tried again, in milliseconds. */
const RETRY_DOWNLOAD_AFTER = 24 * 60 * 60 * 1000;

/**
 * What to try, in order, to get an Electron.
 *
 * @param {{ wish: string | undefined, officialInstalled: boolean, fallbackReady: boolean, fallbackPossible: boolean,
 *   downloadFailedAt: number | undefined, now: number }} facts `wish` is WAYMARK_ELECTRON; times in ms
 * @returns {Array<'installed' | 'download' | 'fallback' | { path: string }>} candidates, best first
 */
export function runtimeCandidates(facts) {
  const { wish, officialInstalled, fallbackReady, fallbackPossible, downloadFailedAt, now } = facts;
  const official = officialInstalled ? 'installed' : 'download';
  if (wish === 'official') return [official];
  if (wish === 'fallback') return ['fallback'];
  if (wish) return [{ path: wish }];
  if (officialInstalled) return ['installed'];
  const failedLately = downloadFailedAt !== undefined && now - downloadFailedAt < RETRY_DOWNLOAD_AFTER;
  if (fallbackReady && failedLately) return ['fallback'];
  return fallbackPossible ? ['download', 'fallback'] : ['download'];
}

/**
 * The Node-API version of an Electron, as far as the choice of the database library needs it.
 *
 * @param {string} version Electron's version, like "25.1.1"
 * @returns {8 | 10}
 */
export function nodeApiOfElectron(version) {
  return Number.parseInt(version, 10) > LAST_OLD_ELECTRON ? 10 : 8;
}
