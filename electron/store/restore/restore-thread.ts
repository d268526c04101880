import { join } from 'node:path';
import type { BackupRow, RestoreReport } from '@shared/contract/ipc/restore';
import { openDatabase } from '../file/database';
import { bundledWorkers } from '../threads/client';
import { StoreThread } from '../threads/store-thread';
import type { RestoreOptions } from './restore-workspace';

export interface RestoreThreadOptions {
  /** Folder of `restore-worker.js`; by default where the running bundle lies. */
  workerDir?: string;
}

/** Copies of a workspace's hints and labels, newest first; works while the workspace cannot be opened. */
export function backupsOf(folder: string, options: RestoreThreadOptions = {}): Promise<BackupRow[]> {
  return inThread(folder, options, (thread) => thread.call('backups', []));
}

/** `restoreWorkspace` in a thread of its own. */
export function restoreApart(
  restore: Omit<RestoreOptions, 'projector'>,
  options: RestoreThreadOptions = {},
): Promise<RestoreReport> {
  return inThread(restore.from ?? '', options, (thread) => thread.call('restore', [restore]));
}

async function inThread<T>(
  folder: string,
  { workerDir = bundledWorkers() }: RestoreThreadOptions,
  use: (thread: StoreThread) => Promise<T>,
): Promise<T> {
  // Loads the add-on in this thread, where it learns addresses: what is restored may lie on a disk that takes nothing.
  openDatabase('').close();
  const thread = new StoreThread(join(workerDir, 'restore-worker.js'), 'restore');
  const resourcesPath = (process as { resourcesPath?: string }).resourcesPath ?? null;
  await thread.open(
    {
      folder,
      device: null,
      data: null,
      ballastBytes: 0,
      backupEveryMs: null,
      readOnly: false,
      resourcesPath,
    },
    () => undefined,
  );
  try {
    return await use(thread);
  } finally {
    await thread.close();
  }
}
