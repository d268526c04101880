import type { Failure } from '@shared/errors';
import type { WorkspaceStatus } from '@shared/ipc/application';
import { create } from 'zustand';
import { call } from '../api';

interface WorkspaceState {
  status: WorkspaceStatus | null;
  /** Why nothing can be kept right now; labels and hints are refused while it stands. */
  problem: Failure | null;
}

export const useWorkspace = create<WorkspaceState>()(() => ({ status: null, problem: null }));

export function setWorkspace(status: WorkspaceStatus): void {
  useWorkspace.setState({ status, problem: status.problem });
}

export async function loadWorkspace(): Promise<void> {
  setWorkspace(await call('workspace.status'));
}

/** Lets the person choose a data folder in the system's dialog; nothing changes when that is cancelled. */
export async function chooseWorkspace(): Promise<void> {
  const status = await call('workspace.choose');
  if (status !== null) setWorkspace(status);
}

/** True when decisions can be kept: a folder is open and it has no problem. */
export function useWritable(): boolean {
  return useWorkspace((state) => state.problem === null && state.status?.folder != null);
}
