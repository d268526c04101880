import type { OwnTerminalState } from '@shared/contract/ipc/own-terminal';
import { defaultSettings } from '@shared/contract/settings';
import { create } from 'zustand';
import { useSettings } from '../state/settings';
import { attempt, toastFailure } from '../state/toasts';
import type { Refusal } from './terminal-input';
import { callView, listenView } from './view-api';

/** What a person typed and nobody got. */
interface Unsent {
  bytes: number;
  why: Refusal;
}

interface ViewState {
  shown: Pick<OwnTerminalState, 'terminal' | 'health'>;
  /** By terminal: what was not sent since the last that was. */
  unsent: Readonly<Record<string, Unsent>>;
  /** A paste that waits for a person's look. */
  paste: { id: string; text: string } | null;
  /** The terminal whose closing waits for a yes. */
  closing: string | null;
}

/** What the view of own terminals shows. */
export const useOwnView = create<ViewState>()(() => ({
  shown: { terminal: null, health: null },
  unsent: {},
  paste: null,
  closing: null,
}));

let turn = 0;
async function loadView(): Promise<void> {
  turn += 1;
  const mine = turn;
  const { settings, ...shown } = await callView('view.state');
  if (mine !== turn) return;
  useSettings.setState({ settings: { ...defaultSettings(), ...settings } });
  // What was asked about another terminal is asked no more.
  const { paste, closing } = useOwnView.getState();
  const id = shown.terminal?.id;
  useOwnView.setState({
    shown,
    paste: paste?.id === id ? paste : null,
    closing: closing === id ? closing : null,
  });
}

/** Keeps what is shown true; the returned function ends it. */
export function startView(): () => void {
  const read = () => attempt(loadView);
  read();
  return listenView('view.changed', read);
}

/** Whether the link of the terminal that is shown takes keys now. */
export function takesKeys({ terminal, health }: ViewState['shown']): boolean {
  if (terminal === null || terminal.computer === 'local') return true;
  const link = health?.state ?? terminal.link;
  return link === 'good' || link === 'degraded';
}

/** Closes the terminal, after a question when something runs in it. */
export function closeOwnTerminal({ id, state }: NonNullable<OwnTerminalState['terminal']>): void {
  if (state === 'idle' || state === 'ended' || state === 'lost') closeNow(id);
  else useOwnView.setState({ closing: id });
}

export function closeNow(id: string): void {
  useOwnView.setState({ closing: null });
  callView('own.close', { id }).catch((thrown: unknown) => toastFailure(thrown));
}

/** Remembers what was not sent, until something is. */
export function noteUnsent(id: string, bytes: number, why: Refusal): void {
  useOwnView.setState((state) => ({
    unsent: { ...state.unsent, [id]: { bytes: (state.unsent[id]?.bytes ?? 0) + bytes, why } },
  }));
}

export function clearUnsent(id: string): void {
  if (useOwnView.getState().unsent[id] === undefined) return;
  useOwnView.setState((state) => ({
    unsent: Object.fromEntries(Object.entries(state.unsent).filter(([other]) => other !== id)),
  }));
}
