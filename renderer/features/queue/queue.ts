import type { QueueItem, QueueView } from '@shared/labels/review/queue-views';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { setFilter, useFilter } from '../../state/rows/filter';
import { openRun, useRuns } from '../../state/run/runs';
import { afterFirstRows, jumpCursor, moveCursor, useTimeline } from '../../state/run/timeline';
import { useSettings } from '../../state/settings';
import { attempt, toast } from '../../state/toasts';
import { useLabels } from '../labels/labels';

interface QueueState {
  /** The panel is open. */
  panel: boolean;
  /** The dialog that confirms the rest is open. */
  rest: boolean;
  /** What waits for the person; null until read. */
  view: QueueView | null;
  /** The item being reviewed; null outside queue mode. */
  item: QueueItem | null;
  /** Which disagreement of how many there were when the person came to them; null elsewhere. */
  place: { at: number; of: number } | null;
}

export const useQueue = create<QueueState>()(() => ({
  panel: false,
  rest: false,
  view: null,
  item: null,
  place: null,
}));

export function openQueue(open = true): void {
  useQueue.setState({ panel: open });
  if (open) attempt(loadQueue);
}

export async function loadQueue(): Promise<void> {
  const run = useRuns.getState().current;
  const view = await call('queue.view', { run });
  if (useRuns.getState().current === run) useQueue.setState({ view });
}

/**
 * Goes to the next item, also in another run, and stays in queue mode; leaves it when nothing is left. `asked`: by the person, not
 * because an item was decided. A filter that hides the item gives way.
 */
export async function goQueue(direction: 1 | -1, asked = true): Promise<void> {
  const { item } = useQueue.getState();
  const { run, cursor } = useTimeline.getState();
  const current = useRuns.getState().current;
  const here = item !== null && item.run === run ? item : null;
  const from = here ?? (run === null || cursor === 0 ? null : { run, step: cursor, class: null });
  const next = await call('queue.next', { run: current, from, direction });
  const same = next !== null && here !== null && next.run === here.run && next.step === here.step;
  if (next === null || same) {
    leaveQueue();
    toast((text) => text.queue.nothingLeft);
    return;
  }
  useQueue.setState((state) => ({ item: next, place: placeAfter(state.place, next, direction) }));
  if (useRuns.getState().current !== next.run) await openRun(next.run);
  if (useTimeline.getState().run !== next.run) return;
  if (useFilter.getState().steps?.includes(next.step) === false) setFilter({});
  if (asked) moveCursor(next.step);
  else jumpCursor(next.step);
}

/** Counted from where the person began: an item that was decided is gone from the queue's own count. */
export function placeAfter(
  before: QueueState['place'],
  next: QueueItem,
  direction: 1 | -1,
): QueueState['place'] {
  if (next.place === null || next.of === null) return null;
  if (before === null) return { at: next.place, of: next.of };
  const at = before.at + direction;
  // Round the end, or more came meanwhile: counted anew.
  return at < 1 || at > before.of || next.of > before.of
    ? { at: next.place, of: next.of }
    : { at, of: before.of };
}

export function leaveQueue(): void {
  useQueue.setState({ item: null, place: null });
}

/** Keeps the progress line true, and goes on to the next item when one was decided. @returns its end */
export function startQueue(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  // Counting a long run is a pass over it: not for every key.
  const refresh = () => {
    timer ??= setTimeout(() => {
      timer = undefined;
      attempt(loadQueue);
    }, 2_000);
  };
  const stops = [
    listen('labels.changed', refresh),
    useRuns.subscribe((state, before) => {
      if (state.current === before.current || state.current === null) return;
      afterFirstRows(state.current, () => attempt(loadQueue));
    }),
    useSettings.subscribe(({ settings }, before) => {
      const name = before.settings?.annotator.name;
      if (name === undefined || settings?.annotator.name === name) return;
      leaveQueue();
      if (useRuns.getState().current !== null) attempt(loadQueue);
    }),
    useLabels.subscribe((state, before) => {
      const newest = state.pending.at(-1);
      const { item } = useQueue.getState();
      if (newest === undefined || item === null || newest.value === 'clear') return;
      if (before.pending.some(({ id }) => id === newest.id) || newest.run !== item.run) return;
      if (item.step < newest.from || newest.to < item.step) return;
      // Where the cursor is until the next item is known, nobody wants to label.
      useTimeline.setState({ jumpedAt: performance.now() });
      attempt(() => goQueue(1, false));
    }),
  ];
  const { current } = useRuns.getState();
  if (current !== null) afterFirstRows(current, () => attempt(loadQueue));
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
  };
}
