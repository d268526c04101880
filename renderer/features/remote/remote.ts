import type { RemoteStatus } from '@shared/contract/ipc/remote';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { toastFailure } from '../../state/toasts';

interface RemoteState {
  /** Null: the workspace on this machine is open. */
  status: RemoteStatus | null;
  /** Wall-clock ms since the state it has now; only of this window's life. */
  since: number;
  /** The dialog is open. */
  asking: boolean;
}

export const useRemote = create<RemoteState>()(() => ({ status: null, since: 0, asking: false }));

/** Takes in what the main process says; the clock starts anew only when the state changes. */
export function takeRemote(status: RemoteStatus | null, now: number): void {
  useRemote.setState((before) => {
    const same =
      before.status?.state === status?.state &&
      before.status?.alias === status?.alias &&
      before.status?.folder === status?.folder;
    return { status, since: same ? before.since : now };
  });
}

/** Keeps the status true; the returned function ends it. */
export function startRemote(): () => void {
  let heard = false;
  const stop = listen('remote.changed', ({ status }) => {
    heard = true;
    takeRemote(status, Date.now());
  });
  call('remote.status').then(
    // A change that came meanwhile is newer than this answer.
    (status) => {
      if (!heard) takeRemote(status, Date.now());
    },
    (thrown: unknown) => toastFailure(thrown),
  );
  return stop;
}

/** What is asked for to open a workspace on a computer. */
export interface RemotePlace {
  alias: string;
  /** Empty = the default one there. */
  folder: string;
  command: string;
}

const KEY = 'waymark.remote';
const nowhere: RemotePlace = { alias: '', folder: '', command: 'waymark' };

/** The place that was opened last from this window, for filling in the dialog. */
export function lastPlace(): RemotePlace {
  const stored = localStorage.getItem(KEY);
  if (stored === null) return nowhere;
  const [alias = '', folder = '', command = ''] = stored.split('\n');
  return { alias, folder, command: command === '' ? nowhere.command : command };
}

/** Opens the workspace there. @throws CallError with the reason when it cannot be opened. */
export async function openRemote(place: RemotePlace): Promise<void> {
  const asked = { ...place, folder: place.folder.trim(), command: place.command.trim() };
  const status = await call('remote.open', asked);
  localStorage.setItem(KEY, [asked.alias, asked.folder, asked.command].join('\n'));
  takeRemote(status, Date.now());
}

/** Back to the workspace on this machine. */
export async function closeRemote(): Promise<void> {
  await call('remote.close');
  takeRemote(null, Date.now());
}

export function askRemote(asking: boolean): void {
  useRemote.setState({ asking });
}
