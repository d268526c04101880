import { safeStorage } from 'electron';
import type { SystemKeys } from './key-store';

/** The operating system's key store. Linux without one reports `basic_text`, which is no protection and counts as none. */
export const systemKeys: SystemKeys = {
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
