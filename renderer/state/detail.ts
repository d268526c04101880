import type { StepDetail } from '@shared/views';
import { create } from 'zustand';
import { call } from '../api';
import { useTimeline } from './timeline';
import { toastFailure } from './toasts';

interface DetailState {
  /** The newest details, by `run/step`; a few dozen, for walking back and forth. */
  details: ReadonlyMap<string, StepDetail>;
}

const KEEP = 32;
export const useDetails = create<DetailState>()(() => ({ details: new Map() }));

const loading = new Map<string, { again: boolean }>();

function keyOf(run: string, step: number): string {
  return `${run}/${step}`;
}

/** Reads one step; a request while one is under way is one more request after it. */
export function loadDetail(run: string, step: number): void {
  const { heads, run: open } = useTimeline.getState();
  const head = open === run ? heads.get(step) : undefined;
  // Of a step whose run was removed nothing but its row is left, which says so.
  if (head !== undefined && head.id === '' && head.inheritedFrom !== null) return;
  const key = keyOf(run, step);
  const under = loading.get(key);
  if (under !== undefined) {
    under.again = true;
    return;
  }
  const mine = { again: false };
  loading.set(key, mine);
  call('step.detail', { run, step })
    .then(
      (detail) => {
        const details = new Map(useDetails.getState().details);
        details.delete(key);
        details.set(key, detail);
        for (const old of details.keys()) {
          if (details.size <= KEEP) break;
          details.delete(old);
        }
        useDetails.setState({ details });
      },
      (thrown: unknown) => {
        if (useTimeline.getState().run === run) toastFailure(thrown);
      },
    )
    .finally(() => {
      loading.delete(key);
      if (mine.again) loadDetail(run, step);
    });
}

/** The detail of a step when it has been read. */
export function useDetail(run: string | null, step: number): StepDetail | undefined {
  return useDetails((state) => (run === null ? undefined : state.details.get(keyOf(run, step))));
}

/** Drops what is known of some steps, and reads the one under the cursor again. */
export function invalidateDetails(run: string, from: number, to: number): void {
  const { cursor, run: open } = useTimeline.getState();
  const details = new Map(useDetails.getState().details);
  for (const [key, detail] of details) {
    const inRange = detail.head.run === run && detail.head.step >= from && detail.head.step <= to;
    if (inRange && !(open === run && detail.head.step === cursor)) details.delete(key);
  }
  useDetails.setState({ details });
  if (open === run && cursor >= from && cursor <= to) loadDetail(run, cursor);
}
