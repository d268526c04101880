import type { AppInfo } from '@shared/contract/ipc/application';
import { app, Notification, powerMonitor, powerSaveBlocker } from 'electron';
import { sqliteVersion } from '../store/file/database';
import type { PowerSource } from './power';

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

type Show = (title: string, body: string, clicked: () => void) => void;

/** How a notification is shown here; `clicked`: the person wants to see what it is about. `silent`: not at all. */
export function systemNotices(silent: boolean): Show {
  /** A notification that nothing holds is collected, and its click with it. */
  const shown = new Set<Notification>();
  return (title, body, clicked) => {
    if (silent || !Notification.isSupported()) return;
    const notice = new Notification({ title, body });
    notice.on('click', () => {
      shown.delete(notice);
      clicked();
    });
    notice.on('close', () => shown.delete(notice));
    shown.add(notice);
    notice.show();
  };
}

/** The machine's own power, by Electron. */
export const systemPower: PowerSource = {
  onBattery: () => powerMonitor.isOnBatteryPower(),
  hold: () => {
    const blocker = powerSaveBlocker.start('prevent-app-suspension');
    return () => powerSaveBlocker.stop(blocker);
  },
  subscribe: (listeners) => {
    powerMonitor.on('suspend', listeners.suspend);
    powerMonitor.on('resume', listeners.resume);
    powerMonitor.on('on-battery', listeners.battery);
    powerMonitor.on('on-ac', listeners.mains);
    return () => {
      powerMonitor.off('suspend', listeners.suspend);
      powerMonitor.off('resume', listeners.resume);
      powerMonitor.off('on-battery', listeners.battery);
      powerMonitor.off('on-ac', listeners.mains);
    };
  },
};
