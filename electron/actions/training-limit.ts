import { duration } from '@shared/base/amounts';
import { trains } from '@shared/runs/detectors/own-jobs';
import { ComputerUnavailable, SessionError } from '../computer/failures';
import type { Computer } from '../computer/port';
import type { ActionFacts, Training } from './action-facts';
import type { ActionTaskView } from './task-view';

/** From asking a training politely to end until it is killed, ms: it may write a last checkpoint. */
const politeMs = 10_000;

/** Working time that the run has used, ms; null where nobody reckons it. */
function usedMs({ time }: ActionTaskView): number | null {
  return time === null ? null : time.ofMs - time.leftMs;
}

/** What the observation of a command that starts training keeps: where the run's working time stood. */
export function trainingData(command: string, task: ActionTaskView): { trainingFromMs?: number } {
  const used = usedMs(task);
  return used === null || !trains(command, task.training.commands) ? {} : { trainingFromMs: used };
}

/** Working time until the next training reaches its limit, ms; infinite where none runs or there is no limit. */
export function untilTrainingLimit(task: ActionTaskView, { trainings }: ActionFacts): number {
  const used = usedMs(task);
  const { limitMs } = task.training;
  if (used === null || limitMs === null) return Number.POSITIVE_INFINITY;
  return Math.min(...[...trainings.values()].map(({ fromMs }) => Math.max(0, fromMs + limitMs - used)));
}

/**
 * Ends each training that has run for as long as one may (`limits.max_training_time`; InnovatorBench, appendix D, "Training time
 * constraint"), by the working time since it was started. Hands back the sessions that are settled, with what the agent is told of
 * those that were ended. A computer that is away is asked again with the next action.
 */
export async function endOverdue(
  task: ActionTaskView,
  facts: ActionFacts,
  computers: ReadonlyMap<string, Computer>,
): Promise<{ settled: string[]; notices: string[] }> {
  const settled: string[] = [];
  const notices: string[] = [];
  const used = usedMs(task);
  const { limitMs } = task.training;
  if (used === null || limitMs === null) return { settled, notices };
  for (const [uid, training] of facts.trainings) {
    const computer = computers.get(training.computer);
    if (computer === undefined || used - training.fromMs < limitMs) continue;
    try {
      if (await endTraining(computer, uid, training)) notices.push(notice(training, limitMs));
      settled.push(uid);
    } catch (error) {
      if (!(error instanceof ComputerUnavailable)) throw error;
    }
  }
  return { settled, notices };
}

/** False: it had ended by itself, or its session is gone. */
async function endTraining({ sessions }: Computer, uid: string, training: Training): Promise<boolean> {
  try {
    const info = await sessions.find(training.session);
    if (info === undefined || info.id !== uid || !info.alive) return false;
    const command = (await sessions.commands(info.name)).find(
      ({ commandSeq }) => commandSeq === training.seq,
    );
    if (command === undefined || command.endedAt !== undefined) return false;
    const { remaining } = await sessions.signal(info.name, 'TERM', { graceMs: politeMs });
    if (remaining.length > 0) await sessions.signal(info.name, 'KILL');
    return true;
  } catch (error) {
    if (error instanceof SessionError) return false;
    throw error;
  }
}

function notice({ computer, session }: Training, limitMs: number): string {
  return `The training run in session ${session} on ${computer} was stopped after ${duration(limitMs)}, the limit for a single training run.`;
}
