import type { OwnTerminal } from '@shared/computers';
import type { SessionView } from '@shared/views';
import { create } from 'zustand';

/** A terminal of the pane: a session of the agent, which is only looked at, or one of the person's own. */
export type Shown = { kind: 'agent'; session: SessionView } | { kind: 'own'; terminal: OwnTerminal };

interface ShownState {
  /** Id of the terminal in the zoom; null picks the one with the newest byte. */
  chosen: string | null;
  /** All terminals large, none zoomed. */
  wall: boolean;
  /** The search across sessions is open. */
  searching: boolean;
  /** A session as it was at a line that was found; beats live and step. */
  moment: { uid: string; until: number } | null;
  /** Counts up when the keyboard should go into the zoomed terminal. */
  enter: number;
}

/** How the terminals pane is looked at. Nothing here is stored. */
export const useShown = create<ShownState>()(() => ({
  chosen: null,
  wall: false,
  searching: false,
  moment: null,
  enter: 0,
}));

/** The agent's sessions in their order, then the person's terminals. */
export function shownList(sessions: readonly SessionView[], own: readonly OwnTerminal[]): Shown[] {
  return [
    ...sessions.map((session) => ({ kind: 'agent', session }) as const),
    ...own.map((terminal) => ({ kind: 'own', terminal }) as const),
  ];
}

export function idOf(shown: Shown): string {
  return shown.kind === 'agent' ? shown.session.uid : shown.terminal.id;
}

/** `computer:session`, as the agent names it too. */
export function nameOf(shown: Shown): string {
  return shown.kind === 'agent'
    ? `${shown.session.computer}:${shown.session.session}`
    : `${shown.terminal.computer}:${shown.terminal.name}`;
}

/** The terminal to zoom: the chosen one, else the agent's session with the newest byte, else any. */
export function zoomed(list: readonly Shown[], chosen: string | null): Shown | undefined {
  const found = list.find((shown) => idOf(shown) === chosen);
  if (found !== undefined) return found;
  let newest: Shown | undefined;
  for (const shown of list) {
    if (shown.kind === 'own') continue;
    if (newest?.kind !== 'agent' || (shown.session.lastByteAt ?? 0) > (newest.session.lastByteAt ?? 0))
      newest = shown;
  }
  return newest ?? list[0];
}

/** The next terminal after the one in the zoom, going round. */
export function nextShown(list: readonly Shown[], chosen: string | null): Shown | undefined {
  const current = zoomed(list, chosen);
  const at = current === undefined ? -1 : list.indexOf(current);
  return list[(at + 1) % Math.max(1, list.length)];
}

/** Zooms a terminal. `enter`: the keyboard goes into it. */
export function chooseTerminal(id: string, { enter = false }: { enter?: boolean } = {}): void {
  useShown.setState((state) => ({
    chosen: id,
    wall: false,
    moment: null,
    enter: enter ? state.enter + 1 : state.enter,
  }));
}

/** Shows a session as it was when the byte before `until` had been printed. */
export function showMoment(uid: string, until: number): void {
  useShown.setState({ chosen: uid, wall: false, moment: { uid, until } });
}

export function leaveMoment(): void {
  useShown.setState({ moment: null });
}
