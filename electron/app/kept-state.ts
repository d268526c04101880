import { join } from 'node:path';
import { safeStorage } from 'electron';
import type { TakenEnvironment } from '../environment/taken-environment';
import { originOf } from '../model/bound-key';
import { SecretScanner } from '../secrets/scanner';
import { SettingsFile } from '../settings-file';
import { HostReportFile } from './host-report-file';
import { KeyStore, type SystemKeys } from './key-store';
import { type FileLog, openLog } from './log';

/** The operating system's key store. Linux without one reports `basic_text`, which is no protection and counts as none. */
const systemKeys: SystemKeys = {
  available: () => {
    if (!safeStorage.isEncryptionAvailable()) return false;
    if (process.platform !== 'linux') return true;
    // Electron 25 on Linux cannot name its backend; what cannot be known counts as unprotected.
    return (
      typeof safeStorage.getSelectedStorageBackend === 'function' &&
      safeStorage.getSelectedStorageBackend() !== 'basic_text'
    );
  },
  seal: (text) => safeStorage.encryptString(text),
  open: (sealed) => safeStorage.decryptString(sealed),
};

/** What the application keeps on disk outside of workspaces. */
export interface KeptState {
  settings: SettingsFile;
  keys: KeyStore;
  log: FileLog;
  /** Knows every key held, and all that was taken out of the environment; log and diagnostics number secrets alike. */
  scanner: SecretScanner;
  reports: HostReportFile;
}

/** Opens it in the application's data folder. Keys that cannot be read are a warning: the person enters them again. */
export async function openKept(data: string, environment: TakenEnvironment): Promise<KeptState> {
  const settings = await SettingsFile.open(data);
  const keys = new KeyStore({
    folder: data,
    env: environment,
    system: systemKeys,
    originOf: (name) =>
      originOf(settings.current.endpoints.find((each) => each.name === name)?.baseUrl ?? ''),
  });
  const scanner = new SecretScanner(() => [...keys.values(), ...Object.values(environment.taken())]);
  const log = openLog(data, scanner);
  try {
    await keys.load();
  } catch (error) {
    // Sealed by another login, or a damaged file: kept as it is.
    log.warn('The stored model keys could not be read', { error: String(error) });
  }
  const reports = await HostReportFile.open(
    join(data, 'host-tests.json'),
    settings.current.computers.map(({ alias }) => alias),
    (message, error) => log.warn(message, { error: String(error) }),
  );
  return { settings, keys, log, scanner, reports };
}
