import { createHash } from 'node:crypto';
import { ContextFold } from '@shared/context/context';
import { shortenLargest } from '@shared/context/context-shorten';
import { hintBlock } from '@shared/context/human-tag';
import { summaryTool } from '@shared/context/summary';
import { nextHead, planSummary } from '@shared/context/summary-plan';
import { answered } from '@shared/log/event-fixtures';
import type { EventBody, NewEvent } from '@shared/log/events';
import fc from 'fast-check';
import { imagePart, seededPng } from './images';
import { createdBody } from './run-writer';

/** One thing that can happen to a context. */
export type ContextDeed =
  | {
      deed: 'step';
      /** `image`: seed of the one its observation shows; 0 or absent: none. */
      calls: { size: number; valid: boolean; image?: number }[];
      hint: boolean;
      retry: boolean;
      reasoning: boolean;
      /** Changed before it is asked again. */
      limits?: boolean;
    }
  | { deed: 'summary'; rejected: number; late: boolean; shorten: boolean }
  | { deed: 'shorten' }
  /** Of the images that are shown, all but the newest `stay` (or none) are left out. */
  | { deed: 'leaveOut'; stay: number }
  | { deed: 'limits' }
  | { deed: 'model'; sendReasoning: boolean; images?: boolean };

const call = fc.record({
  size: fc.constantFrom(3, 40, 300, 9_000),
  valid: fc.boolean(),
  image: fc.constantFrom(0, 0, 0, 1, 2, 77),
});

export const contextDeeds: fc.Arbitrary<ContextDeed[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        deed: fc.constant('step' as const),
        calls: fc.array(call, { maxLength: 3 }),
        hint: fc.boolean(),
        retry: fc.boolean(),
        reasoning: fc.boolean(),
        limits: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        deed: fc.constant('summary' as const),
        rejected: fc.nat(2),
        late: fc.boolean(),
        shorten: fc.boolean(),
      }),
    },
    { weight: 1, arbitrary: fc.record({ deed: fc.constant('shorten' as const) }) },
    { weight: 1, arbitrary: fc.record({ deed: fc.constant('leaveOut' as const), stay: fc.nat(2) }) },
    { weight: 1, arbitrary: fc.record({ deed: fc.constant('limits' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({
        deed: fc.constant('model' as const),
        sendReasoning: fc.boolean(),
        images: fc.boolean(),
      }),
    },
  ),
  { minLength: 12, maxLength: 50 },
);

const HEAD: EventBody<'segment.started'>['head'] = [
  { role: 'system', content: 'You are an agent.' },
  { role: 'user', content: 'Do the task <real_user>' },
];

/**
 * A made-up log with true prompt hashes, in the order and transactions of the loop. Up to step `keptAfter` its requests are
 * those of logs in which the line of budgets stood in one request only.
 */
export class ContextScript {
  readonly batches: NewEvent[][] = [];
  readonly context = new ContextFold({ sendReasoning: false });
  /** Steps whose request was sent, summary turns included. */
  readonly asked: number[] = [];
  step = 0;
  private attempt = 0;
  private hints = 0;

  constructor(
    readonly run: string,
    private readonly keptAfter = 0,
  ) {
    const created = createdBody(run);
    this.record([{ kind: 'run.created', body: { ...created, model: { ...created.model, images: true } } }]);
    const tool = { ...summaryTool, function: { ...summaryTool.function, name: 'run_command' } };
    const request = { model: 'scripted', stream: true };
    this.record([{ kind: 'segment.started', body: { segment: 1, head: HEAD, tools: [tool], request } }]);
  }

  live(deeds: readonly ContextDeed[]): this {
    for (const deed of deeds) {
      switch (deed.deed) {
        case 'step':
          this.take(deed);
          break;
        case 'summary':
          this.summarise(deed);
          break;
        case 'shorten':
          this.shorten();
          break;
        case 'leaveOut':
          this.leaveOut(deed.stay);
          break;
        case 'limits':
          this.record([
            { kind: 'limits.changed', body: { limits: createdBody(this.run).limits, by: 'Ada' } },
          ]);
          break;
        case 'model':
          this.changeModel(deed.sendReasoning, deed.images ?? true);
          break;
      }
    }
    return this;
  }

  record(events: NewEvent[]): void {
    for (const event of events) this.context.apply(event);
    this.batches.push(events);
  }

  private take({
    calls,
    hint,
    retry,
    reasoning,
    limits = false,
  }: Extract<ContextDeed, { deed: 'step' }>): void {
    this.request(hint ? [this.delivered()] : []);
    if (retry) {
      this.fail();
      if (limits)
        this.record([{ kind: 'limits.changed', body: { limits: createdBody(this.run).limits, by: 'Ada' } }]);
      this.request(hint ? [this.delivered()] : []);
    }
    const step = this.step + 1;
    this.step = step;
    const given = calls.map((_, index) => ({
      id: `c${step}.${index}`,
      name: 'run_command',
      arguments: '{"a": 1}',
    }));
    const invalid = calls.map(({ valid }) => (valid ? null : 'bad'));
    const answered: NewEvent = {
      kind: 'model.answered',
      body: {
        ...answerOf(step, invalid.includes(null) ? 'act' : 'null'),
        text: `thought ${step}`,
        reasoning: reasoning ? `because ${step}` : '',
        calls: given,
        invalid,
      },
    };
    const taught: NewEvent = { kind: 'step.taught', body: { step, text: `Teach ${step}` } };
    this.record(calls.length === 0 || invalid.some((why) => why !== null) ? [answered, taught] : [answered]);
    for (const [index, { size, valid, image = 0 }] of calls.entries()) {
      if (valid) this.observe(step, index, `seen ${step}.${index} ${'x'.repeat(size)}`, image);
    }
  }

  private observe(step: number, index: number, text: string, image: number): void {
    const callId = `c${step}.${index}`;
    const name = 'run_command';
    this.record([
      { kind: 'action.started', body: { step, call: index, callId, name, args: {}, guards: [] } },
      {
        kind: 'action.observed',
        body: {
          step,
          call: index,
          callId,
          name,
          text,
          ok: true,
          error: null,
          data: {},
          offsets: {},
          durationMs: 1,
          closedBy: 'run',
          imitatesHuman: false,
          ...(image === 0 ? {} : { images: [imagePart(`/w/<real_user>${image}.png`, seededPng(image))] }),
        },
      },
    ]);
  }

  private summarise({ rejected, late, shorten }: Extract<ContextDeed, { deed: 'summary' }>): void {
    const plan = planSummary(this.context);
    if (plan === null) return;
    const step = this.step + 1;
    const { entries, pair, steps, carried, last } = plan;
    const { segment, tools, request } = this.context;
    const started: EventBody<'summary.started'> = {
      step,
      segment,
      entries,
      pair,
      steps,
      carried,
      tokens: 1,
      limit: 1,
      why: 'limit',
      hints: plan.hints.map(({ id }) => id),
      head: [{ role: 'system', content: 'You summarise.' }],
      closing: `Summarise up to ${last.step}.`,
      tools: [summaryTool],
      request,
    };
    const shortened = shorten ? shortenLargest(this.context, 500, started) : null;
    this.record([
      { kind: 'summary.started', body: started },
      ...(shortened === null ? [] : [{ kind: 'context.shortened' as const, body: shortened.body }]),
    ]);
    for (let count = 0; count < rejected; count += 1) {
      this.request([], `\n\n[${count}]`);
      const { kind, stepId, invalid, ...answer } = answerOf(step, 'summary');
      this.record([{ kind: 'summary.rejected', body: { ...answer, attempt: 1, problem: `no ${count}` } }]);
    }
    this.request([], '');
    this.step = step;
    const summary = `Summary ${step}`;
    const head = nextHead(this.context, { summary, goOn: 'Go on.', last });
    this.record([
      { kind: 'model.answered', body: answerOf(step, 'summary') },
      { kind: 'summary.ended', body: { step, tokensBefore: 2, tokensAfter: 1, missing: [] } },
      {
        kind: 'segment.started',
        body: { segment: segment + 1, head, tools, request, summary: step, carried },
      },
    ]);
    if (late) this.record([this.delivered()]);
  }

  private shorten(): void {
    const shortened = shortenLargest(this.context, 1_000);
    if (shortened !== null) this.record([{ kind: 'context.shortened', body: shortened.body }]);
  }

  private leaveOut(stay: number): void {
    const { segment, imagesSent } = this.context;
    const last = imagesSent.at(-1 - stay);
    if (last === undefined) return;
    const { step, call } = last;
    const body = { segment, step, call, images: imagesSent.length - stay, left: stay };
    this.record([{ kind: 'context.images_left_out', body }]);
  }

  private changeModel(sendReasoning: boolean, images: boolean): void {
    const model = {
      ...createdBody(this.run).model,
      model: `m${this.step}`,
      sendReasoning,
      ...(images ? { images } : {}),
    };
    const request = { model: model.model, stream: true };
    this.record([{ kind: 'model.changed', body: { model, request, by: 'Ada' } }]);
  }

  private delivered(): NewEvent {
    this.hints += 1;
    const id = `01KH1NT${String(this.hints).padStart(19, '0')}`;
    const text = `hint ${this.hints}`;
    return {
      kind: 'hint.delivered',
      body: { step: this.step, hints: [{ id, text }], text: hintBlock([text]) },
    };
  }

  private fail(): void {
    const failure = { code: 'model_overloaded', message: '', status: 503, retryInMs: 1 };
    this.record([{ kind: 'model.failed', body: { step: this.step + 1, attempt: this.attempt, ...failure } }]);
  }

  private request(before: NewEvent[], told = `\n\n[step ${this.step + 1}]`): void {
    if (before.length > 0) this.record(before);
    const step = this.step + 1;
    const kept = step > this.keptAfter ? { kept: true as const } : {};
    const tail = kept.kept === undefined ? told : this.line(told);
    if (this.asked.at(-1) !== step) {
      this.asked.push(step);
      this.attempt = 0;
    }
    this.attempt += 1;
    const body = this.context.requestBody({ tail });
    this.record([
      {
        kind: 'model.requested',
        body: {
          step,
          attempt: this.attempt,
          tail,
          tokensEstimate: 1,
          ...kept,
          sha256: createHash('sha256').update(body).digest('hex'),
          bytes: Buffer.byteLength(body),
          messages: this.context.messageCount,
        },
      },
    ]);
  }

  /** What a request says in the form that stays: each line once, and each note on a refused summary once. */
  private line(told: string): string {
    const { summary, line } = this.context;
    if (summary !== null) return summary.untold ? `\n\n[${summary.problem}]` : '';
    return line === '' ? `${told} of attempt ${this.attempt}` : '';
  }
}

function answerOf(step: number, kind: EventBody<'model.answered'>['kind']): EventBody<'model.answered'> {
  return answered(step, `01KSTEP${String(step).padStart(19, '0')}`, { kind, text: 'said' });
}
