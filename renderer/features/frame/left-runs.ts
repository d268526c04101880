import type { RunSummary } from '@shared/contract/views';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { useRuns } from '../../state/run/runs';
import { toastFailure } from '../../state/toasts';
import { useRemote } from '../remote/remote';

interface LeftRunsState {
  /** Runs that were being driven when Waymark ended, as this window found them. */
  runs: readonly RunSummary[];
}

/** What is offered once, when the window opens: to drive on what a crash or a reboot left. */
export const useLeftRuns = create<LeftRunsState>()(() => ({ runs: [] }));

const KEY = 'waymark.leftRuns';

/** Looks at the first list of runs of each workspace; the returned function ends it. */
export function startLeftRuns(): () => void {
  let looked = false;
  const stops = [
    listen('workspace.changed', () => {
      looked = false;
      useLeftRuns.setState({ runs: [] });
    }),
    useRuns.subscribe(({ list, loaded }) => {
      if (loaded && !looked) {
        looked = true;
        // The runs of a workspace elsewhere are driven there.
        if (useRemote.getState().status === null) useLeftRuns.setState({ runs: offered(list) });
        return;
      }
      const { runs } = useLeftRuns.getState();
      const still = runs.filter(({ id }) => list.some((run) => run.id === id && run.state === 'undriven'));
      if (still.length < runs.length) useLeftRuns.setState({ runs: still });
    }),
  ];
  return () => {
    for (const stop of stops) stop();
  };
}

/** Drives all of them on; one that cannot be says why, and the others go on. */
export async function resumeLeftRuns(): Promise<void> {
  const { runs } = useLeftRuns.getState();
  useLeftRuns.setState({ runs: [] });
  await Promise.all(runs.map(({ id }) => call('runs.resume', { run: id }).catch(toastFailure)));
}

/** Leaves them as they are; the same standstill is not offered again, each run still has its own button. */
export function dismissLeftRuns(): void {
  const { runs } = useLeftRuns.getState();
  useLeftRuns.setState({ runs: [] });
  localStorage.setItem(KEY, JSON.stringify(runs.map(mark)));
}

function offered(list: readonly RunSummary[]): RunSummary[] {
  const dismissed = new Set(localStorage.getItem(KEY)?.match(/[^",[\]]+/gu) ?? []);
  return list.filter((run) => run.state === 'undriven' && !dismissed.has(mark(run)));
}

/** One standstill of one run: after it went on, the next is another. */
const mark = ({ id, seq }: RunSummary): string => `${id}@${seq}`;
