import type { NewEvent } from '@shared/log/events';
import type { HaltRequest } from '../../agent/ports';
import { whatGoesOn } from './assemble';
import type { Parts } from './wiring/driving';

/**
 * Pauses or stops a run whose loop is not running: what was asked for is acknowledged, and a stop marks the hints that no
 * answer has seen, in one transaction; a hint that comes meanwhile is marked too.
 */
export async function recordRest(parts: Parts, asked: HaltRequest): Promise<'paused' | 'stopped'> {
  const { recorder, follower, loaded } = parts;
  const status = asked.op === 'stop' ? 'stopped' : 'paused';
  const message = [asked.message, await whatGoesOn(parts)].filter(Boolean).join(' ');
  const applied = asked.entries.map((body): NewEvent => ({ kind: 'control.applied', body }));
  const rests: NewEvent = { kind: 'run.status', body: { status, reason: 'asked', message } };
  if (status === 'paused') {
    await recorder.record([...applied, rests]);
    return status;
  }
  for (let raced = true; raced; ) {
    await follower.refresh();
    const ids = [...loaded.state.run.unseenHints, ...follower.queue.waiting().map(({ id }) => id)];
    const marks: NewEvent[] = ids.length === 0 ? [] : [{ kind: 'hint.undelivered', body: { ids } }];
    ({ raced } = await recorder.recordIfOutboxAt(follower.head, [...applied, ...marks, rests]));
  }
  return status;
}
