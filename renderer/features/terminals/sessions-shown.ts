import type { OwnTerminal } from '@shared/contract/computers';
import type { SessionAt, SessionView } from '@shared/contract/views';
import { create } from 'zustand';
import { lastGesture } from '../../state/gestures';

/**
 * A terminal of the pane: a session of the agent, which is only looked at, or one of the person's own. `past`: the
 * session is as it was at the end of a step, and not as it is now.
 */
export type Shown =
  | { kind: 'agent'; session: SessionView; past?: Past }
  | { kind: 'own'; terminal: OwnTerminal };

/** `here`: whether it had been opened by then; null until that is read. */
export interface Past {
  here: boolean | null;
}

interface ShownState {
  /** Id of the terminal in the zoom; null picks the one with the newest byte. */
  chosen: string | null;
  /** All terminals large, none zoomed. */
  wall: boolean;
  /** The search across sessions is open. */
  searching: boolean;
  /** A session as it was at a line that was found; beats live and step. */
  moment: { uid: string; until: number } | null;
  /** The terminal that the person asked to type into, and with which gesture; null once the keyboard went there. */
  enter: { id: string; gesture: number } | null;
}

/** How the terminals pane is looked at. Nothing here is stored. */
export const useShown = create<ShownState>()(() => ({
  chosen: null,
  wall: false,
  searching: false,
  moment: null,
  enter: null,
}));

/** The agent's sessions in their order, then the person's terminals. */
export function shownList(sessions: readonly SessionView[], own: readonly OwnTerminal[]): Shown[] {
  return [
    ...sessions.map((session) => ({ kind: 'agent', session }) as const),
    ...own.map((terminal) => ({ kind: 'own', terminal }) as const),
  ];
}

/** The agent's sessions as they were at a step. `at`: null until it is read. A person's terminals have no steps. */
export function shownAt(list: readonly Shown[], at: readonly SessionAt[] | null): Shown[] {
  const byUid = new Map(at?.map((session) => [session.uid, session]));
  return list.flatMap((shown): Shown[] => {
    if (shown.kind === 'own') return [];
    const known = byUid.get(shown.session.uid);
    const state = known ?? { endOffset: 0, state: 'unknown' as const, exitCode: null, command: null };
    const gaps = shown.session.gaps.filter(({ from }) => from < state.endOffset);
    const session = { ...shown.session, ...state, gaps, lastByteAt: null };
    return [{ kind: 'agent', session, past: { here: at === null ? null : known !== undefined } }];
  });
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

/** Zooms a terminal. `enter`: the keyboard goes into it, as the person's last gesture asked. */
export function chooseTerminal(id: string, { enter = false }: { enter?: boolean } = {}): void {
  const wish = enter ? { id, gesture: lastGesture().number } : null;
  useShown.setState({ chosen: id, wall: false, moment: null, enter: wish });
}

/**
 * Takes up the wish to type into this terminal. It is taken up once, and not at all when the person has pressed anything since:
 * keys meant for the timeline must never reach a shell.
 */
export function takeEnter(id: string): boolean {
  const { enter } = useShown.getState();
  if (enter?.id !== id) return false;
  useShown.setState({ enter: null });
  return enter.gesture === lastGesture().number;
}

/** Shows a session as it was when the byte before `until` had been printed. */
export function showMoment(uid: string, until: number): void {
  useShown.setState({ chosen: uid, wall: false, moment: { uid, until } });
}

export function leaveMoment(): void {
  useShown.setState({ moment: null });
}
