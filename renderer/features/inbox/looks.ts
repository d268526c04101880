import { hasEnded } from '@shared/runs/run-status';
import { call } from '../../api';
import { useRuns } from '../../state/run/runs';
import { attempt } from '../../state/toasts';
import { useView } from '../../state/view';

/** What is shorter is a glance on the way to something else, ms. */
const SHORTEST_MS = 4_000;
/** How often a look that lasts is told, ms: no more than this is lost with the window. */
const TELL_MS = 30_000;

/** Keeps how often and how long a person watches runs that have not ended. Times are monotonic; the clock only names a look. */
export class Looks {
  private look: { run: string; at: number; since: number; told: number } | null = null;

  /** @param run What is watched now; null: nothing, or nobody is there. @param now Monotonic ms. */
  tick(run: string | null, now: number): void {
    if (this.look !== null && this.look.run !== run) {
      this.tell(this.look, now);
      this.look = null;
    }
    if (run === null) return;
    this.look ??= { run, at: Date.now(), since: now, told: now };
    if (now - this.look.told >= TELL_MS) this.tell(this.look, now);
  }

  private tell(look: NonNullable<typeof this.look>, now: number): void {
    const ms = Math.round(now - look.since);
    if (ms < SHORTEST_MS) return;
    look.told = now;
    attempt(() => call('attention.looked', { run: look.run, at: look.at, ms }));
  }
}

/** The run that Watch shows in a window with the focus, unless it has ended. */
export function watchedRun(): string | null {
  if (document.visibilityState !== 'visible' || !document.hasFocus()) return null;
  if (useView.getState().mode !== 'watch') return null;
  const { list, current } = useRuns.getState();
  const run = list.find(({ id }) => id === current);
  return run === undefined || hasEnded(run.state) ? null : run.id;
}
