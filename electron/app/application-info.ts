import type { AppInfo } from '@shared/contract/ipc/application';
import { app } from 'electron';
import { sqliteVersion } from '../store/file/database';

/** From this version on Electron is the one that is shipped; an older one is the fallback for tests. */
const OWN_ELECTRON = 40;

/** What the application says of itself. */
export function applicationInfo(smoke: boolean): AppInfo {
  const { electron = '', chrome = '', node } = process.versions;
  return {
    name: 'Waymark',
    version: app.getVersion(),
    runtime: { electron, chrome, node, sqlite: sqliteVersion() },
    testRuntime: Number(electron.split('.')[0]) < OWN_ELECTRON,
    platform: process.platform,
    locale: app.getLocale(),
    smoke,
  };
}
