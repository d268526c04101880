import { useRuns } from './runs';
import { useTimeline } from './timeline';

/**
 * Does the work once the open run shows its rows, which stand in the same line of questions: what takes long on a large run would
 * hold them up. Not at all when another run is opened first.
 */
export function afterFirstRows(run: string, work: () => void): void {
  if (shows(run)) {
    work();
    return;
  }
  const stop = useTimeline.subscribe(() => {
    const gone = useRuns.getState().current !== run;
    if (!gone && !shows(run)) return;
    stop();
    if (!gone) work();
  });
}

function shows(run: string): boolean {
  const { run: open, heads, steps, cursor } = useTimeline.getState();
  return open === run && (steps === 0 || heads.get(cursor) !== undefined);
}
