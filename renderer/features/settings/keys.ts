import type { KeyKeeping } from '@shared/contract/ipc/application';
import { create } from 'zustand';
import { call } from '../../api';

/** Where keys are kept and whose are known now; never a key itself. Null until read. */
export const useKeys = create<{ keeping: KeyKeeping | null }>()(() => ({ keeping: null }));

export async function loadKeys(): Promise<void> {
  useKeys.setState({ keeping: await call('settings.keys') });
}

/** Opens the file of keys with its passphrase, or begins one. */
export async function unlockKeys(passphrase: string): Promise<void> {
  useKeys.setState({ keeping: await call('settings.unlockKeys', { passphrase }) });
}

/** Forgets the keys of the file until the passphrase is given again. */
export async function lockKeys(): Promise<void> {
  useKeys.setState({ keeping: await call('settings.lockKeys') });
}

/** Hands a key over to be kept for the address of its endpoint; where it is kept now is read again. */
export async function setKey(
  endpoint: string,
  key: string,
  /** Absent: as the settings have it. */
  baseUrl?: string,
): Promise<'store' | 'file' | 'memory'> {
  const { kept } = await call('settings.setKey', {
    endpoint,
    key,
    ...(baseUrl === undefined ? {} : { baseUrl }),
  });
  await loadKeys();
  return kept;
}
