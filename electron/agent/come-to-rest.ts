import type { NewEvent, StoredStatus } from '@shared/log/events';
import type { LimitReached, NoRoom } from './budget';
import { keepAtEnd } from './checkpoint-due';
import type { Lap, Loop } from './loop-types';
import type { HaltRequest } from './ports';
import { waitForComputer } from './wait-for-computer';

/** Pauses with a reason that the window names; hints stay queued. */
export async function pauseRun(loop: Loop, reason: string, message: string): Promise<Lap> {
  await loop.ports.recorder.record([status('paused', reason, message)]);
  return 'paused';
}

/** After so many refusals in a row the run pauses: asking on would only cost. */
export const MOST_REFUSALS = 3;

/** The model would not answer, again and again. Resumed, it is asked again. */
export function pauseRefused(loop: Loop): Promise<Lap> {
  const { model, step, refusals } = loop.state.run;
  return pauseRun(
    loop,
    'model_rejected',
    `${model?.model ?? 'The model'} refused to answer ${refusals} times in a row (up to step ${step}). Read its last answers; send a hint or choose another model, then resume the run.`,
  );
}

/** A request that would not fit into the limits on tokens and money ends the run; one nobody can judge pauses it. */
export function restWithoutRoom(loop: Loop, room: NoRoom): Promise<Lap> {
  return 'limit' in room
    ? finishRun(loop, room.limit)
    : pauseRun(
        loop,
        'limit_unknown',
        `${room.unknown}, so the limit on tokens or money cannot be kept. Choose another model, or take the limit away, then resume the run.`,
      );
}

/** Does what a human, or the quitting application, asked for, and says what goes on all the same. */
export async function haltRun(loop: Loop, asked: HaltRequest): Promise<Lap> {
  const message = [asked.message, await loop.ports.running?.()].filter(Boolean).join(' ');
  const applied = asked.entries.map((body): NewEvent => ({ kind: 'control.applied', body }));
  if (asked.op === 'pause') {
    await loop.ports.recorder.record([...applied, status('paused', 'asked', message)]);
    return 'paused';
  }
  await recordEnd(loop, [...applied, status('stopped', 'asked', message)]);
  return 'stopped';
}

/** Finishes: the forced final evaluation on top of the tries (semantics, Evaluation), then the status. */
export async function finishRun(loop: Loop, reason: 'finish' | 'evals_spent' | LimitReached): Promise<Lap> {
  const { ports, state } = loop;
  if (!state.run.evaluations.forced) {
    const events = await finalEvaluation(loop);
    if (events === null) {
      return 'next';
    }
    await ports.recorder.record(events);
  }
  if (!(await keepAtEnd(loop))) {
    return 'next';
  }
  await recordEnd(loop, [status('finished', reason, endMessages[reason])]);
  return 'finished';
}

const endMessages = {
  finish: 'The agent finished.',
  evals_spent: 'The agent asked for an evaluation after its last try.',
  max_steps: 'The last allowed step was taken.',
  max_time: 'The working time is used up.',
  max_tokens: 'Another request could use more tokens than the run may.',
  max_cost: 'Another request could cost more than the run may.',
} as const;

function status(value: StoredStatus, reason: string | null, message: string): NewEvent {
  return { kind: 'run.status', body: { status: value, reason, message } };
}

/** Marks the hints that no answer has seen and ends, in one transaction; a hint that comes meanwhile is marked too. */
async function recordEnd(loop: Loop, last: NewEvent[]): Promise<void> {
  const { ports, state } = loop;
  for (;;) {
    const { head, waiting } = await ports.hints.due(true);
    const ids = [...state.run.unseenHints, ...waiting];
    const marks: NewEvent[] = ids.length === 0 ? [] : [{ kind: 'hint.undelivered', body: { ids } }];
    const { raced } = await ports.recorder.recordIfOutboxAt(head, [...marks, ...last]);
    if (!raced) {
      return;
    }
  }
}

/** Null when a human halted it: the lap after this one sees why. */
async function finalEvaluation(loop: Loop): Promise<NewEvent[] | null> {
  const { ports, state } = loop;
  const step = state.run.step === 0 ? null : state.run.step;
  ports.live.emit({ kind: 'state', state: 'acting', until: null });
  const startedAt = ports.clock.monotonic();
  try {
    const events = await waitForComputer(loop, () => ports.evaluation.final(step, ports.control.halt));
    return ports.control.halt.aborted ? null : events;
  } catch (error) {
    if (ports.control.halt.aborted) {
      return null;
    }
    const message = `The final evaluation could not be made: ${error instanceof Error ? error.message : String(error)}`;
    return [
      {
        kind: 'evaluation.ended',
        body: {
          step,
          outcome: 'unavailable',
          attempt: null,
          forced: true,
          score: null,
          raw: null,
          metrics: {},
          message,
          penalty: 0,
          protectedChanged: [],
          durationMs: Math.round(ports.clock.monotonic() - startedAt),
        },
      },
    ];
  }
}
