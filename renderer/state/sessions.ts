import type { SessionView } from '@shared/views';
import { create } from 'zustand';
import { call, listen } from '../api';
import { useTimeline } from './timeline';
import { toastFailure } from './toasts';

interface SessionsState {
  run: string | null;
  list: SessionView[];
  loaded: boolean;
  /** The session in the zoom; null picks the one with the newest byte. */
  chosen: string | null;
}

/** The open run's terminal sessions. */
export const useSessions = create<SessionsState>()(() => ({
  run: null,
  list: [],
  loaded: false,
  chosen: null,
}));

let turn = 0;
/** Reads the list of the run; an answer that was overtaken is dropped. */
export function loadSessions(run: string): void {
  turn += 1;
  const mine = turn;
  call('sessions.list', { run }).then(
    (list) => {
      if (mine === turn)
        useSessions.setState((state) => ({
          run,
          list,
          loaded: true,
          chosen: state.run === run ? state.chosen : null,
        }));
    },
    (thrown: unknown) => toastFailure(thrown),
  );
}

/** Keeps the list true while a terminal pane is on the screen; the returned function ends it. */
export function startSessions(): () => void {
  const open = () => {
    const { run } = useTimeline.getState();
    if (run === null) useSessions.setState({ run: null, list: [], loaded: false, chosen: null });
    else loadSessions(run);
  };
  open();
  const stops = [
    useTimeline.subscribe((state, before) => {
      // A step may have opened a session or changed what it does.
      if (state.run !== before.run || state.steps !== before.steps) open();
    }),
    listen('session.changed', ({ run }) => {
      if (run === useTimeline.getState().run) loadSessions(run);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

export function chooseSession(uid: string): void {
  useSessions.setState({ chosen: uid });
}

/** The session to zoom: the chosen one, else the one with the newest byte. */
export function zoomed(list: readonly SessionView[], chosen: string | null): SessionView | undefined {
  const own = list.find((session) => session.uid === chosen);
  return own ?? [...list].sort((a, b) => (b.lastByteAt ?? 0) - (a.lastByteAt ?? 0))[0];
}

/** The next session in the list after the one in the zoom, going round. */
export function nextSession(list: readonly SessionView[], chosen: string | null): SessionView | undefined {
  const at = list.findIndex((session) => session.uid === zoomed(list, chosen)?.uid);
  return list[(at + 1) % Math.max(1, list.length)];
}
