import type { RunState, RunSummary } from '@shared/contract/views';
import { hasEnded } from '@shared/runs/run-status';
import { create } from 'zustand';
import { call } from '../../api';
import { toastFailure } from '../toasts';

interface RunsState {
  list: RunSummary[];
  /** False until the first answer: nothing is claimed to be empty before that. */
  loaded: boolean;
  current: string | null;
}

export const useRuns = create<RunsState>()(() => ({ list: [], loaded: false, current: null }));

/** The open run's summary; undefined when none is open. */
export function useCurrentRun(): RunSummary | undefined {
  return useRuns((state) => state.list.find((run) => run.id === state.current));
}

let listTurn = 0;
/** Reads all summaries; an answer that a newer one has overtaken is dropped. */
export async function loadRuns(): Promise<void> {
  (await askRuns())();
}

/** The same without taking the answer over yet: what it resolves to does that. */
export async function askRuns(): Promise<() => void> {
  listTurn += 1;
  const mine = listTurn;
  const list = await call('runs.list');
  return () => {
    if (mine === listTurn) takeRuns(list);
  };
}

function takeRuns(list: RunSummary[]): void {
  useRuns.setState((state) => ({
    list,
    loaded: true,
    current: list.some((run) => run.id === state.current) ? state.current : (firstToOpen(list)?.id ?? null),
  }));
}

let listWaiting = false;
/** Reads the list at most every 200 ms, however often it changes. */
export function refreshRuns(): void {
  if (listWaiting) return;
  listWaiting = true;
  setTimeout(() => {
    listWaiting = false;
    loadRuns().catch((thrown: unknown) => toastFailure(thrown));
  }, 200);
}

/** Opens a run that may not be in the list yet (it was just started). */
export async function openRun(id: string): Promise<void> {
  if (!useRuns.getState().list.some((run) => run.id === id)) putRun(await call('runs.summary', { run: id }));
  useRuns.setState({ current: id });
}

/** Reads one run's summary again, at most every 200 ms per run; the last request always wins. */
const waiting = new Map<string, { again: boolean }>();
export function refreshRun(id: string): void {
  const known = waiting.get(id);
  if (known !== undefined) {
    known.again = true;
    return;
  }
  const mine = { again: false };
  waiting.set(id, mine);
  call('runs.summary', { run: id })
    .then(putRun, (thrown: unknown) => toastFailure(thrown))
    .finally(() => {
      setTimeout(() => {
        waiting.delete(id);
        if (mine.again) refreshRun(id);
      }, 200);
    });
}

function putRun(run: RunSummary): void {
  useRuns.setState((state) => ({
    list: state.list.some((other) => other.id === run.id)
      ? state.list.map((other) => (other.id === run.id ? run : other))
      : [run, ...state.list],
  }));
}

export type RailGroup = 'needsYou' | 'quiet' | 'finished';

/** True for a run that was brought in from a log: its limits, times and machines were not ours to know. */
export function isImported(run: Pick<RunSummary, 'reason'>): boolean {
  return run.reason === 'imported';
}

/** True while the run's driver works; false when it waits for a person or is over. */
export function isMoving(state: RunState): boolean {
  return state === 'thinking' || state === 'acting' || state === 'sleeping' || state === 'waiting_host';
}

/** Which heading of the rail a run stands under: who needs a person comes first. */
export function railGroup(run: RunSummary): RailGroup {
  if (run.state === 'waiting_human' || run.state === 'waiting_host' || run.state === 'failed')
    return 'needsYou';
  if (run.state === 'undriven' || run.state === 'import_broken' || run.hints.undelivered > 0)
    return 'needsYou';
  if (hasEnded(run.state)) return 'finished';
  return 'quiet';
}

const urgency: Partial<Record<RunState, number>> = {
  waiting_human: 0,
  waiting_host: 1,
  failed: 2,
  undriven: 3,
  import_broken: 4,
};

/** Sorts by need, then by the latest change. */
export function railOrder(a: RunSummary, b: RunSummary): number {
  const group: Record<RailGroup, number> = { needsYou: 0, quiet: 1, finished: 2 };
  return (
    group[railGroup(a)] - group[railGroup(b)] ||
    (urgency[a.state] ?? 9) - (urgency[b.state] ?? 9) ||
    b.changedAt - a.changedAt
  );
}

function firstToOpen(list: readonly RunSummary[]): RunSummary | undefined {
  return [...list].sort(railOrder)[0];
}
