import type { EventBody, NewEvent } from '@shared/log/events';
import type { HintDelivery } from '@shared/log/outbox';
import type { WaitingHint } from '@shared/runs/hint-queue';
import { expect, test } from 'vitest';
import { HintConditions } from './hint-conditions';

const waits = (deliver: HintDelivery, seq = 0, at = 0): WaitingHint => ({
  id: 'a',
  text: 'a',
  deliver,
  due: null,
  set: { entry: 'e', seq, at },
});

/** Conditions after the events, one line each. */
class Log {
  readonly conditions = new HintConditions();
  seq = 0;
  private step = 0;

  add(...events: NewEvent[]): this {
    for (const event of events) {
      this.seq += 1;
      this.conditions.apply(event);
    }
    return this;
  }

  /** One step with these calls: ok, an action that failed, or a command that exited with 1. */
  take(...calls: ('ok' | 'error' | 'exit')[]): this {
    this.step += 1;
    const answered = { kind: 'act', step: this.step } as EventBody<'model.answered'>;
    this.add({ kind: 'model.answered', body: answered });
    for (const [call, result] of calls.entries()) {
      const error = result === 'error' ? { code: 'not_found', message: 'no' } : null;
      const data = result === 'exit' ? { exitCode: 1 } : { exitCode: 0 };
      const body = { step: this.step, call, error, data } as Partial<EventBody<'action.observed'>>;
      this.add({ kind: 'action.observed', body: body as EventBody<'action.observed'> });
    }
    return this;
  }

  score(score: number | null, forced = false): this {
    const body = { score, forced } as EventBody<'evaluation.ended'>;
    return this.add({ kind: 'evaluation.ended', body });
  }

  gpu(computer: string, state: 'idle' | 'busy' | 'unknown', since: number): this {
    return this.add({ kind: 'gpu.changed', body: { computer, state, since, gpus: [] } });
  }

  why(deliver: HintDelivery, seq = 0, at = 0, now = 0): string | null {
    return this.conditions.cameTrue(waits(deliver, seq, at), now);
  }
}

test('a score that changes after the hint was queued', () => {
  const changes: HintDelivery = { when: 'score_changes' };
  const log = new Log();
  expect(log.score(null).why(changes)).toBeNull();
  expect(log.score(40).why(changes)).toBe('first score 40');
  const queued = log.seq;
  expect(log.why(changes, queued)).toBeNull();
  expect(log.score(40).score(null).why(changes, queued)).toBeNull();
  expect(log.score(30).why(changes, queued)).toBe('score 40 → 30');
  expect(log.score(30).why(changes, queued)).toBe('score 40 → 30');
  expect(log.score(90, true).why(changes, log.seq - 1)).toBeNull();
});

test('steps that failed in a row, each counted once, from the hint on', () => {
  const three: HintDelivery = { when: 'error_streak', steps: 3 };
  const log = new Log().take('error').take('exit', 'error', 'exit');
  expect(log.why(three)).toBeNull();
  expect(log.take('ok', 'exit').why(three)).toBe('3 failed steps in a row');
  const queued = log.seq;
  expect(log.take('exit').take('error').why(three, queued)).toBeNull();
  expect(log.take('error').why(three, queued)).toBe('3 failed steps in a row');
  expect(log.take('ok').why(three, queued)).toBeNull();
  expect(log.take('error').take('error').why(three)).toBeNull();
});

test('an answer that had to be taught fails, a summary is no step', () => {
  const two: HintDelivery = { when: 'error_streak', steps: 2 };
  const log = new Log().take('error');
  const summary = { kind: 'summary', step: 9 } as EventBody<'model.answered'>;
  log.add({ kind: 'model.answered', body: summary });
  expect(
    log
      .take()
      .add({ kind: 'step.taught', body: { step: 2, text: '' } })
      .why(two),
  ).toBe('2 failed steps in a row');
});

test('GPUs that stay idle for so long, from the hint on', () => {
  const minute = 60_000;
  const ten: HintDelivery = { when: 'gpu_idle', computer: 'gpu', minutes: 10 };
  const any: HintDelivery = { ...ten, computer: '' };
  const log = new Log().gpu('gpu', 'idle', 100 * minute).gpu('other', 'idle', 0);
  expect(log.why(ten, 0, 0, 109.9 * minute)).toBeNull();
  expect(log.why(ten, 0, 0, 110 * minute)).toBe('GPUs of gpu idle for 10 min');
  expect(log.why(any, 0, 105 * minute, 110 * minute)).toBeNull();
  expect(log.why(any, 0, 0, 10 * minute)).toBe('GPUs of other idle for 10 min');
  expect(log.why(ten, 0, 105 * minute, 114 * minute)).toBeNull();
  expect(log.why(ten, 0, 105 * minute, 115 * minute)).toBe('GPUs of gpu idle for 10 min');
  expect(log.gpu('gpu', 'busy', 120 * minute).why(ten, 0, 0, 200 * minute)).toBeNull();
  expect(log.gpu('gpu', 'unknown', 120 * minute).why(ten, 0, 0, 200 * minute)).toBeNull();
});

test('what is seen elsewhere never comes true in the log', () => {
  const log = new Log().take('error').score(10);
  expect(log.why({ when: 'next_step' })).toBeNull();
  expect(log.why({ when: 'wake' })).toBeNull();
  expect(log.why({ when: 'session_idle', computer: '', session: '' })).toBeNull();
});
