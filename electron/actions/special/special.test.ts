import { afterEach, describe, expect, test } from 'vitest';
import type { ActionOutcome } from '../../agent/ports';
import type { Clock } from '../../clock';
import { type ActionRig, actionRig } from '../action-rig';
import type { EvaluationRequest, EvaluationResult } from '../task-view';

let rig: ActionRig | undefined;
afterEach(async () => {
  await rig?.dispose();
  rig = undefined;
});

/** Time that moves only when somebody sleeps. */
function steppedClock(): Clock & { slept: number[] } {
  let time = 1_000_000;
  const slept: number[] = [];
  return {
    slept,
    now: () => time,
    monotonic: () => time,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      slept.push(ms);
      time += ms;
    },
  };
}

const scored = (request: EvaluationRequest, score: number): EvaluationResult => ({
  outcome: 'scored',
  attempt: request.attempt,
  score: Math.max(0, score - (request.hintSeen ? 10 : 0)),
  raw: score / 100,
  metrics: { accuracy: score / 100 },
  message: 'Scored.',
  penalty: request.hintSeen ? 10 : 0,
  protectedChanged: [],
  durationMs: 5,
});

describe('sleep', () => {
  test('is clamped to the longest time and to what is left, and says so', async () => {
    const clock = steppedClock();
    rig = await actionRig({ deps: { clock }, task: { guards: { early_sleep: 'off' } } });
    expect((await rig.call('sleep', { sleep_time: '100' })).text).toMatch(/^Slept 100 s\. Check what/);
    const long = await rig.call('sleep', { sleep_time: 7200 }, { leftMs: 1e9 });
    expect(long.text).toMatch(/^Slept 30 min/);
    const late = await rig.call('sleep', { sleep_time: 600 }, { leftMs: 60_000 });
    expect(late.text).toMatch(/^Slept 60 s \(the working time ran out\)/);
    expect(late.data).toMatchObject({ sleepMs: 60_000, askedMs: 600_000, woken: false });
    expect(clock.slept).toEqual([100_000, 1_800_000, 60_000]);
  });

  test('ends when a human wakes it or stops the run, and says which', async () => {
    rig = await actionRig({ task: { guards: { early_sleep: 'off' } } });
    const wake = new AbortController();
    const woken = rig.call('sleep', { sleep_time: 1000 }, { wake: wake.signal });
    wake.abort(new Error('wake'));
    expect(await woken).toMatchObject({ ok: true, data: { woken: true }, closedBy: 'run' });
    expect((await woken).text).toMatch(/^Woken by the user after /);
    const stop = new AbortController();
    const stopped = rig.call('sleep', { sleep_time: 1000 }, { signal: stop.signal });
    stop.abort(new Error('stop'));
    expect(await stopped).toMatchObject({ ok: false, closedBy: 'interrupted', error: { code: 'cancelled' } });
  });
});

describe('a long sleep', () => {
  test('for nothing is put to the agent before it sleeps, once', async () => {
    const clock = steppedClock();
    rig = await actionRig({ deps: { clock } });
    const first = await rig.call('sleep', { sleep_time: 600 });
    expect(first).toMatchObject({
      ok: true,
      data: { sleepMs: 0, held: true, notices: [{ rule: 'early_sleep', level: 'warn' }] },
    });
    expect(first.text).toBe(
      'Nothing is running in your sessions, so there is nothing to wait for; the sleep of 10 min was skipped. Call sleep again if you want to wait anyway.',
    );
    expect(rig.actions.guards({ name: 'sleep', args: {} }, 2)).toEqual([]);
    expect((await rig.call('sleep', { sleep_time: 600 })).text).toMatch(/^Slept 10 min/);
    expect(clock.slept).toEqual([600_000]);
  });

  test('waits at once while a command runs, whatever it is called', async () => {
    const clock = steppedClock();
    rig = await actionRig({ deps: { clock } });
    await rig.call('run_command', { command: 'while [ ! -e go ]; do sleep 0.02; done', session_id: 'train' });
    expect((await rig.call('sleep', { sleep_time: 600 })).text).toMatch(/^Slept 10 min/);
  });

  test('is refused where the task says so', async () => {
    rig = await actionRig({ task: { guards: { early_sleep: 'refuse' } } });
    expect(await rig.call('sleep', { sleep_time: 600 })).toMatchObject({
      ok: false,
      error: { code: 'refused' },
    });
  });
});

describe('think, hint, finish', () => {
  test('think touches nothing', async () => {
    rig = await actionRig();
    expect(await rig.call('think', { thought: 'plan' })).toMatchObject({
      ok: true,
      events: [],
      data: { thought: 'plan' },
    });
    expect(await rig.computer.sessions.list()).toEqual([]);
  });

  test('the task hint costs its points on every later score, shown', async () => {
    const requests: EvaluationRequest[] = [];
    rig = await actionRig({
      task: {
        tools: ['view_hint', 'eval'],
        task_hint: { mode: 'tool', penalty: 10, text: 'Drop duplicates.' },
        evaluation: { command: 'true', inputs: ['**'], max_score: 90 },
      },
      deps: {
        evaluate: async (request) => {
          requests.push(request);
          return scored(request, 60);
        },
      },
    });
    expect((await rig.call('eval')).text).toContain('Score: 60 of 100; the maximum in this task is 90.');
    const hint = await rig.call('view_hint');
    expect(hint.text).toBe('Task hint. 10 points are taken off every score from now on.\nDrop duplicates.');
    expect((await rig.call('eval')).text).toContain(
      'Score: 50 of 100 (10 points taken off for the task hint); the maximum in this task is 90.',
    );
    expect(requests.map((request) => [request.attempt, request.hintSeen])).toEqual([
      [1, false],
      [2, true],
    ]);
    expect((await rig.call('view_hint')).text).toContain('applies only once');
  });

  test('finish ends the run', async () => {
    rig = await actionRig();
    expect(await rig.call('finish')).toMatchObject({ ok: true, ends: 'finish' });
  });
});

describe('eval', () => {
  const runAll = async (
    spent: 'continue' | 'finish',
    results: ('ok' | 'down')[],
  ): Promise<ActionOutcome[]> => {
    const queue = [...results];
    rig = await actionRig({
      task: { limits: { max_eval_num: 2, on_evals_spent: spent } },
      deps: {
        evaluate: async (request) =>
          queue.shift() === 'down'
            ? {
                ...scored(request, 0),
                outcome: 'unavailable',
                attempt: null,
                score: null,
                raw: null,
                message: 'python3 is missing.',
              }
            : scored(request, 42.123),
      },
    });
    const outcomes: ActionOutcome[] = [];
    for (const _ of results) outcomes.push(await rig.call('eval'));
    return outcomes;
  };

  test('what the evaluator says in words is not said again as a metric', async () => {
    rig = await actionRig({
      deps: {
        evaluate: async (request) => ({
          ...scored(request, 44.6),
          metrics: { f1: 0.5348, precision: 0.61, kept: 120, rows: 400 },
          message: 'F1 0.5348; precision 61 %; 120 of 400 rows kept.',
        }),
      },
    });
    expect((await rig.call('eval')).text).toBe(
      'Score: 44.6 of 100.\nF1 0.5348; precision 61 %; 120 of 400 rows kept.',
    );
  });

  test('an evaluator that fails costs no try', async () => {
    const [down, first] = await runAll('continue', ['down', 'ok']);
    expect(down).toMatchObject({
      ok: false,
      error: { code: 'evaluation_unavailable' },
      data: { triesLeft: 2 },
    });
    expect(down?.text).toContain('was not counted: python3 is missing.');
    expect(down?.events).toMatchObject([
      { kind: 'evaluation.ended', body: { attempt: null, forced: false } },
    ]);
    expect(first?.text).toContain('Score: 42.12 of 100.');
    expect(first?.events).toMatchObject([{ kind: 'evaluation.ended', body: { attempt: 1, score: 42.123 } }]);
  });

  test('after the last try the agent may go on, and one more ends the run', async () => {
    const [, last, more] = await runAll('continue', ['ok', 'ok', 'ok']);
    // How many are left is said by the budget line, which knows when a person has changed the limit.
    expect(last).toMatchObject({ ends: null, text: expect.stringMatching(/^Score: 42\.12 of 100\.\n/) });
    expect(more).toMatchObject({ ends: 'evals_spent', events: [], ok: true });
  });

  test('or the last try ends it, where the task says so', async () => {
    const [first, last] = await runAll('finish', ['ok', 'ok']);
    expect([first?.ends, last?.ends]).toEqual([null, 'evals_spent']);
    expect(last?.text).toContain('Score: 42.12 of 100. That was the last evaluation, so the run ends here.');
  });
});
