import { call } from '../../api';

/**
 * Which sessions of runs the window looks at. The main process is told the whole set each time, so that what is no longer on the
 * screen costs nothing.
 */
const sessions = new Map<string, number>();

function take(set: Map<string, number>, id: string): void {
  set.set(id, (set.get(id) ?? 0) + 1);
}

function leave(set: Map<string, number>, id: string): boolean {
  const left = (set.get(id) ?? 1) - 1;
  if (left > 0) set.set(id, left);
  else set.delete(id);
  return left <= 0;
}

const nobodyAwaits = (): void => undefined;

/** Looks at a session of a run; frames may come once this resolves. */
export async function watchSession(run: string, uid: string): Promise<void> {
  take(sessions, uid);
  await call('sessions.watch', { run, uids: [...sessions.keys()] });
}

export function unwatchSession(run: string, uid: string): void {
  // A set that could not be told is told with the next one.
  if (leave(sessions, uid)) call('sessions.watch', { run, uids: [...sessions.keys()] }).catch(nobodyAwaits);
}

/** Hears when sessions of a run grow, without looking at more of them. */
export async function watchRun(run: string): Promise<void> {
  await call('sessions.watch', { run, uids: [...sessions.keys()] });
}
