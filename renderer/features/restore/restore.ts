import type { BackupRow, RestoreReport } from '@shared/contract/ipc/restore';
import { create } from 'zustand';
import { call } from '../../api';
import { loadRuns } from '../../state/run/runs';
import { setWorkspace } from '../../state/workspace';

interface RestoreState {
  /** The damaged folder and its backups, newest first; null while nobody restores. */
  choice: { folder: string; backups: BackupRow[] } | null;
  working: boolean;
  done: RestoreReport | null;
}

export const useRestore = create<RestoreState>()(() => ({ choice: null, working: false, done: null }));

/** Shows which backups there are. */
export async function offerRestore(): Promise<void> {
  useRestore.setState({ choice: await call('workspace.backups'), done: null });
}

export function closeRestore(): void {
  useRestore.setState({ choice: null, done: null });
}

/** Asks for the new folder, restores into it and opens it; null: without a backup. Nothing happens when it is cancelled. */
export async function restoreFrom(backup: string | null): Promise<void> {
  useRestore.setState({ working: true });
  try {
    const restored = await call('workspace.restore', { backup });
    if (restored === null) return;
    setWorkspace(restored.status);
    useRestore.setState({ done: restored.report });
    await loadRuns();
  } finally {
    useRestore.setState({ working: false });
  }
}
