import { describe, expect, it } from 'vitest';
import { evaluated } from '../../log/event-fixtures';
import type { EventBody } from '../../log/events';
import { AttentionScript, SCRIPT_START } from './attention-fixtures';
import { attentionAt } from './attention-fold';

const limits = { maxSteps: 10, maxWorkingMs: 100_000, maxEvals: 3 };
const run = (options: Partial<EventBody<'run.created'>> = {}) => new AttentionScript(options);
const failing = { name: 'run_command', data: { exitCode: 1 } };
const status = (value: EventBody<'run.status'>['status'], reason: string | null = null) => ({
  status: value,
  reason,
  message: 'A text of the run.',
});
const scored = (score: number, attempt: number) => evaluated(attempt, score, { attempt });
const gpus = (state: 'idle' | 'busy' | 'unknown', since: number, computer = 'gpu-1') => ({
  computer,
  state,
  since,
  gpus: [{ index: 0, utilization: 0, memoryUsedMb: 0 }],
});

describe('the attention fold', () => {
  it('says nothing of a run that goes well', () => {
    expect(run().steps(12).items()).toEqual([]);
  });

  it('names five failed steps in a row, once, until one goes well', () => {
    const script = run();
    for (let i = 0; i < 4; i += 1) script.step(failing);
    expect(script.items('error_streak')).toEqual([]);
    script.step({ name: 'open_file', error: { code: 'not_found', message: 'No such file' } });
    const [streak] = script.items('error_streak');
    expect(streak).toMatchObject({ open: true, urgency: 1, step: 5, steps: [1, 2, 3, 4, 5] });
    expect(streak?.facts).toEqual({ count: 5, code: 'not_found' });
    script.step(failing);
    expect(script.items('error_streak')).toMatchObject([{ id: streak?.id, facts: { count: 6 } }]);
    script.steps(2);
    expect(script.items('error_streak')).toMatchObject([{ id: streak?.id, open: false }]);
  });

  it('counts an answer without a call as failed, and a step with two failed calls once', () => {
    const script = run();
    for (let i = 0; i < 2; i += 1) {
      script.script.answer([failing, failing]);
      script.script.answer([]);
    }
    expect(script.items('error_streak')).toEqual([]);
    script.step(failing);
    expect(script.items('error_streak')).toMatchObject([{ facts: { count: 5 } }]);
  });

  it('asks until the question is answered, also over a death of the driver', () => {
    const approval = '01KAPPR0000000000000000000';
    const script = run().add('approval.asked', {
      step: 1,
      call: 0,
      approval,
      what: 'rm -rf x',
      why: 'it deletes',
    });
    script.add('run.status', status('waiting_human', 'approval'));
    script.add('driver.started', {
      epoch: 2,
      pid: 1,
      host: 'h',
      app: 'a',
      runtime: 'r',
      reason: 'resume',
    });
    const [asked] = script.items();
    expect(asked).toMatchObject({ kind: 'asks_you', urgency: 1, open: true, step: 1 });
    expect(JSON.stringify(script.items())).not.toContain('rm -rf');
    script.add('approval.decided', { approval, decision: 'allow', by: 'Ada' });
    expect(script.items()).toMatchObject([{ kind: 'asks_you', open: false }]);
  });

  it('tells a pause that somebody asked for from one that nobody did', () => {
    const script = run().add('run.status', status('paused', 'asked'));
    expect(script.items('paused')).toMatchObject([{ urgency: 3, open: true, facts: { reason: 'asked' } }]);
    script.add('run.status', status('running')).add('run.status', status('paused', 'model_key_missing'));
    expect(script.items('paused')).toMatchObject([{ urgency: 1, open: true }, { open: false }]);
    script.add('run.status', status('running'));
    expect(script.items('paused').map(({ open }) => open)).toEqual([false, false]);
  });

  it('says that nobody drives a run that did not rest', () => {
    const script = run().steps(2);
    expect(script.items('paused', true)).toEqual([]);
    expect(script.items('paused', false)).toMatchObject([{ facts: { reason: 'undriven' }, open: true }]);
    script.add('run.status', status('finished', 'finish'));
    expect(script.items('paused', false)).toEqual([]);
  });

  it('names a lost host while the run waits for it', () => {
    const script = run().add('run.status', status('waiting_host', 'computer_unavailable'));
    expect(script.items()).toMatchObject([{ kind: 'host_lost', urgency: 1, open: true }]);
    script.add('run.status', status('running'));
    expect(script.items()).toMatchObject([{ kind: 'host_lost', open: false }]);
  });

  it('names a score below the last one until it is reached again', () => {
    const script = run({ limits: { ...limits, maxEvals: 9 } }).add('evaluation.ended', scored(40, 1));
    script.add('evaluation.ended', scored(31, 2));
    expect(script.items()).toMatchObject([
      { kind: 'score_dropped', open: true, facts: { from: 40, to: 31, best: 40 } },
    ]);
    script.add('evaluation.ended', scored(35, 3));
    expect(script.items()).toMatchObject([{ open: true }]);
    script.add('evaluation.ended', scored(41, 4));
    expect(script.items()).toMatchObject([{ open: false }]);
  });

  it('names each budget from four fifths on, and takes it back when the limit is raised', () => {
    const script = run({ limits }).steps(7);
    expect(script.items('budget')).toEqual([]);
    script.steps(1);
    expect(script.items('budget')).toMatchObject([
      { facts: { budget: 'steps', used: 8, limit: 10 }, open: true },
    ]);
    script.pass(81_000).steps(1);
    expect(
      script
        .items('budget')
        .map(({ facts }) => facts.budget)
        .sort(),
    ).toEqual(['steps', 'time']);
    script.add('limits.changed', { limits: { ...limits, maxSteps: 100, maxTokens: 1_000 }, by: 'Ada' });
    expect(script.items('budget').filter(({ open }) => open)).toMatchObject([{ facts: { budget: 'time' } }]);
    script.script.answer([], {
      usage: { inputTokens: 700, outputTokens: 200, cachedTokens: 0, reasoningTokens: 0 },
      cost: 3,
    });
    script.add('limits.changed', {
      limits: { ...limits, maxSteps: 100, maxTokens: 1_000, maxCost: 3.5 },
      by: 'Ada',
    });
    const open = script.items('budget').filter((item) => item.open);
    expect(open.map(({ facts }) => facts.budget).sort()).toEqual(['cost', 'time', 'tokens']);
  });

  it('counts neither waiting nor suspension as time of the budget', () => {
    const script = run({ limits }).add('run.status', status('waiting_human', 'approval')).pass(900_000);
    script.add('run.status', status('running')).pass(90_000);
    script.add('clock.suspended', { from: script.now - 70_000, to: script.now }).steps(1);
    expect(script.items('budget')).toEqual([]);
    script.pass(61_000).steps(1);
    expect(script.items('budget')).toMatchObject([{ facts: { budget: 'time', used: 81_000 } }]);
  });

  it('lets GPUs be idle for ten minutes, then says so by time alone, until they work', () => {
    const script = run().add('gpu.changed', gpus('idle', SCRIPT_START));
    script.pass(9 * 60_000);
    expect(script.items()).toEqual([]);
    expect(attentionAt(script.fold(), script.now, true).nextAt).toBe(SCRIPT_START + 600_000);
    script.pass(9 * 60_000);
    const [idle] = script.items();
    expect(idle).toMatchObject({ kind: 'gpu_idle', urgency: 1, open: true, facts: { computer: 'gpu-1' } });
    expect(script.items('gpu_idle', false)).toEqual([]);
    script.add('gpu.changed', gpus('busy', script.now));
    expect(script.items()).toMatchObject([{ id: idle?.id, open: false, facts: { ms: 18 * 60_000 } }]);
  });

  it('does not name GPUs that were idle for a moment, or of a run that rests', () => {
    const script = run().add('gpu.changed', gpus('idle', SCRIPT_START)).pass(300_000);
    script.add('gpu.changed', gpus('busy', script.now)).add('gpu.changed', gpus('idle', script.now));
    script.pass(60_000).add('run.status', status('paused', 'asked')).pass(3_600_000);
    expect(script.items('gpu_idle')).toEqual([]);
  });

  it('tells of hints, standstills and what a summary lost, once each', () => {
    const script = run().steps(1);
    const id = '01KH1NT0000000000000000000';
    script.add('hint.delivered', { step: 1, hints: [{ id, text: 'Secret advice' }], text: '<real_user>' });
    script
      .add('clock.suspended', { from: 0, to: 41 * 60_000 })
      .add('clock.suspended', { from: 0, to: 12_000 });
    const lost = { kind: 'path' as const, text: '/w/a' };
    script.add('summary.ended', { step: 2, tokensBefore: 9, tokensAfter: 3, missing: [lost] });
    script.add('summary.ended', { step: 3, tokensBefore: 9, tokensAfter: 3, missing: [] });
    expect(script.items().map(({ kind, open }) => [kind, open])).toEqual([
      ['stood_still', false],
      ['hint_delivered', false],
      ['summary_lost', false],
    ]);
    expect(script.items('stood_still')).toMatchObject([{ facts: { ms: 41 * 60_000 } }]);
    expect(JSON.stringify(script.state)).not.toContain('Secret');
  });

  it('ends everything with the run and says how it ended', () => {
    const script = run();
    for (let i = 0; i < 6; i += 1) script.step(failing);
    script.add('run.status', status('failed', 'bug'));
    expect(script.items().filter(({ open }) => open)).toEqual([]);
    expect(script.items('failed')).toMatchObject([
      { urgency: 1, facts: { reason: 'bug', status: 'failed' } },
    ]);
  });

  it('stays small however long the run is', () => {
    const script = run({ limits: { ...limits, maxEvals: 100_000, maxSteps: 1_000_000, maxWorkingMs: 1e12 } });
    for (let i = 0; i < 120; i += 1) {
      for (let k = 0; k < 5; k += 1) script.step(failing);
      script.add('clock.suspended', { from: 0, to: 100_000 }).steps(1);
      script.start(`python train.py --n ${i}`, `s${i}`);
    }
    const items = script.items();
    expect(items.length).toBeLessThan(150);
    expect(JSON.stringify(script.state).length).toBeLessThan(100_000);
    expect(script.state.counts).toMatchObject({ error_streak: 120, stood_still: 120 });
  });
});
