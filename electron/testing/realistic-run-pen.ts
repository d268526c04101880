import { createHash } from 'node:crypto';
import { ContextFold } from '@shared/context/context';
import { hintBlock } from '@shared/context/human-tag';
import { summaryTool } from '@shared/context/summary';
import { nextHead, planSummary } from '@shared/context/summary-plan';
import type { EventBody, NewEvent } from '@shared/log/events';
import { RequestHash } from '../agent/request-hash';
import type { RunTexts } from './realistic-run-texts';

export type CallArgs = Record<string, string | number | boolean>;

/** One call of an answer with what came of it. */
export interface WrittenCall {
  name: string;
  args: CallArgs;
  text: string;
  ok?: boolean;
  error?: { code: string; message: string };
  data?: Record<string, unknown>;
  guards?: EventBody<'action.started'>['guards'];
  /** Recorded between the start and the observation; `step` is only known once the context has room. */
  events?: (step: number) => NewEvent[];
  durationMs?: number;
}

/** Steps in a context before half of it is summarised. */
const CONTEXT_STEPS = 160;
const CONTEXT_TOKENS = 200_000;

const REQUEST = { model: 'glm-long', stream: true, temperature: 0.8 };
const TOOLS: EventBody<'segment.started'>['tools'] = ['run_command', 'edit_file', 'open_file', 'think'].map(
  (name) => ({
    type: 'function',
    function: { name, description: `The action ${name}.`, parameters: { type: 'object', properties: {} } },
  }),
);

/**
 * Writes a run's events as the loop records them, with the true hash of every prompt, summary turns when the context holds
 * `CONTEXT_STEPS` steps, and a clock that goes on. What is written is taken with `take`, one piece per step.
 */
export class RunPen {
  step = 0;
  segment = 0;
  at: number;
  /** Bytes of thoughts, arguments, observations and file texts written so far. */
  bytes = 0;
  private events: NewEvent[] = [];
  private readonly pieces: { at: number; events: NewEvent[] }[] = [];
  private readonly fold = new ContextFold({
    sendReasoning: false,
    messagesOnly: true,
    fixedReasoning: true,
  });
  private readonly hash = new RequestHash(this.fold);
  private offset = 0;
  private readonly printed: Buffer[] = [];
  private tokens = 6_000;

  constructor(
    readonly texts: RunTexts,
    startedAt: number,
  ) {
    this.at = startedAt;
  }

  add(...events: NewEvent[]): void {
    for (const event of events) this.fold.apply(event);
    this.events.push(...events);
  }

  /** Ends a piece: what was added since the last one is one append, stamped with the time now. */
  flush(passedMs = 0): void {
    this.at += passedMs;
    if (this.events.length > 0) this.pieces.push({ at: this.at, events: this.events });
    this.events = [];
  }

  take(): { at: number; events: NewEvent[] }[] {
    return this.pieces.splice(0);
  }

  startSegment(
    head: EventBody<'segment.started'>['head'],
    more: Partial<EventBody<'segment.started'>> = {},
  ): void {
    this.segment += 1;
    this.add({
      kind: 'segment.started',
      body: { segment: this.segment, head, tools: TOOLS, request: REQUEST, ...more },
    });
  }

  /** A whole step with one or more calls, summarising first when the context is full. */
  answer(thought: string, calls: readonly WrittenCall[], kind: 'act' | 'think' = 'act'): void {
    this.makeRoom();
    const step = this.ask();
    this.count(thought);
    const given = calls.map(({ name, args }, call) => ({
      id: `call_${step}_${call}`,
      name,
      arguments: JSON.stringify(args),
    }));
    this.add(this.answered(step, { kind, text: thought, calls: given, invalid: given.map(() => null) }));
    for (const [call, written] of calls.entries()) this.act(step, call, given[call]?.id ?? '', written);
    this.flush(this.texts.chance.between(2_000, 20_000));
  }

  /** An answer without a valid call, and what teaches. */
  teach(text: string, raw: { name: string; arguments: string } | null): void {
    this.makeRoom();
    const step = this.ask();
    this.count(text);
    const calls = raw === null ? [] : [{ id: `call_${step}_0`, ...raw }];
    const invalid = calls.map(() => 'The arguments are not valid JSON.');
    this.add(this.answered(step, { kind: 'null', text, calls, invalid }));
    this.add({ kind: 'step.taught', body: { step, text: 'Call one of the tools, with valid JSON.' } });
    this.flush(4_000);
  }

  /** Whether a hint can go out now: summary turns flush none. */
  get hearsHints(): boolean {
    return this.fold.entries.length > 0 && this.fold.entries.length < CONTEXT_STEPS;
  }

  /** Delivers a hint after the latest step; it was queued before. */
  deliver(hint: { id: string; text: string }): void {
    const delivered = {
      step: this.fold.entries.at(-1)?.step ?? 0,
      hints: [hint],
      text: hintBlock([hint.text]),
    };
    this.add({ kind: 'hint.delivered', body: delivered });
  }

  /** What a command printed into the terminal of session main. */
  print(text: string): void {
    const bytes = Buffer.from(`$ ${text}\r\n`);
    this.offset += bytes.length;
    this.printed.push(bytes);
  }

  takePrinted(): { offset: number; bytes: Buffer } {
    const bytes = Buffer.concat(this.printed.splice(0));
    return { offset: this.offset - bytes.length, bytes };
  }

  private ask(): number {
    const step = this.step + 1;
    const tail = `\n\n[step ${step}]`;
    const { sha256, bytes } = this.hash.of({ tail });
    this.tokens = Math.round(bytes / 4);
    const messages = this.fold.messageCount;
    this.add({
      kind: 'model.requested',
      body: { step, attempt: 1, sha256, bytes, messages, tokensEstimate: this.tokens, tail, kept: true },
    });
    this.step = step;
    return step;
  }

  private answered(
    step: number,
    body: Pick<EventBody<'model.answered'>, 'kind' | 'text' | 'calls' | 'invalid'>,
  ): NewEvent {
    const { chance } = this.texts;
    return {
      kind: 'model.answered',
      body: {
        step,
        stepId: chance.ulid(this.at),
        reasoning: '',
        ...body,
        finishReason: body.calls.length === 0 ? 'stop' : 'tool_calls',
        model: 'glm-long',
        usage: {
          inputTokens: this.tokens,
          outputTokens: chance.between(60, 900),
          cachedTokens: Math.round(this.tokens * 0.9),
          reasoningTokens: 0,
        },
        cost: Math.round(this.tokens / 10) / 1e5,
        durationMs: chance.between(700, 9_000),
      },
    };
  }

  private act(step: number, call: number, callId: string, written: WrittenCall): void {
    const { name, args, text, data = {}, error = null } = written;
    const ok = written.ok ?? error === null;
    this.count(JSON.stringify(args), JSON.stringify(args), text);
    this.add({
      kind: 'action.started',
      body: { step, call, callId, name, args, guards: written.guards ?? [] },
    });
    this.add(...(written.events?.(step) ?? []));
    this.add({
      kind: 'action.observed',
      body: {
        step,
        call,
        callId,
        name,
        ok,
        error,
        text,
        data,
        closedBy: 'run',
        imitatesHuman: false,
        offsets: { 'local:main': this.offset },
        durationMs: written.durationMs ?? 40,
      },
    });
  }

  /** The summary turn of half of the context (APOLLO Algorithm 1, l. 4-8). */
  private makeRoom(): void {
    if (this.fold.entries.length < CONTEXT_STEPS) return;
    const plan = planSummary(this.fold);
    if (plan === null) return;
    const { entries, pair, steps, carried, hints, last } = plan;
    const step = this.step + 1;
    const limit = CONTEXT_TOKENS;
    this.add({
      kind: 'summary.started',
      body: {
        step,
        segment: this.segment,
        entries,
        pair,
        steps,
        carried,
        tokens: limit + 400,
        limit,
        why: 'limit',
        hints: hints.map(({ id }) => id),
        closing: 'Summarise the work above.',
        head: [{ role: 'system', content: 'You summarise the work of a research agent.' }],
        tools: [summaryTool],
        request: REQUEST,
      },
    });
    this.ask();
    const summary = `Step ${step}\n${this.texts.prose(2_500)}`;
    const call = {
      id: `call_${step}_0`,
      name: summaryTool.function.name,
      arguments: JSON.stringify({ knowledge: summary }),
    };
    const text = this.texts.thought(300);
    this.count(text, call.arguments);
    const head = nextHead(this.fold, { summary, goOn: 'Go on from here. The last observation was:', last });
    this.add(this.answered(step, { kind: 'summary', text, calls: [call], invalid: [null] }));
    const missing = this.texts.chance.is(0.3) ? [{ kind: 'path' as const, text: '/data/task/notes.md' }] : [];
    this.add({
      kind: 'summary.ended',
      body: { step, tokensBefore: limit + 400, tokensAfter: Math.round(limit / 2), missing },
    });
    this.startSegment(head, { summary: step, carried });
    this.flush(40_000);
  }

  private count(...texts: string[]): void {
    for (const text of texts) this.bytes += Buffer.byteLength(text);
  }
}

export function sha256Of(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
