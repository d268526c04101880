import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { ContextFold } from '@shared/context/context';
import { imagesOf } from '@shared/context/context-entry';
import { contentText } from '@shared/log/chat';
import type { NewEvent, RunEvent } from '@shared/log/events';
import fc from 'fast-check';
import { ulid } from 'ulid';
import { expect, it } from 'vitest';
import { ContextScript, contextDeeds } from '../../testing/random-context';
import { testStore } from '../../testing/store-fixtures';
import type { Store } from '../api';
import { PromptCheck } from '../verify/prompt-check';

async function written(store: Store, script: ContextScript): Promise<void> {
  for (const batch of script.batches) await store.writer.append(script.run, 0, batch);
}

const sha = (text: string) => createHash('sha256').update(text).digest('hex');

/** Steps whose requests are of the old form: none, some, all. */
const keptAfter = fc.constantFrom(0, 7, Number.POSITIVE_INFINITY);

/** After these another prefix is sent. */
const CHANGES = new Set([
  ...['segment.started', 'summary.started', 'context.shortened', 'context.images_left_out', 'model.changed'],
]);

function stored(events: readonly NewEvent[], run: string): RunEvent[] {
  return events.map((event, index): RunEvent => ({ ...event, run, seq: index + 1, at: 0, epoch: 0 }));
}

it('whatever becomes of a context, every prompt is rebuilt: by position, in order, and from scratch', async () => {
  const store = testStore();
  let summaries = 0;
  await fc.assert(
    fc.asyncProperty(contextDeeds, keptAfter, async (deeds, old) => {
      const script = new ContextScript(ulid(), old).live(deeds);
      await written(store, script);
      for (const step of script.asked) {
        const prompt = await store.reader.prompt(script.run, step);
        expect(prompt.verified, `step ${step}`).toBe(true);
        expect(prompt.step).toBe(step);
        const json = prompt.messages.map((message) => message.json).join(',');
        const { messages: _, ...rest } = { ...prompt.request, messages: [] };
        const body = JSON.stringify({ ...rest, tools: prompt.tools, messages: [] }).slice(0, -2);
        expect(sha(`${body}${json}]}`)).toBe(prompt.sha256);
      }
      const events = script.batches.flat();
      const check = new PromptCheck();
      expect(
        stored(events, script.run)
          .map((event) => check.apply(event))
          .filter((problem) => problem !== null),
      ).toEqual([]);
      summaries += events.filter(({ kind }) => kind === 'summary.ended').length;
    }),
    { numRuns: 15 },
  );
  expect(summaries).toBeGreaterThan(25);
}, 120_000);

it('a fold from scratch gives the bytes and the estimate of the one that grew', () => {
  fc.assert(
    fc.property(contextDeeds, keptAfter, (deeds, old) => {
      const script = new ContextScript(ulid(), old).live(deeds);
      const scratch = new ContextFold({ sendReasoning: false });
      for (const event of script.batches.flat()) scratch.apply(event);
      expect(scratch.requestBody({ tail: 't' })).toBe(script.context.requestBody({ tail: 't' }));
      expect(scratch.tokens({ tail: 't' })).toBe(script.context.tokens({ tail: 't' }));
      expect(scratch.closed.join('') + scratch.openText({ tail: '' })).toBe(
        scratch.requestBody({ tail: '' }),
      );
    }),
    { numRuns: 200 },
  );
});

/** A request up to the end of its last text: what stays when something is added there. */
const upToText = (body: string) => body.replace(/"\}(?:\]\})?\]\}$/u, '');

it('where lines are kept, repeats every byte of the request before as long as nothing in the context changes', () => {
  const seen = { compared: 0, again: 0, lines: 0 };
  fc.assert(
    fc.property(contextDeeds, (deeds) => {
      const script = new ContextScript(ulid()).live(deeds);
      const context = new ContextFold({ sendReasoning: false });
      let before: string | null = null;
      let line = '';
      for (const event of script.batches.flat()) {
        context.apply(event);
        if (CHANGES.has(event.kind)) before = null;
        if (event.kind !== 'model.requested') continue;
        const body = context.requestBody({ tail: '' });
        expect(sha(body)).toBe(event.body.sha256);
        if (before !== null) {
          expect(body.startsWith(before)).toBe(true);
          seen.compared += 1;
        }
        if (context.summary === null) {
          expect(context.line).not.toBe('');
          const last = context.messages().at(-1)?.message;
          expect(last && contentText(last)).toContain(context.line);
          if (event.body.tail === '') {
            expect(context.line).toBe(line);
            seen.again += 1;
          }
          line = context.line;
          seen.lines += 1;
        }
        before = upToText(body);
      }
    }),
    { numRuns: 200 },
  );
  expect(seen.compared).toBeGreaterThan(400);
  expect(seen.again).toBeGreaterThan(100);
  expect(seen.lines).toBeGreaterThan(800);
});

it('proves the prompts of a log from before lines were kept, and of one that goes on with lines', () => {
  const text = readFileSync(new URL('../verify/tails-not-kept.jsonl', import.meta.url), 'utf8');
  const old = text
    .trim()
    .split('\n')
    .map((line): NewEvent => JSON.parse(line));
  const problems = (events: readonly NewEvent[]) => {
    const check = new PromptCheck();
    return stored(events, 'run').flatMap((event) => check.apply(event) ?? []);
  };
  expect(old.filter(({ kind }) => kind === 'model.requested').length).toBe(16);
  expect(problems(old)).toEqual([]);
  const kept = old.map(
    (event): NewEvent =>
      event.kind === 'model.requested' ? { ...event, body: { ...event.body, kept: true } } : event,
  );
  expect(problems(kept).length).toBeGreaterThan(10);
  const mixed = new ContextScript('run', 6).live(
    Array.from({ length: 12 }, () => ({
      deed: 'step' as const,
      calls: [{ size: 3, valid: true }],
      hint: true,
      retry: true,
      reasoning: false,
    })),
  );
  expect(problems(mixed.batches.flat())).toEqual([]);
});

it('where lines are not kept, repeats the bytes of the request before, up to its tail, as long as nothing in the context changes', () => {
  let compared = 0;
  fc.assert(
    fc.property(contextDeeds, (deeds) => {
      const script = new ContextScript(ulid(), Number.POSITIVE_INFINITY).live(deeds);
      const context = new ContextFold({ sendReasoning: false });
      let before: string | null = null;
      for (const event of script.batches.flat()) {
        context.apply(event);
        if (CHANGES.has(event.kind)) before = null;
        // Where a step has both, a hint joins the observation, and the message that teaches or shows images stays last.
        const last = context.entries.at(-1);
        const follows = last !== undefined && (last.taught !== '' || imagesOf(last) !== undefined);
        if (event.kind === 'hint.delivered' && follows && last.observations.length > 0) before = null;
        if (event.kind !== 'model.requested') continue;
        const body = context.requestBody({ tail: event.body.tail });
        if (before !== null) expect(body.startsWith(before)).toBe(true);
        compared += before === null ? 0 : 1;
        before = upToText(context.requestBody({ tail: '' }));
      }
    }),
    { numRuns: 200 },
  );
  expect(compared).toBeGreaterThan(200);
});

it('reads the prompt of a branch whose segment carries inherited steps on', async () => {
  const store = testStore();
  const parent = new ContextScript(ulid()).live([
    { deed: 'step', calls: [{ size: 40, valid: true }], hint: true, retry: false, reasoning: true },
    {
      deed: 'step',
      calls: [
        { size: 40, valid: true },
        { size: 3, valid: true },
      ],
      hint: false,
      retry: false,
      reasoning: false,
    },
  ]);
  const branch = new ContextScript(ulid());
  const events = parent.batches.flat();
  const bodies = <K extends NewEvent['kind']>(kind: K, step: number) =>
    events.flatMap((event) =>
      event.kind === kind && 'step' in event.body && event.body.step === step
        ? [event.body as Extract<NewEvent, { kind: K }>['body']]
        : [],
    );
  for (const step of [1, 2]) {
    const [answered] = bodies('model.answered', step);
    if (answered === undefined) throw new Error('no answer');
    const observed = bodies('action.observed', step);
    const delivered = bodies('hint.delivered', step);
    branch.record([
      { kind: 'step.inherited', body: { run: parent.run, answered, observed, taught: null, delivered } },
    ]);
  }
  branch.step = 2;
  branch.live([
    { deed: 'step', calls: [{ size: 40, valid: true }], hint: true, retry: false, reasoning: false },
    { deed: 'summary', rejected: 1, late: true, shorten: false },
    { deed: 'step', calls: [{ size: 3, valid: true }], hint: false, retry: false, reasoning: false },
  ]);
  await written(store, branch);
  for (const step of branch.asked) {
    expect((await store.reader.prompt(branch.run, step)).verified, `step ${step}`).toBe(true);
  }
  const prompt = await store.reader.prompt(branch.run, 5);
  expect(prompt.messages.map(({ step }) => step)).toEqual([0, 0, 0, 0, 2, 2, 2, 3, 3]);
  expect(await store.reader.verify()).toMatchObject({ ok: true });
});
