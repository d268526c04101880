import type { ModelRef, Usage } from '@shared/log/event-parts';
import { describe, expect, it } from 'vitest';
import type { ScriptedAnswer } from '../model/scripted-answer';
import { cutStream, refusal, serverError } from '../model/scripted-faults';
import type { ScriptedPolicy } from '../model/scripted-server';
import { type LoopStand, type StandOptions, sha256 } from '../testing/loop-stand';
import { loopStands } from '../testing/loop-stands';
import { Killed } from '../testing/memory-run-log';
import { finish, put } from '../testing/scripted-answers';
import { oneCallWords, severalCallsWords } from './budget';
import type { LoopPorts } from './loop-types';

const { models: open, stand } = loopStands();

/** Puts one thing after another, then finishes. */
const putting =
  (steps: number, usage?: ScriptedAnswer['usage']): ScriptedPolicy =>
  ({ answers }) => ({
    ...(answers < steps ? { calls: [put(`thing ${answers}`)] } : finish),
    ...(usage === undefined ? {} : { usage }),
  });
const other: ModelRef = {
  endpoint: 'Other',
  baseUrl: 'http://127.0.0.1:1/v1',
  model: 'other',
  keyRef: null,
  params: { temperature: 0.5, max_tokens: 100, parallel_tool_calls: false },
  contextTokens: 1_000_000,
  sendReasoning: false,
};
/** Posts once, while the action of that step runs. */
function during(run: LoopStand, step: number, post: () => void): void {
  let done = false;
  run.log.beforeCommit = (events) => {
    if (!done && events.some((event) => event.kind === 'action.started' && event.body.step === step)) {
      done = true;
      post();
    }
  };
}
const bodies = () => open[0]?.requests.map(({ raw }) => JSON.parse(raw)) ?? [];
const lastStatus = (run: LoopStand) => run.of('run.status').at(-1);

describe('another model', () => {
  it('is asked from the next step on, with the same messages, and its parameters stand in the log', async () => {
    const run = await stand(putting(3));
    during(run, 2, () => run.log.post({ op: 'run.model', model: other }));
    expect(await run.drive()).toBe('finished');
    expect(bodies().map(({ model }) => model)).toEqual(['scripted', 'scripted', 'other', 'other']);
    expect(Object.keys(bodies()[2])).toEqual([
      ...['model', 'temperature', 'max_tokens', 'parallel_tool_calls', 'stream', 'stream_options'],
      ...['tools', 'messages'],
    ]);
    const said = (body: { messages: { content: string }[] }) =>
      body.messages.map(({ content }) => content.replace(/\n\n\[Budget:[^\]]*\]$/u, ''));
    expect(said(bodies()[2]).slice(0, said(bodies()[1]).length)).toEqual(said(bodies()[1]));
    expect(run.of('model.changed')).toMatchObject([{ by: 'Ada', model: { endpoint: 'Other' } }]);
    expect(run.of('control.applied').map(({ op }) => op)).toEqual(['model']);
    const at = run.log.events.findIndex(({ kind }) => kind === 'model.changed');
    expect(run.log.events[at + 1]).toMatchObject({ kind: 'model.requested', body: { step: 3 } });
    expect(run.unverified()).toBe(0);
    expect(run.of('segment.started')).toHaveLength(1);
  });

  it.each([
    { from: false, words: oneCallWords, news: 'You may now make several calls in one answer' },
    {
      from: true,
      words: severalCallsWords,
      news: 'Each answer may make only one call now; any further calls in it are not run',
    },
  ])('with parallel_tool_calls $from before and not after is told so with every request from then on', async ({
    from,
    words,
    news,
  }) => {
    const two: ScriptedPolicy = ({ answers }) =>
      answers < 3 ? { calls: [put(`a ${answers}`), put(`b ${answers}`)] } : finish;
    const run = await stand(two, { parallelCalls: from, system: `Call ${words}` });
    const changed = { ...other, params: { ...other.params, parallel_tool_calls: !from } };
    during(run, 1, () => run.log.post({ op: 'run.model', model: changed }));
    expect(await run.drive()).toBe('finished');
    const [before, ...after] = run.of('model.requested').map(({ tail }) => tail);
    expect(before).toMatch(/evaluations left\.\]$/u);
    expect(after).toHaveLength(3);
    for (const tail of after) expect(tail).toContain(` ${news}.]`);
    const ran = (step: number) =>
      run.of('action.observed').filter((each) => each.step === step && each.error === null).length;
    expect([ran(1), ran(2), ran(3)]).toEqual(from ? [2, 1, 1] : [1, 2, 2]);
    expect(run.unverified()).toBe(0);
  });

  it('is taken by a paused run when it is resumed, also when it was asked for in between', async () => {
    const run = await stand(putting(2));
    during(run, 1, () => run.log.post({ op: 'run.pause', mode: 'after_step' }));
    expect(await run.drive()).toBe('paused');
    run.log.post({ op: 'run.model', model: { ...other, model: 'passed over' } });
    run.log.post({ op: 'run.model', model: other });
    expect(run.of('model.changed')).toEqual([]);
    expect(await run.drive()).toBe('finished');
    expect(bodies().map(({ model }) => model)).toEqual(['scripted', 'other', 'other']);
    expect(run.unverified()).toBe(0);
  });

  it('is tried at once where the one before does not answer', async () => {
    const run = await stand(
      ({ model }) => (model === 'other' ? finish : { fault: { kind: 'status', status: 503 } }),
      { attempts: 1_000 },
    );
    const driving = run.drive();
    await run.until(() => run.of('model.failed').length >= 2);
    run.log.post({ op: 'run.model', model: other });
    expect(await driving).toBe('finished');
    expect(bodies().at(-1)?.model).toBe('other');
    expect(run.of('model.requested').every(({ step }) => step === 1)).toBe(true);
  });

  it('has its parameters mended before its first answer, and never after it', async () => {
    const refuse = (message: string): ScriptedAnswer => ({
      fault: { kind: 'status', status: 400, body: JSON.stringify({ error: { message } }) },
    });
    let refusing = true;
    const run = await stand((request) => {
      const body: Record<string, unknown> = JSON.parse(request.raw);
      if (request.model === 'other' && refusing) {
        if ('parallel_tool_calls' in body) return refuse('Unknown parameter: parallel_tool_calls.');
        if (body.max_tokens === 100)
          return refuse('max_tokens is too large: 100. This model supports at most 64 completion tokens.');
        refusing = false;
      }
      if (request.answers === 3) return refuse('temperature is not supported with this model');
      return putting(9)(request);
    });
    during(run, 1, () => run.log.post({ op: 'run.model', model: other }));
    expect(await run.drive()).toBe('paused');
    expect(run.of('model.changed').map(({ by, request }) => [by, request.max_tokens])).toEqual([
      ['Ada', 100],
      ['Waymark', 100],
      ['Waymark', 64],
    ]);
    expect(bodies().at(-1)).toMatchObject({ model: 'other', max_tokens: 64, temperature: 0.5 });
    expect(bodies().at(-1)).not.toHaveProperty('parallel_tool_calls');
    expect(lastStatus(run)).toMatchObject({ status: 'paused', reason: 'model_rejected' });
    expect(run.unverified()).toBe(0);
    expect(run.of('model.requested').map(({ sha256: hash }) => hash)).toEqual(
      open[0]?.requests.map(({ raw }) => sha256(raw)),
    );
  });

  it('and other limits are applied once, whenever the driver is killed', async () => {
    const story = async (cut: number | null) => {
      const run = await stand(putting(3));
      during(run, 1, () => {
        run.log.post({ op: 'run.model', model: other });
        run.log.post({ op: 'run.limits', limits: { maxSteps: 3 } });
      });
      run.log.killAfter = cut;
      if (cut !== null) await expect(run.drive()).rejects.toThrow(Killed);
      run.log.killAfter = null;
      expect(await run.drive()).toBe('finished');
      expect(run.of('model.changed')).toHaveLength(1);
      expect(run.of('limits.changed')).toHaveLength(1);
      expect(run.of('control.applied').map(({ op }) => op)).toEqual(['model', 'limits']);
      expect(run.of('model.answered')).toHaveLength(3);
      expect(run.unverified()).toBe(0);
      return run.log.transactions;
    };
    const total = await story(null);
    for (let cut = 2; cut < total; cut += 1) await story(cut);
  });
});

describe('limits', () => {
  /** 100 tokens of input, 10 of output, at one unit for ten tokens. */
  const usage = { input: 100, output: 10 };
  const priced = (ports: LoopPorts): LoopPorts => ({
    ...ports,
    cost: ({ usage: used }: { usage: Usage | null }) =>
      used === null ? null : (used.inputTokens + used.outputTokens) / 10,
  });

  it('end the run with a final evaluation on top, whichever is reached', async () => {
    const cases: [string, ScriptedPolicy, Omit<StandOptions, 'model'>][] = [
      ['max_steps', putting(99), { limits: { maxSteps: 2 } }],
      [
        'max_time',
        () => ({ calls: [{ name: 'sleep', arguments: { sleep_time: 60 } }] }),
        { limits: { maxWorkingMs: 200 } },
      ],
      ['max_tokens', putting(99, usage), { limits: { maxTokens: 20_000 } }],
      ['max_cost', putting(99, usage), { limits: { maxCost: 2_000 }, wrap: priced }],
    ];
    for (const [reason, policy, options] of cases) {
      const run = await stand(policy, options);
      expect(await run.drive()).toBe('finished');
      expect(lastStatus(run)).toMatchObject({ status: 'finished', reason });
      expect(run.of('evaluation.ended')).toMatchObject([{ forced: true, score: 50 }]);
    }
  });

  it('on tokens are kept before they are passed: no request is sent that could', async () => {
    const run = await stand(putting(99, { input: 3_000, output: 500 }), { limits: { maxTokens: 40_000 } });
    expect(await run.drive()).toBe('finished');
    const used = run
      .of('model.answered')
      .reduce((sum, { usage: each }) => sum + (each?.inputTokens ?? 0) + (each?.outputTokens ?? 0), 0);
    expect(used).toBeLessThanOrEqual(40_000);
    expect(run.of('model.answered').length).toBeGreaterThan(3);
    const last = run.of('model.requested').at(-1)?.tokensEstimate ?? 0;
    expect(used + last + 8_192).toBeGreaterThan(40_000);
    const asked = new Set(open[0]?.requests.map(({ raw }) => JSON.parse(raw).max_tokens));
    expect([...asked]).toEqual([undefined]);
  });

  it('on money are kept the same way, and both are told to the agent at the end of the prompt', async () => {
    const run = await stand(putting(99, usage), {
      limits: { maxCost: 1_000, maxTokens: 1_000_000 },
      wrap: priced,
    });
    expect(await run.drive()).toBe('finished');
    expect(lastStatus(run)?.reason).toBe('max_cost');
    const tails = run.of('model.requested').map(({ tail }) => tail);
    expect(tails[1]).toMatch(
      /99 steps and 3 of 3 evaluations left; 999890 of 1000000 tokens; 989\.00 of 1000 in money\.\]$/u,
    );
    const plain = await stand(putting(1));
    await plain.drive();
    expect(plain.of('model.requested')[1]?.tail).toBe(
      '\n\n[Budget: 59 min of working time, 99 steps and 3 of 3 evaluations left.]',
    );
  });

  it('on one training are told with the budgets from the change on, because the system prompt says otherwise', async () => {
    const run = await stand(putting(4));
    during(run, 1, () => run.log.post({ op: 'run.limits', limits: { maxTrainingMs: 3 * 3_600_000 } }));
    expect(await run.drive()).toBe('finished');
    const [before, ...after] = run.of('model.requested').map(({ tail }) => tail);
    expect(before).not.toContain('training');
    expect(after).toHaveLength(4);
    for (const tail of after) {
      expect(tail).toMatch(/evaluations left\. A single training run may take 3 h at most\.\]$/u);
    }
    expect(run.unverified()).toBe(0);
  });

  it('count answers that broke off, by estimate: retries do not pass a limit unseen', async () => {
    const run = await stand(() => ({ ...cutStream(9), pieceMs: 3 }), {
      limits: { maxTokens: 12_000, maxCost: 1e9 },
      wrap: priced,
      attempts: 1_000,
    });
    expect(await run.drive()).toBe('finished');
    expect(lastStatus(run)?.reason).toBe('max_tokens');
    const failed = run.of('model.failed');
    const used = failed.reduce(
      (sum, each) => sum + (each.usage?.inputTokens ?? 0) + (each.usage?.outputTokens ?? 0),
      0,
    );
    expect(failed.length).toBeGreaterThan(2);
    expect(failed[0]?.usage?.outputTokens).toBeGreaterThan(0);
    expect(failed[0]?.cost).toBeGreaterThan(0);
    expect(used).toBeLessThanOrEqual(12_000 - 8_192);
    const refused = await stand(() => serverError(), { limits: { maxTokens: 12_000 } });
    expect(await refused.drive()).toBe('paused');
    expect(refused.of('model.failed').every(({ usage: none }) => none === undefined)).toBe(true);
  });

  it('can be raised, lowered and taken away while the run goes on', async () => {
    const run = await stand(putting(6), { limits: { maxSteps: 2, maxTokens: 50_000 } });
    during(run, 2, () => run.log.post({ op: 'run.limits', limits: { maxSteps: 9, maxTokens: null } }));
    expect(await run.drive()).toBe('finished');
    expect(lastStatus(run)?.reason).toBe('finish');
    expect(run.of('limits.changed')).toEqual([
      { by: 'Ada', limits: { maxSteps: 9, maxWorkingMs: 3_600_000, maxEvals: 3 } },
    ]);
    const lowered = await stand(putting(6));
    during(lowered, 2, () => lowered.log.post({ op: 'run.limits', limits: { maxSteps: 1 } }));
    expect(await lowered.drive()).toBe('finished');
    expect(lastStatus(lowered)?.reason).toBe('max_steps');
    expect(lowered.of('model.answered')).toHaveLength(2);
  });

  it('that end a sleep let the run go on when they were raised meanwhile', async () => {
    const sleeping: ScriptedPolicy = ({ answers }) =>
      answers === 0 ? { calls: [{ name: 'sleep', arguments: { sleep_time: 60 } }] } : finish;
    const run = await stand(sleeping, { limits: { maxWorkingMs: 400 } });
    during(run, 1, () => run.log.post({ op: 'run.limits', limits: { maxWorkingMs: 600_000 } }));
    expect(await run.drive()).toBe('finished');
    expect(lastStatus(run)?.reason).toBe('finish');
    expect(run.of('action.observed')[0]).toMatchObject({ closedBy: 'interrupted' });
  });

  it('that cannot be kept pause the run: no price, or no count of tokens', async () => {
    const unpriced = await stand(putting(3, usage), { limits: { maxCost: 5 } });
    expect(await unpriced.drive()).toBe('paused');
    expect(lastStatus(unpriced)).toMatchObject({ reason: 'limit_unknown' });
    expect(open[0]?.requests).toEqual([]);
    const unmetered = await stand(putting(3, null), { limits: { maxTokens: 50_000 } });
    expect(await unmetered.drive()).toBe('paused');
    expect(lastStatus(unmetered)).toMatchObject({ reason: 'limit_unknown' });
    expect(unmetered.of('model.answered')).toHaveLength(1);
    unmetered.log.post({ op: 'run.limits', limits: { maxTokens: null } });
    expect(await unmetered.drive()).toBe('finished');
  });
});

describe('a model that refuses', () => {
  it.each([
    'field',
    'filter',
  ] as const)('is taught, and pauses the run after three in a row (%s)', async (kind) => {
    const run = await stand(() => refusal(kind));
    expect(await run.drive()).toBe('paused');
    expect(run.of('model.answered')).toHaveLength(3);
    expect(run.of('model.answered')[0]).toMatchObject({
      kind: 'null',
      finishReason: kind === 'field' ? 'refusal' : 'content_filter',
      text: kind === 'field' ? "I can't help with that." : 'First, you',
    });
    expect(run.of('step.taught').map(({ text }) => text.startsWith('You declined'))).toEqual([
      true,
      true,
      true,
    ]);
    expect(lastStatus(run)).toMatchObject({ reason: 'model_rejected' });
    expect(lastStatus(run)?.message).toContain('refused to answer 3 times in a row');
    expect(await run.drive()).toBe('paused');
    expect(run.of('model.answered')).toHaveLength(6);
  });

  it('goes on when it comes round', async () => {
    const run = await stand(({ index }) =>
      index === 2 ? { calls: [put('a')] } : index < 5 ? refusal() : finish,
    );
    expect(await run.drive()).toBe('finished');
    expect(run.tray.items).toEqual(['a']);
  });
});
