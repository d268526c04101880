import type { NewEvent } from '@shared/log/events';
import { type BackDeps, isBackSoon, untilBack } from '../../agent/until-back';
import { ComputerUnavailable } from '../../computer/failures';

export interface PersistDeps {
  back: BackDeps;
  signal: AbortSignal;
  /** Somebody may have to hear that a computer is away; called before each wait. */
  away(error: ComputerUnavailable): Promise<void>;
}

/** Does the work, again after every loss of a link until it is through. @throws what the work throws; the signal's reason */
export async function persist<T>(deps: PersistDeps, work: (failures: number) => Promise<T>): Promise<T> {
  const { back, signal } = deps;
  for (let failures = 0; ; ) {
    try {
      return await work(failures);
    } catch (error) {
      if (!(error instanceof ComputerUnavailable)) throw error;
      failures += 1;
      if (failures === 1 && (await isBackSoon(back, error, signal))) continue;
      await deps.away(error);
      await untilBack(back, error, failures, signal);
    }
  }
}

/** As `persist`, for a run that was at work: it waits, says so, and goes on. */
export async function persistAtWork<T>(
  deps: Omit<PersistDeps, 'away'> & { record(events: NewEvent[]): Promise<void> },
  work: () => Promise<T>,
): Promise<T> {
  let waited = false;
  const say = (body: Extract<NewEvent, { kind: 'run.status' }>['body']) =>
    deps.record([{ kind: 'run.status', body }]);
  const away = async ({ message }: ComputerUnavailable) => {
    if (!waited) await say({ status: 'waiting_host', reason: 'computer_unavailable', message });
    waited = true;
  };
  try {
    return await persist({ ...deps, away }, work);
  } finally {
    if (waited && !deps.signal.aborted) {
      await say({ status: 'running', reason: null, message: 'The computer is back.' });
    }
  }
}
