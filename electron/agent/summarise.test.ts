import { ContextFold } from '@shared/context/context';
import { contentText } from '@shared/log/chat';
import { hintName } from '@shared/log/event-parts';
import { describe, expect, it } from 'vitest';
import type { ScriptedAnswer } from '../model/scripted-answer';
import type { ScriptedPolicy } from '../model/scripted-server';
import { isSummaryRequest, scriptedSummary, withSummaries } from '../model/scripted-summary';
import { type LoopStand, sha256 } from '../testing/loop-stand';
import { loopStands } from '../testing/loop-stands';
import { Killed } from '../testing/memory-run-log';
import { finish, put } from '../testing/scripted-answers';

const { models: open, stand } = loopStands();

/** `count` steps of about 1,000 tokens each, told apart by what they say; then finish. */
function longSteps(
  count: number,
  more: (step: number) => Partial<ScriptedAnswer> = () => ({}),
): ScriptedPolicy {
  return ({ messages }) => {
    const said = messages.flatMap(({ role, content }) => (role === 'assistant' ? [content] : []));
    const step = Number(/(?:^Step |up to step )(\d+)/u.exec(said.at(-1) ?? '')?.[1] ?? 0) + 1;
    if (step > count) return finish;
    return {
      text: `Step ${step}. ${'y'.repeat(3_500)}`,
      calls: [put(`${step}`)],
      usage: null,
      ...more(step),
    };
  };
}

const summarySteps = (run: LoopStand) =>
  run.of('model.answered').flatMap(({ kind, step }) => (kind === 'summary' ? [step] : []));

describe('a context that is full', () => {
  it('is summarised by half, and the run goes on with what the log says', async () => {
    const run = await stand(withSummaries(longSteps(12)), { contextTokens: 5_000 });
    expect(await run.drive()).toBe('finished');
    const [started] = run.of('summary.started');
    expect(started).toMatchObject({
      entries: 2,
      pair: false,
      steps: { from: 1, to: 2 },
      why: 'limit',
      segment: 1,
    });
    const second = run.of('segment.started')[1];
    expect(second).toMatchObject({ segment: 2, summary: started?.step, carried: started?.carried });
    expect(second?.head.map(({ role }) => role)).toEqual(['system', 'user', 'assistant', 'user']);
    expect(second?.head[3]?.content).toMatch(/\n\nput 2\n\n\[Budget: [^\]]*\]$/u);
    expect(run.tray.items).toEqual(Array.from({ length: 12 }, (_, index) => `${index + 1}`).map(String));
    expect(run.unverified()).toBe(0);
    const sent = (open[0]?.requests ?? []).map(({ raw }) => sha256(raw));
    expect(run.of('model.requested').map(({ sha256: hash }) => hash)).toEqual(sent);
    for (const { tokensEstimate } of run.of('model.requested'))
      expect(tokensEstimate).toBeLessThanOrEqual(5_000);
    const ended = run.of('summary.ended')[0];
    expect(ended?.tokensBefore).toBeGreaterThan(5_000);
    expect(ended?.tokensAfter).toBeLessThan(4_900);
    expect(summarySteps(run).length).toBeGreaterThan(2);
    expect(run.of('model.answered').filter(({ kind }) => kind !== 'summary')).toHaveLength(13);
  });

  it('does not count summary turns as steps', async () => {
    const run = await stand(withSummaries(longSteps(99)), { contextTokens: 5_000, limits: { maxSteps: 9 } });
    expect(await run.drive()).toBe('finished');
    expect(run.tray.items).toHaveLength(9);
    expect(run.of('model.answered').length).toBeGreaterThan(10);
    expect(run.of('run.status').at(-1)?.reason).toBe('max_steps');
  });

  it('shows the summariser the task, the part as the model saw it, and one tool; nothing is flushed to it', async () => {
    let queued = false;
    const run = await stand(
      withSummaries(longSteps(8), (request) => {
        if (!queued) run.hint('after the summary');
        queued = true;
        return scriptedSummary(request);
      }),
      { contextTokens: 5_000 },
    );
    run.hint('with the task');
    await run.drive();
    const requests = open[0]?.requests ?? [];
    const at = requests.findIndex(isSummaryRequest);
    const [before, asked, after] = [requests[at - 1], requests[at], requests[at + 1]];
    expect(asked?.tools).toEqual(['keep_state']);
    expect(asked?.messages[1]).toEqual(before?.messages[1]);
    expect(asked?.messages.slice(2, 6)).toEqual(before?.messages.slice(2, 6));
    expect(asked?.messages.map(({ role }) => role)).toEqual([
      ...['system', 'user', 'assistant', 'tool', 'assistant', 'tool', 'user'],
    ]);
    expect(asked?.raw).not.toContain('after the summary');
    expect(after?.messages.at(-1)?.content).toContain('<real_user>after the summary</real_user>\n\n[Budget:');
    expect(after?.messages[1]?.content).toContain('<real_user>with the task</real_user>');
    // The observation that carries it is the last step's, not the summary's: that has none.
    const summary = run.of('summary.started')[0]?.step ?? 0;
    expect(run.of('hint.delivered').map(({ step }) => step)).toEqual([0, summary - 1]);
    expect(run.unverified()).toBe(0);
  });

  it('keeps hints with their observation, before the limit is looked at, and asks for a reflection on each', async () => {
    const run = await stand(withSummaries(longSteps(9)), { contextTokens: 5_000 });
    const ids = new Map<number, string>();
    run.log.beforeCommit = (events) => {
      for (const event of events) {
        if (event.kind !== 'action.observed' || ids.has(event.body.step)) continue;
        if (event.body.step === 2 || event.body.step === 5)
          ids.set(event.body.step, run.hint(`at ${event.body.step}`));
      }
    };
    await run.drive();
    const [first, second] = run.of('summary.started');
    expect(first?.hints).toEqual([ids.get(2)]);
    expect(first?.closing).toContain(`- ${hintName(ids.get(2) ?? '')}: at 2`);
    expect(run.of('segment.started')[1]?.head[3]?.content).toMatch(
      /\n\nput 2\n\n<real_user>at 2<\/real_user>\n\n\[Budget: [^\]]*\]$/u,
    );
    // o_k and its hint stand in the next context, so its summary owes a reflection too.
    expect(second?.hints).toContain(ids.get(2));
    const flushed = run.log.events.findIndex(
      (event) => event.kind === 'hint.delivered' && event.body.step === 5,
    );
    expect(run.log.events[flushed + 1]).toMatchObject({
      kind: 'summary.started',
      body: { steps: { to: 2 } },
    });
    const summaries = (open[0]?.requests ?? []).filter(isSummaryRequest);
    expect(summaries[0]?.raw).not.toContain('at 5');
    expect(run.of('hint.delivered')).toHaveLength(2);
    expect(run.unverified()).toBe(0);
  });

  it('keeps every hint in every summary: one that forgets those of an earlier one is asked again, by ids', async () => {
    const forgetful: ScriptedPolicy = (request) =>
      scriptedSummary(request, {
        reflections: [
          { hint: '', text: 'Look first.' },
          { hint: '', text: 'Look again.' },
        ],
      });
    const last: ScriptedPolicy = (request) => scriptedSummary(request);
    // The first summary is whole; of each later one the first answer has reflections, and none of them names a hint.
    let forget = false;
    const run = await stand(
      withSummaries(longSteps(14), last, (request) => {
        forget = !forget;
        return forget ? forgetful(request) : last(request);
      }),
      { contextTokens: 5_000 },
    );
    const ids: string[] = [];
    run.log.beforeCommit = (events) => {
      if (events.some(({ kind, body }) => kind === 'action.observed' && 'step' in body && body.step === 1))
        ids.push(run.hint('Keep one copy of each paragraph.'));
    };
    expect(await run.drive()).toBe('finished');
    const started = run.of('summary.started');
    expect(started.length).toBeGreaterThan(3);
    const [id = ''] = ids;
    for (const { hints, closing } of started) {
      expect(hints).toEqual([id]);
      expect(closing).toContain(`- ${hintName(id)}`);
      expect(closing).toContain('Keep one copy of each paragraph.');
    }
    expect(started.at(-1)?.closing).toContain(`- ${hintName(id)}, in the earlier summary: Keep`);
    const rejected = run.of('summary.rejected');
    expect(rejected).toHaveLength(started.length - 1);
    for (const { problem } of rejected) expect(problem).toContain(`No reflection names ${hintName(id)}.`);
    for (const { head } of run.of('segment.started').slice(1))
      expect(head.at(-2)?.content).toContain(hintName(id));
    expect(
      run.of('summary.ended').flatMap(({ missing }) => missing.filter((one) => one.kind === 'hint')),
    ).toEqual([]);
    expect(run.unverified()).toBe(0);
  });

  it('is summarised at once when the endpoint says the prompt is too long', async () => {
    const refuse = { error: { message: "This model's maximum context length is 4096 tokens." } };
    let full = 0;
    const run = await stand(
      withSummaries((request) => {
        if (request.messages.length > 10 && full++ === 0) {
          return { fault: { kind: 'status', status: 400, body: JSON.stringify(refuse) } };
        }
        return longSteps(8)(request);
      }),
      { contextTokens: 500_000 },
    );
    expect(await run.drive()).toBe('finished');
    expect(run.of('model.failed').map(({ code }) => code)).toEqual(['context_full']);
    expect(run.of('summary.started')).toMatchObject([{ why: 'model', entries: 2 }]);
    expect(run.tray.items).toHaveLength(8);
    expect(run.unverified()).toBe(0);
  });

  it('shortens the largest observation in the context only when there is nothing to summarise', async () => {
    const run = await stand(
      withSummaries(({ answers }) =>
        answers === 0 ? { calls: [put('small'), put('large'.repeat(2_390))] } : finish,
      ),
      {
        contextTokens: 3_000,
      },
    );
    const long = 'large'.repeat(2_390);
    run.actions.run = async (call) => ({
      ok: true,
      error: null,
      text: `put ${call.args.item}`,
      data: {},
      closedBy: 'run',
      events: [],
      ends: call.name === 'finish' ? 'finish' : null,
    });
    expect(await run.drive()).toBe('paused');
    const message = run.of('run.status').at(-1)?.message ?? '';
    expect(run.of('run.status').at(-1)?.reason).toBe('context_full');
    expect(message).toContain('step 1');
    expect(run.of('context.shortened')[0]).toMatchObject({ step: 1, call: 1, was: long.length + 4 });
    expect(run.of('action.observed')[1]?.text).toBe(`put ${long}`);
    expect(run.unverified()).toBe(0);
  });

  it('goes on with a shortened observation, hints kept', async () => {
    const run = await stand(
      withSummaries(({ answers }) => (answers === 0 ? { calls: [put('x')] } : finish)),
      {
        contextTokens: 3_000,
      },
    );
    run.actions.run = async (call) => ({
      ok: true,
      error: null,
      text: 'z'.repeat(11_900),
      data: {},
      closedBy: 'run',
      events: [],
      ends: call.name === 'finish' ? 'finish' : null,
    });
    run.log.beforeCommit = (events) => {
      if (events.some(({ kind }) => kind === 'action.observed') && run.log.entries.length === 0)
        run.hint('mind it');
    };
    expect(await run.drive()).toBe('finished');
    expect(run.of('context.shortened')).toHaveLength(1);
    const last = open[0]?.requests.at(-1)?.messages.at(-1)?.content ?? '';
    expect(last).toMatch(/zzz\n\n\[\d+ characters are left out here, .*\]\n\nzzz/u);
    expect(last).toContain('zzz\n\n<real_user>mind it</real_user>');
    expect(run.unverified()).toBe(0);
  });
});

describe('a summary turn that does not fit itself', () => {
  const sizes = [11_900, 4_000, 100];
  const sized: ScriptedPolicy = ({ messages }) => {
    const given = messages.filter(({ role }) => role === 'tool').length;
    const over = messages.some((message) => contentText(message).startsWith('# Summary'));
    return over || given >= sizes.length
      ? finish
      : { text: `Step ${given + 1}.`, calls: [put(`${given}`)], usage: null };
  };
  const sizedRun = async (policy: ScriptedPolicy, contextTokens: number) => {
    const run = await stand(policy, { contextTokens });
    run.actions.run = async (call, { step }) => ({
      ok: true,
      error: null,
      data: {},
      closedBy: 'run',
      events: [],
      text: call.name === 'finish' ? 'finished' : `${step}`.repeat(sizes[step - 1] ?? 1),
      ends: call.name === 'finish' ? 'finish' : null,
    });
    return run;
  };

  it('is made to fit by shortening the largest observation of the part', async () => {
    const run = await sizedRun(withSummaries(sized), 4_200);
    expect(await run.drive()).toBe('finished');
    const at = run.log.events.findIndex(({ kind }) => kind === 'summary.started');
    expect(run.log.events[at + 1]).toMatchObject({
      kind: 'context.shortened',
      body: { step: 1, was: 11_900 },
    });
    const asked = (open[0]?.requests ?? []).find(isSummaryRequest);
    expect(asked?.raw).toMatch(/1\\n\\n\[\d+ characters are left out/u);
    expect(run.of('action.observed')[0]?.text).toHaveLength(11_900);
    expect(run.of('segment.started')[1]?.head.at(-1)?.content).toContain('characters are left out');
    expect(run.unverified()).toBe(0);
  });

  it('is shortened further when the endpoint says that it is too long, and pauses when nothing is left', async () => {
    const tooLong = { error: { message: 'maximum context length exceeded' } };
    const refuse = { fault: { kind: 'status', status: 400, body: JSON.stringify(tooLong) } } as const;
    const run = await sizedRun(
      withSummaries(sized, () => refuse, scriptedSummary),
      4_750,
    );
    expect(await run.drive()).toBe('finished');
    expect(run.of('context.shortened')).toMatchObject([{ step: 1, was: 11_900 }]);
    expect(run.of('model.failed').map(({ code }) => code)).toEqual(['context_full']);
    expect(run.unverified()).toBe(0);
    const hopeless = await sizedRun(
      withSummaries(sized, () => refuse),
      4_750,
    );
    expect(await hopeless.drive()).toBe('paused');
    expect(hopeless.of('run.status').at(-1)).toMatchObject({ reason: 'context_full' });
    expect(hopeless.of('run.status').at(-1)?.message).toContain('step');
    expect(hopeless.unverified()).toBe(0);
  });
});

it('a summary turn that is paused now is asked for again with the same bytes', async () => {
  let silent = true;
  const run = await stand(
    withSummaries(longSteps(6), (request) =>
      silent ? { fault: { kind: 'silence' } } : scriptedSummary(request),
    ),
    { contextTokens: 5_000 },
  );
  const driving = run.drive();
  await run.until(() => (open[0]?.requests ?? []).some(isSummaryRequest));
  run.log.post({ op: 'run.pause', mode: 'now' });
  expect(await driving).toBe('paused');
  silent = false;
  expect(await run.drive()).toBe('finished');
  const [first, second] = (open[0]?.requests ?? []).filter(isSummaryRequest);
  expect(second?.raw).toBe(first?.raw);
  expect(run.tray.items).toHaveLength(6);
  expect(run.unverified()).toBe(0);
});

describe('a summary that cannot be used', () => {
  const bad: [string, ScriptedPolicy, RegExp][] = [
    ['empty', () => ({}), /empty/u],
    ['only text', () => ({ text: 'It went well.' }), /no call/u],
    ['cut off', (request) => ({ ...scriptedSummary(request), finishReason: 'length' }), /cut off/u],
    ['no JSON', () => ({ calls: [{ name: 'keep_state', arguments: '{"knowledge": "' }] }), /JSON/u],
    ['another tool', () => ({ calls: [put('a')] }), /no tool "put"/u],
    [
      'twice',
      (request) => ({ calls: [...(scriptedSummary(request).calls ?? []), put('a')] }),
      /exactly once/u,
    ],
    ['a part missing', (request) => scriptedSummary(request, { sessions: '' }), /sessions/u],
    [
      'no reflections',
      (request) => scriptedSummary(request, { reflections: [] }),
      /No reflection names hint-/u,
    ],
  ];
  it.each(bad)('is asked for again with what was wrong: %s', async (_, answer, problem) => {
    const run = await stand(withSummaries(longSteps(6), answer, scriptedSummary), { contextTokens: 5_000 });
    run.log.beforeCommit = (events) => {
      if (events.some(({ kind }) => kind === 'action.observed') && run.log.entries.length === 0)
        run.hint('hm');
    };
    expect(await run.drive()).toBe('finished');
    const [rejected] = run.of('summary.rejected');
    expect(rejected?.problem).toMatch(problem);
    expect(rejected?.usage).not.toBeNull();
    const asked = (open[0]?.requests ?? []).filter(isSummaryRequest);
    expect(asked[1]?.messages.at(-1)?.content).toContain(rejected?.problem);
    expect(asked[1]?.messages.slice(0, -1)).toEqual(asked[0]?.messages.slice(0, -1));
    expect(run.unverified()).toBe(0);
  });

  it('pauses the run after four, drops nothing, and is tried again on resume', async () => {
    let broken = true;
    const run = await stand(
      withSummaries(longSteps(6), (request) => (broken ? { text: 'no' } : scriptedSummary(request))),
      {
        contextTokens: 5_000,
      },
    );
    expect(await run.drive()).toBe('paused');
    expect(run.of('run.status').at(-1)).toMatchObject({ reason: 'summary_failed' });
    expect(run.of('run.status').at(-1)?.message).toContain('no call');
    expect(run.of('summary.rejected')).toHaveLength(4);
    expect(await run.drive()).toBe('paused');
    expect(run.of('summary.rejected')).toHaveLength(8);
    broken = false;
    expect(await run.drive()).toBe('finished');
    expect(run.of('summary.started').length).toBe(run.of('summary.ended').length);
    expect(run.tray.items).toHaveLength(6);
    expect(run.unverified()).toBe(0);
  });

  it('is tried again like any request when the network fails', async () => {
    const run = await stand(
      withSummaries(longSteps(6), () => ({ fault: { kind: 'status', status: 503 } }), scriptedSummary),
      { contextTokens: 5_000 },
    );
    expect(await run.drive()).toBe('finished');
    expect(run.of('model.failed')).toMatchObject([
      { code: 'model_overloaded', step: run.of('summary.started')[0]?.step },
    ]);
    expect(run.of('summary.rejected')).toEqual([]);
    expect(run.unverified()).toBe(0);
  });
});

it('goes on after a kill at any transaction of a summary turn, with the same bytes', async () => {
  const policy = () => withSummaries(longSteps(7), () => ({ text: 'not yet' }), scriptedSummary);
  // Time that a kill took stands in the lines of the steps before.
  const bodies = (run: LoopStand) => {
    const fold = new ContextFold({ sendReasoning: false });
    return run.log.events.flatMap((event) => {
      fold.apply(event);
      if (event.kind !== 'model.requested') return [];
      const body = fold.requestBody({ tail: '' }).replaceAll(/\[Budget: [^\]]*\]/gu, '');
      return [`${event.body.step} ${body}`];
    });
  };
  const story = (run: LoopStand) => ({
    items: run.tray.items,
    answered: run.of('model.answered').map(({ step, kind, text }) => [step, kind, text]),
    segments: run.of('segment.started').map(({ summary, carried, head }) => ({ summary, carried, head })),
    missing: run.of('summary.ended'),
    hints: run.of('hint.delivered').map(({ step, text }) => [step, text.replace(/\d+/u, '')]),
  });
  const drive = async (cut: number | null, when: 'killAfter' | 'killBefore') => {
    const run = await stand(policy(), { contextTokens: 5_000 });
    run.log[when] = cut;
    if (cut !== null) await expect(run.drive()).rejects.toThrow(Killed);
    run.log[when] = null;
    expect(await run.drive()).toBe('finished');
    expect(run.unverified()).toBe(0);
    await open.pop()?.close();
    return run;
  };
  const whole = await drive(null, 'killAfter');
  expect(whole.of('summary.rejected')).toHaveLength(1);
  expect(summarySteps(whole).length).toBeGreaterThan(1);
  const firstSummary = whole.of('summary.started')[0]?.step ?? 0;
  for (let cut = 3; cut < whole.log.transactions; cut += 1) {
    for (const when of ['killAfter', 'killBefore'] as const) {
      const run = await drive(cut, when);
      expect(story(run).items).toEqual(story(whole).items);
      const ofSummary = (each: LoopStand) =>
        new Set(bodies(each).filter((line) => line.startsWith(`${firstSummary} `)));
      // A rejected answer that was lost with the process is simply asked for again.
      for (const line of ofSummary(run)) expect(ofSummary(whole)).toContain(line);
    }
  }
}, 120_000);
