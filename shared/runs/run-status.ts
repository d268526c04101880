import type { RunState, RunSummary } from '../contract/views';
import type { StoredStatus } from '../log/events';

/**
 * The one vocabulary for what a run does, everywhere: window, inbox, command line. `training` is a sleep while one
 * of the run's commands goes on on a computer with GPUs; `waiting_model`: the model cannot be reached, and the run goes on
 * by itself when it can; `undriven`: no process works on it.
 */
export type RunStatusWord = RunState | 'training' | 'waiting_model';

export interface RunStatus {
  word: RunStatusWord;
  /** Wall-clock ms: until when it sleeps, or waits before it asks the model again; null otherwise. */
  until: number | null;
  /** The command of the run that goes on by itself and matters most: one on a GPU computer before any other. */
  on: RunningPlace | null;
  /** Machine word for why: `asked`, `max_steps`, an error code; null while it goes on. */
  reason: string | null;
  /** A sentence for people, as the log has it; null when there is none. */
  message: string | null;
}

export interface RunningPlace {
  computer: string;
  /** The ssh alias; null on this machine. */
  host: string | null;
  session: string;
}

/** Summary of a run → its status. Pure; the words of each language are the caller's. */
export function runStatus(
  run: Pick<RunSummary, 'state' | 'until' | 'reason' | 'message' | 'runningOn' | 'computers'>,
): RunStatus {
  const gpu = run.runningOn.find(({ computer }) => (computerOf(run, computer)?.gpus ?? 0) > 0);
  const running = gpu ?? run.runningOn[0];
  const goesOn = run.state === 'thinking' || run.state === 'acting' || run.state === 'sleeping';
  return {
    word: wordOf(run, gpu !== undefined),
    until: run.state === 'sleeping' || run.state === 'thinking' ? run.until : null,
    on: running === undefined ? null : { ...running, host: computerOf(run, running.computer)?.host ?? null },
    reason: goesOn ? null : run.reason,
    message: goesOn || run.message === '' ? null : run.message,
  };
}

/** Whether a run is over for good: no driver takes it up again. */
export function hasEnded(status: StoredStatus | RunState | null): boolean {
  return status === 'finished' || status === 'stopped' || status === 'failed';
}

/** Whether a run that waits waits for its model; the log has one status for that and for a computer that is away. */
export function waitsForModel(run: { state: string; reason: string | null }): boolean {
  return run.state === 'waiting_host' && run.reason !== null && run.reason.startsWith('model_');
}

function wordOf(run: Pick<RunSummary, 'state' | 'reason'>, onGpu: boolean): RunStatusWord {
  if (waitsForModel(run)) return 'waiting_model';
  return run.state === 'sleeping' && onGpu ? 'training' : run.state;
}

function computerOf(run: Pick<RunSummary, 'computers'>, name: string) {
  return run.computers.find((computer) => computer.name === name);
}
