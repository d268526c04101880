import { ContextFold } from '@shared/context/context';
import { planSummary } from '@shared/context/summary-plan';
import { contentText } from '@shared/log/chat';
import { hintName } from '@shared/log/event-parts';
import type { NewEvent, RunEvent } from '@shared/log/events';
import { afterEach, describe, expect, it } from 'vitest';
import { type ScriptedModel, type ScriptedPolicy, startScriptedModel } from '../model/scripted-server';
import { withSummaries } from '../model/scripted-summary';
import { LoopStand } from '../testing/loop-stand';
import { finish, put } from '../testing/scripted-answers';
import { contextAfter } from './branch-context';

const open: ScriptedModel[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((server) => server.close()));
});

/** Sixteen steps of about 1,000 tokens: two calls, an answer without a call, a large observation, many hints. */
function sixteen(): ScriptedPolicy {
  let step = 0;
  return () => {
    step += 1;
    if (step > 16) return finish;
    const text = `Step ${step}. ${'y'.repeat(3_000)}`;
    if (step === 6) return { text, usage: null };
    return { text, calls: step === 4 ? [put('4'), put('again')] : [put(`${step}`)], usage: null };
  };
}

async function longRun(): Promise<LoopStand> {
  const model = await startScriptedModel({ policy: withSummaries(sixteen()) });
  open.push(model);
  const run = new LoopStand({ model, contextTokens: 5_000 });
  run.actions.run = async ({ name, args }) => ({
    ok: true,
    error: null,
    data: {},
    closedBy: 'run',
    events: [],
    text: args.item === '1' ? 'z'.repeat(40_000) : `put ${args.item}`,
    ends: name === 'finish' ? 'finish' : null,
  });
  run.hint('With the task.');
  let seen = 0;
  run.log.beforeCommit = (events) => {
    for (const event of events) {
      if (event.kind !== 'model.answered') continue;
      seen += 1;
      if (seen % 2 === 0) run.hint(`After answer ${seen}.`);
    }
  };
  const end = await run.drive();
  expect(end, run.of('run.status').at(-1)?.message).toBe('finished');
  return run;
}

const readerOf = ({ log }: LoopStand) => ({
  events: async (_run: string, from: number, limit: number) => log.events.slice(from - 1, from - 1 + limit),
});

function folded(events: readonly NewEvent[]): ContextFold {
  const fold = new ContextFold({ sendReasoning: false });
  for (const event of events) fold.apply(event);
  return fold;
}

/** The messages without the notice, and without the message that was made for it alone. */
function withoutNotice(fold: ContextFold): string {
  const messages = fold.messages().flatMap((placed) => {
    const content = contentText(placed.message).replace(/(?:\n\n)?Moved\./u, '');
    const made = content === '' && placed.message.role === 'user';
    return made ? [] : [{ ...placed, message: { ...placed.message, content } }];
  });
  return JSON.stringify(messages);
}

/** The log up to the last event before a later step is asked for. */
function upTo(events: readonly RunEvent[], step: number): RunEvent[] {
  const end = events.findIndex(
    ({ kind, body }) =>
      (kind === 'model.requested' || kind === 'summary.started') &&
      'step' in body &&
      Number(body.step) > step,
  );
  return events.slice(0, end < 0 ? undefined : end);
}

describe('the context of a branch', () => {
  it('is the very context of the run it leaves, after every step, summaries and shortenings included', async () => {
    const run = await longRun();
    const answered = run.of('model.answered');
    expect(answered.filter(({ kind }) => kind === 'summary').length).toBeGreaterThan(2);
    expect(run.of('context.shortened').length).toBeGreaterThan(0);
    let inPair = 0;
    for (const { step } of answered) {
      const context = await contextAfter(readerOf(run), 'run', step);
      const events = context.events({
        drop: new Set(),
        added: [],
        notice: 'Moved.',
        request: context.segment?.request ?? {},
        copied: step,
      });
      const parent = folded(upTo(run.log.events, step));
      const child = folded(events);
      expect(child.segment).toBe(parent.segment);
      expect(child.tools).toEqual(parent.tools);
      expect(child.request).toEqual(parent.request);
      expect(child.entries.map((entry) => entry.step)).toEqual(parent.entries.map((entry) => entry.step));
      expect(planSummary(child)?.hints).toEqual(planSummary(parent)?.hints);
      inPair += parent.pair?.hints.length ?? 0;
      expect(withoutNotice(child)).toEqual(JSON.stringify(parent.messages()));
    }
    expect(inPair, 'hints in the last observation of a head').toBeGreaterThan(0);
  });

  it('knows the hints of earlier summaries, also where the log of the time before does not name them', async () => {
    const run = await longRun();
    const events = run.log.events;
    const all = run.of('hint.delivered').flatMap(({ step, hints }) => (step === 0 ? [] : hints));
    const owed = (fold: ContextFold) => planSummary(fold)?.hints.map(({ id }) => hintName(id)) ?? [];
    // A log whose later summaries asked only for what stood in their own part, as they did before.
    let second = 0;
    const before = events.map((event): RunEvent => {
      if (event.kind !== 'summary.started') return event;
      second += 1;
      return { ...event, body: { ...event.body, hints: second > 1 ? [] : event.body.hints } };
    });
    const whole = folded(before);
    const reflected = whole.pair?.reflected.map(({ id }) => id) ?? [];
    expect(reflected.length).toBeGreaterThan(3);
    expect(all.map(({ id }) => id).slice(0, reflected.length)).toEqual(reflected);
    expect(owed(whole)).toEqual(expect.arrayContaining(reflected.map(hintName)));
    const context = await contextAfter(readerOf(run), 'run', whole.step);
    const made = context.events({ drop: new Set(), added: [], notice: 'Moved.', request: {}, copied: 0 });
    expect(owed(folded(made))).toEqual(owed(whole));
    // A branch of the time before has only the words of the summary, and they hold every name.
    const old = made.map((event): NewEvent => {
      if (event.kind !== 'segment.started') return event;
      const { reflected: gone, ...body } = event.body;
      expect(gone).toHaveLength(reflected.length);
      return { kind: 'segment.started', body };
    });
    expect(new Set(owed(folded(old)))).toEqual(new Set(owed(whole)));
  });

  it('leaves out the hints that are dropped, wherever they stand, and nothing else', async () => {
    const run = await longRun();
    const last =
      run
        .of('model.answered')
        .filter(({ kind }) => kind !== 'summary')
        .at(4)?.step ?? 0;
    const context = await contextAfter(readerOf(run), 'run', last);
    const { hints } = context;
    expect(hints.length).toBeGreaterThan(1);
    for (const { id, text } of hints) {
      const events = context.events({
        drop: new Set([id]),
        added: [{ id: 'new', text: 'Added.' }],
        notice: 'Moved.',
        request: {},
        copied: last,
      });
      const messages = JSON.stringify(folded(events).messages());
      expect(messages).not.toContain(`>${text}<`);
      for (const other of hints.filter((each) => each.id !== id))
        expect(messages).toContain(`>${other.text}<`);
      expect(messages.split('<real_user>Added.</real_user>')).toHaveLength(2);
    }
  });

  it('begins after no step that is not over', async () => {
    const run = await longRun();
    const cut = run.log.events.findIndex(({ kind, body }) => kind === 'action.observed' && body.step === 2);
    const reader = { events: async (_: string, from: number) => run.log.events.slice(from - 1, cut) };
    await expect(contextAfter(reader, 'run', 2)).rejects.toMatchObject({ code: 'refused' });
    await expect(contextAfter(reader, 'run', 30)).rejects.toMatchObject({ code: 'refused' });
  });
});
