import type { LinkState, OwnTerminal } from '@shared/computers';
import { create } from 'zustand';
import { call, listen } from '../api';
import { useComputers } from './computers';
import { lastGesture } from './gestures';
import type { Refusal } from './own-terminals-input';
import { chooseTerminal } from './sessions-shown';
import { toastFailure } from './toasts';

/** What a person typed and nobody got. */
export interface Unsent {
  bytes: number;
  why: Refusal;
}

interface OwnTerminalsState {
  list: OwnTerminal[];
  loaded: boolean;
  /** Computers on which a terminal is being opened. */
  opening: string[];
  /** By terminal: what was not sent since the last that was. */
  unsent: Readonly<Record<string, Unsent>>;
  /** A paste that waits for a person's look. */
  paste: { id: string; text: string } | null;
  /** The terminal whose closing waits for a yes. */
  closing: string | null;
}

/** The person's own terminals, on this computer and on hosts. */
export const useOwnTerminals = create<OwnTerminalsState>()(() => ({
  list: [],
  loaded: false,
  opening: [],
  unsent: {},
  paste: null,
  closing: null,
}));

let turn = 0;
async function loadOwnTerminals(): Promise<void> {
  turn += 1;
  const mine = turn;
  const list = await call('own.list');
  if (mine === turn) useOwnTerminals.setState({ list, loaded: true });
}

/** Keeps the list true while a terminal pane is on the screen; the returned function ends it. */
export function startOwnTerminals(): () => void {
  const read = () => {
    loadOwnTerminals().catch((thrown: unknown) => toastFailure(thrown));
  };
  read();
  return listen('own.changed', read);
}

/** Opens a terminal of the person's own, and goes into it unless they have done something else meanwhile; a failure is said. */
export function openOwnTerminal(computer: string, run: string | null): void {
  const { number: asked } = lastGesture();
  useOwnTerminals.setState((state) => ({ opening: [...state.opening, computer] }));
  call('own.open', { computer, run, rows: 24, cols: 80 })
    .then(async ({ id }) => {
      await loadOwnTerminals();
      chooseTerminal(id, { enter: asked === lastGesture().number });
    })
    .catch((thrown: unknown) => toastFailure(thrown))
    .finally(() =>
      useOwnTerminals.setState((state) => {
        const opening = [...state.opening];
        opening.splice(opening.indexOf(computer), 1);
        return { opening };
      }),
    );
}

/** Closes a terminal, after a question when something runs in it. */
export function closeOwnTerminal(terminal: Pick<OwnTerminal, 'id' | 'state'>): void {
  const over = terminal.state === 'idle' || terminal.state === 'ended' || terminal.state === 'lost';
  if (over) closeNow(terminal.id);
  else useOwnTerminals.setState({ closing: terminal.id });
}

export function closeNow(id: string): void {
  useOwnTerminals.setState({ closing: null });
  call('own.close', { id })
    .then(loadOwnTerminals)
    .catch((thrown: unknown) => toastFailure(thrown));
}

/** The link of a computer as the window knows it now. */
export function linkOf(terminal: Pick<OwnTerminal, 'computer' | 'link'>): LinkState {
  if (terminal.computer === 'local') return 'good';
  return useComputers.getState().health[terminal.computer]?.state ?? terminal.link;
}

/** Only such a link takes keys. */
export function takesKeys(link: LinkState): boolean {
  return link === 'good' || link === 'degraded';
}

/** Remembers what was not sent, until something is. */
export function noteUnsent(id: string, bytes: number, why: Refusal): void {
  useOwnTerminals.setState((state) => ({
    unsent: { ...state.unsent, [id]: { bytes: (state.unsent[id]?.bytes ?? 0) + bytes, why } },
  }));
}

export function clearUnsent(id: string): void {
  if (useOwnTerminals.getState().unsent[id] === undefined) return;
  useOwnTerminals.setState((state) => ({
    unsent: Object.fromEntries(Object.entries(state.unsent).filter(([other]) => other !== id)),
  }));
}
