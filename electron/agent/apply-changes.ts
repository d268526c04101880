import type { Limits } from '@shared/log/event-parts';
import type { NewEvent } from '@shared/log/events';
import type { LimitsChange } from '@shared/log/outbox';
import { limitsOf } from './budget';
import type { Loop } from './loop-types';
import { requestParams } from './model-ref';

/**
 * Records the changes of model and limits that people asked for, at a step boundary: the next request goes to the
 * new model, the next check is against the new limits. Each entry of the outbox is acknowledged in the same
 * transaction, so a crash applies it once. False when there was nothing to do.
 */
export async function applyChanges(loop: Loop): Promise<boolean> {
  const changes = loop.ports.control.changes();
  const events: NewEvent[] = [];
  let limits = limitsOf(loop);
  for (const change of changes) {
    const { entry, by } = change;
    events.push({ kind: 'control.applied', body: { entry, op: change.op } });
    if (change.op === 'model') {
      const { model } = change;
      events.push({ kind: 'model.changed', body: { model, request: requestParams(model), by } });
    } else {
      limits = withChange(limits, change.limits);
      events.push({ kind: 'limits.changed', body: { limits, by } });
    }
  }
  if (events.length > 0) {
    await loop.ports.recorder.record(events);
  }
  return events.length > 0;
}

/** What is not named stays; null takes a limit away. */
export function withChange(limits: Limits, change: LimitsChange): Limits {
  const { maxSteps, maxWorkingMs, maxEvals, maxTrainingMs, maxTokens, maxCost } = change;
  const training = maxTrainingMs === undefined ? limits.maxTrainingMs : maxTrainingMs;
  const tokens = maxTokens === undefined ? limits.maxTokens : maxTokens;
  const cost = maxCost === undefined ? limits.maxCost : maxCost;
  return {
    maxSteps: maxSteps ?? limits.maxSteps,
    maxWorkingMs: maxWorkingMs ?? limits.maxWorkingMs,
    maxEvals: maxEvals ?? limits.maxEvals,
    ...(training == null ? {} : { maxTrainingMs: training }),
    ...(tokens == null ? {} : { maxTokens: tokens }),
    ...(cost == null ? {} : { maxCost: cost }),
  };
}
