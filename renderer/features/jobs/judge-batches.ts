import { type JudgeBatchView, type JudgeQueue, queueMarks } from '@shared/contract/judge-views';
import { create } from 'zustand';
import { call, listen } from '../../api';
import { setFilter } from '../../state/rows/filter';
import { openRun, useRuns } from '../../state/run/runs';
import { attempt, toast } from '../../state/toasts';
import { setMode } from '../../state/view';
import { openTray, useJobs } from './jobs';

interface BatchesState {
  /** The newest first; also those of other processes. */
  list: JudgeBatchView[];
  /** Batches that are not to be shown any more. */
  dismissed: ReadonlySet<string>;
}

const KEY = 'waymark.judge-batches.dismissed';
const MOST_DISMISSED = 200;
/** How often batches that are asked for are looked at, ms. */
const LOOK_MS = 1_000;
/** How soon a batch of another process is looked for after labels have changed. */
const OTHERS_MS = 10_000;
/** One that is done is listed for so long after it began, ms. */
const DONE_MS = 24 * 3_600_000;

/** Batches of judges in the workspace, as they were when they were read last. */
export const useBatches = create<BatchesState>()(() => ({ list: [], dismissed: new Set() }));

/** Batches that the tray shows. */
export function listedBatches({ list, dismissed }: BatchesState, now: number): JudgeBatchView[] {
  return list.filter(
    ({ id, at, state, missing }) =>
      state === 'running' || (!dismissed.has(id) && (state !== 'done' || missing > 0 || now - at < DONE_MS)),
  );
}

/** Something keeps it from its end that a person can do something about. */
export function needsPerson({ state, why }: JudgeBatchView): boolean {
  return state === 'interrupted' || why === 'failed' || why === 'cost';
}

/** Share that is done, 0 to 1; null while nobody here knows how much there is. */
export function shareOf({ total, votes, state }: JudgeBatchView): number | null {
  if (state === 'done') return 1;
  return total === null || total === 0 ? null : Math.min(1, votes / total);
}

/** Reads the batches; says once what ended, and what an earlier process left. */
export function loadBatches(): Promise<void> {
  return show(() => call('judge.batches'));
}

/** Reads them for the first time in this workspace, and offers what was interrupted. */
export async function beginBatches(): Promise<void> {
  useBatches.setState({ list: [], dismissed: readDismissed() });
  await loadBatches();
  const { list, dismissed } = useBatches.getState();
  const left = list.filter(({ id, state }) => state === 'interrupted' && !dismissed.has(id));
  if (left.length > 0)
    toast(({ judging }) => judging.left(left.length), {
      say: ({ jobs }) => jobs.show,
      run: () => openTray(true),
    });
}

/** Follows them: what this process says, and while any is asked for, looks. Returns its end. */
export function startBatches(): () => void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (ms: number) => {
    timer ??= setTimeout(() => {
      timer = undefined;
      attempt(async () => {
        try {
          await loadBatches();
        } finally {
          // Also after a look that failed.
          if (isAnyRunning()) look(LOOK_MS);
        }
      });
    }, ms);
  };
  const stops = [
    listen('judge.changed', () => attempt(loadBatches)),
    // They may be votes of a batch that another process has begun; mostly a person labels.
    listen('labels.changed', () => look(isAnyRunning() ? LOOK_MS : OTHERS_MS)),
    useBatches.subscribe(() => {
      if (isAnyRunning()) look(LOOK_MS);
    }),
  ];
  return () => {
    for (const stop of stops) stop();
    clearTimeout(timer);
  };
}

const isAnyRunning = () => useBatches.getState().list.some(({ state }) => state === 'running');

/** The newest question; the answer to an earlier one, perhaps of another workspace, is passed over. */
let newest = 0;

async function show(ask: () => Promise<JudgeBatchView[]>): Promise<void> {
  newest += 1;
  const mine = newest;
  const list = await ask();
  if (mine === newest) put(list);
}

function put(list: JudgeBatchView[]): void {
  const before = new Map(useBatches.getState().list.map((batch) => [batch.id, batch.state]));
  useBatches.setState({ list });
  for (const { id, state, why, judge, votes, isTrial } of list) {
    if (before.get(id) !== 'running' || state === 'running') continue;
    // Where the tray is open, it says so itself.
    if (state === 'done' && !useJobs.getState().open)
      toast(({ judging }) => (isTrial ? judging.trialToast : judging.doneToast)(judge, votes), {
        say: ({ jobs }) => jobs.show,
        run: () => openTray(true),
      });
    else if (why === 'failed') openTray(true);
  }
}

export function stopBatch(batch: string): void {
  attempt(() => show(() => call('judge.stop', { batch })));
}

/** `maxCost`: its limit from now on; null: the one it has. */
export function resumeBatch(batch: string, maxCost: number | null = null): void {
  attempt(() => show(() => call('judge.resume', { batch, maxCost })));
}

/** Takes a batch off the tray, in this installation. Its votes stay. */
export function dismissBatch(batch: string): void {
  const dismissed = [...useBatches.getState().dismissed, batch].slice(-MOST_DISMISSED);
  localStorage.setItem(KEY, JSON.stringify(dismissed));
  useBatches.setState({ dismissed: new Set(dismissed) });
}

function readDismissed(): Set<string> {
  const stored = typeof localStorage === 'undefined' ? null : localStorage.getItem(KEY);
  return new Set(stored?.match(/[0-9A-Z]{26}/gu) ?? []);
}

const queryOf = (queue: JudgeQueue) => ({ marks: [queueMarks[queue]] });

/** Opens the run in Review with these steps only. */
export async function reviewQueue(run: string, queue: JudgeQueue): Promise<void> {
  openTray(false);
  await openRun(run);
  if (useRuns.getState().current !== run) return;
  setMode('review');
  setFilter(queryOf(queue));
}

/** The same for the open run, by a key; says so where there is no such step. */
export async function reviewOpenRun(queue: JudgeQueue): Promise<void> {
  const { current } = useRuns.getState();
  if (current === null) return;
  const { total } = await call('timeline.count', { run: current, query: queryOf(queue) });
  if (total === 0) toast(({ judging }) => judging.noneQueued[queue]);
  else await reviewQueue(current, queue);
}
