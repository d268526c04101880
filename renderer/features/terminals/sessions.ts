import type { SessionAt, SessionView } from '@shared/contract/views';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { useNewest } from '../../state/answers';
import { useTimeline } from '../../state/run/timeline';
import { toastFailure } from '../../state/toasts';
import { useShown } from './sessions-shown';

interface SessionsState {
  run: string | null;
  list: SessionView[];
  /** False until the first answer: nothing is claimed to be empty before that. */
  loaded: boolean;
}

/** The open run's terminal sessions. */
export const useSessions = create<SessionsState>()(() => ({ run: null, list: [], loaded: false }));

let turn = 0;
/** The run whose list was asked for last. */
let asked: string | null = null;
/**
 * Reads the list of the run; an answer that was overtaken is dropped. What was chosen in another run is chosen no more, and what
 * is chosen before the answer stays.
 */
export function loadSessions(run: string): void {
  turn += 1;
  const mine = turn;
  if (asked !== null && asked !== run) useShown.setState({ chosen: null, moment: null });
  asked = run;
  call('sessions.list', { run }).then(
    (list) => {
      if (mine !== turn) return;
      useSessions.setState({ run, list, loaded: true });
    },
    (thrown: unknown) => toastFailure(thrown),
  );
}

/** How a list stands after some of its sessions have grown. */
export function grown(
  list: SessionView[],
  sessions: readonly { uid: string; endOffset: number; lastByteAt: number }[],
): SessionView[] {
  const byUid = new Map(sessions.map((session) => [session.uid, session]));
  return list.map((session) => {
    const news = byUid.get(session.uid);
    if (news === undefined || news.endOffset <= session.endOffset) return session;
    return { ...session, endOffset: news.endOffset, lastByteAt: news.lastByteAt };
  });
}

/** Keeps the list true while a terminal pane is on the screen; the returned function ends it. */
export function startSessions(): () => void {
  const open = () => {
    const { run } = useTimeline.getState();
    if (run === null) useSessions.setState({ run: null, list: [], loaded: false });
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
    listen('session.grew', ({ run, sessions }) => {
      const state = useSessions.getState();
      if (run === state.run) useSessions.setState({ list: grown(state.list, sessions) });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** The run's sessions as they were when a step was over; null until that is read. Asked for only while `wanted`. */
export function useSessionsAt(run: string | null, step: number, wanted: boolean): SessionAt[] | null {
  // A step that goes on has another end when it is over, and so has the last one.
  const until = useTimeline(({ heads, steps }) => (heads.get(step)?.done === true ? 'done' : steps));
  const answer = useNewest('sessions.at', wanted && run !== null && step > 0 ? { run, step } : null, until);
  return answer?.input.run === run && answer.input.step === step ? answer.value : null;
}
