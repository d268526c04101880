import type { Failure } from '@shared/contract/errors';
import type { WorkspaceStatus } from '@shared/contract/ipc/application';
import { create } from 'zustand';
import { CallError, call } from '../api';
import { dismissFailures, toastFailure } from './toasts';

interface WorkspaceState {
  status: WorkspaceStatus | null;
  /** Why nothing can be kept right now; labels and hints are refused while it stands. */
  problem: Failure | null;
}

export const useWorkspace = create<WorkspaceState>()(() => ({ status: null, problem: null }));

export function setWorkspace(status: WorkspaceStatus): void {
  useWorkspace.setState({ status, problem: status.problem });
  for (const failure of status.unreadable) showUnreadable(failure);
}

/** What was said stays said, also when the same workspace is opened again. */
const said = new Set<string>();

/** Says once that something of a run cannot be read; everything else goes on. */
export function showUnreadable(failure: Failure): void {
  if (said.has(failure.message)) return;
  said.add(failure.message);
  toastFailure(new CallError('workspace.status', failure));
}

export async function loadWorkspace(): Promise<void> {
  setWorkspace(await call('workspace.status'));
}

/** Lets the person choose a data folder in the system's dialog; nothing changes when that is cancelled. */
export async function chooseWorkspace(): Promise<void> {
  const status = await call('workspace.choose');
  if (status !== null) setWorkspace(status);
}

/** Asks main to open a workspace from elsewhere for work; nothing changes when the person says no. */
export async function trustWorkspace(): Promise<void> {
  const status = await call('workspace.trust');
  if (status === null) return;
  setWorkspace(status);
  dismissFailures('read_only');
}

/** True when the open workspace takes nothing: from elsewhere and not trusted yet, or on a disk that cannot be written. */
export function useOnlyRead(): boolean {
  return useWorkspace((state) => state.status?.isReadOnly === true);
}

/** True when decisions can be kept: a folder is open, is worked in here, and has no problem. */
export function useWritable(): boolean {
  return useWorkspace(
    (state) => state.problem === null && state.status?.folder != null && !state.status.isReadOnly,
  );
}
