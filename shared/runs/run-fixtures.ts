import { summaryTool } from '../context/summary';
import { answered, createdBody } from '../log/event-fixtures';
import type { ModelCall } from '../log/event-parts';
import type { EventBody, EventKind, NewEvent, RunEvent } from '../log/events';

const hex = (digit: string) => digit.repeat(64);

export interface ScriptedCall {
  name: string;
  args?: Record<string, string | number | boolean>;
  /** Verbatim argument text; by default the JSON of `args`. */
  raw?: string;
  /** Set when the call is not valid. */
  invalid?: string;
  ok?: boolean;
  error?: { code: string; message: string };
  text?: string;
  data?: Record<string, unknown>;
  closedBy?: EventBody<'action.observed'>['closedBy'];
  /** File revisions recorded with the observation. */
  files?: { path: string; before: 'there' | 'new'; after?: 'there' | 'gone'; by?: 'action' | 'shell' }[];
  /** No observation is recorded: the process died in the middle. */
  unobserved?: boolean;
}

/** Writes the run log of a made-up run for tests, in the order and shapes of the loop. */
export class RunScript {
  readonly events: RunEvent[] = [];
  step = 0;
  segment = 0;
  /** Steps in the context, and whether a summary pair stands before them. */
  private inContext: number[] = [];
  private pair = false;

  constructor(
    readonly run: string,
    options: Partial<EventBody<'run.created'>> = {},
  ) {
    const made = createdBody(run, {
      title: 'A made-up run',
      task: { id: 'made-up', title: 'Made up', domain: null, hash: hex('a') },
      model: { endpoint: 'test', model: 'test-model' },
      workspaceRoot: '/w',
      limits: { maxSteps: 1_000_000 },
      ruleSet: 'test',
    });
    this.add('run.created', { ...made, ...options });
  }

  add<K extends EventKind>(kind: K, body: EventBody<K>): this {
    const event = { kind, body } as Extract<NewEvent, { kind: K }>;
    this.events.push({ ...event, run: this.run, seq: this.events.length + 1, at: 0, epoch: 1 } as RunEvent);
    return this;
  }

  startSegment(head?: EventBody<'segment.started'>['head']): this {
    this.segment += 1;
    this.inContext = [];
    this.pair = false;
    return this.add('segment.started', {
      segment: this.segment,
      head: head ?? [
        { role: 'system', content: 'You are an agent.' },
        { role: 'user', content: 'Do the task.' },
      ],
      ...SENT,
    });
  }

  /** A whole summary turn of half of what is in the context, and the segment it opens (APOLLO Algorithm 1, l. 4-8). */
  summarise(more: Partial<EventBody<'model.answered'>> = {}): this {
    const entries = Math.floor((this.inContext.length + (this.pair ? 1 : 0)) / 2);
    const part = this.inContext.slice(0, entries - (this.pair ? 1 : 0));
    const kept = this.inContext.slice(part.length);
    const range = (steps: readonly number[]) => {
      const [from, to] = [steps[0], steps.at(-1)];
      return from === undefined || to === undefined ? null : { from, to };
    };
    this.step += 1;
    const { step, segment, pair } = this;
    const stepId = stepIdOf(step);
    const head: EventBody<'segment.started'>['head'] = [
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: 'Do the task.' },
    ];
    const call = { id: `s${step}`, name: summaryTool.function.name, arguments: `{"knowledge": "${step}"}` };
    this.add('summary.started', {
      step,
      segment,
      entries,
      pair,
      steps: range(part),
      carried: range(kept),
      tokens: 100_001,
      limit: 100_000,
      why: 'limit',
      hints: [],
      head: [{ role: 'system', content: 'You summarise.' }],
      closing: 'Summarise it.',
      tools: [summaryTool],
      request: SENT.request,
    });
    this.add('model.requested', requested(step));
    const said = {
      kind: 'summary' as const,
      text: `I summarise ${step}`,
      calls: [call],
      invalid: [null],
      finishReason: 'tool_calls' as const,
      model: 'test-model',
    };
    this.add('model.answered', answered(step, stepId, { ...said, ...more }));
    this.add('summary.ended', { step, tokensBefore: 100_001, tokensAfter: 50_000, missing: [] });
    this.segment += 1;
    this.inContext = kept;
    this.pair = true;
    const pairHead: EventBody<'segment.started'>['head'] = [
      { role: 'assistant', content: `Summary ${step}` },
      { role: 'user', content: `Go on. Observation ${part.at(-1) ?? 0}` },
    ];
    return this.add('segment.started', {
      segment: this.segment,
      head: [...head, ...pairHead],
      ...SENT,
      summary: step,
      carried: range(kept),
    });
  }

  /** One whole step; without calls it is a null answer. */
  answer(calls: ScriptedCall[], more: Partial<EventBody<'model.answered'>> = {}): this {
    this.step += 1;
    const { step } = this;
    const given: ModelCall[] = calls.map(({ name, args, raw }, index) => ({
      id: `c${step}-${index}`,
      name,
      arguments: raw ?? JSON.stringify(args ?? {}),
    }));
    this.inContext.push(step);
    this.add('model.requested', requested(step));
    const said = {
      kind: calls.some(({ invalid }) => invalid === undefined) ? ('act' as const) : ('null' as const),
      text: `Thought ${step}`,
      calls: given,
      invalid: calls.map(({ invalid }) => invalid ?? null),
      model: 'test-model',
    };
    this.add('model.answered', answered(step, stepIdOf(step), { ...said, ...more }));
    for (const [call, scripted] of calls.entries()) {
      if (scripted.invalid === undefined) this.observe(call, given[call]?.id ?? '', scripted);
    }
    return this;
  }

  private observe(call: number, callId: string, scripted: ScriptedCall): void {
    const { step } = this;
    const { name, args = {}, error = null } = scripted;
    this.add('action.started', { step, call, callId, name, args, guards: [] });
    for (const { path, before, after = 'there', by = 'action' } of scripted.files ?? []) {
      this.add('file.changed', {
        step,
        call,
        computer: 'local',
        path,
        before: before === 'there' ? hex('c') : null,
        after: after === 'there' ? hex('d') : null,
        size: 1,
        beforeText: null,
        text: null,
        by,
      });
    }
    if (scripted.unobserved) return;
    this.add('action.observed', {
      step,
      call,
      callId,
      name,
      ok: scripted.ok ?? error === null,
      error,
      text: scripted.text ?? `Observation ${step}.${call}`,
      data: scripted.data ?? {},
      offsets: {},
      durationMs: 1,
      closedBy: scripted.closedBy ?? 'run',
      imitatesHuman: false,
    });
  }
}

const SENT: Pick<EventBody<'segment.started'>, 'tools' | 'request'> = {
  tools: [
    {
      type: 'function',
      function: { name: 'run_command', description: 'Runs.', parameters: { type: 'object' } },
    },
  ],
  request: { model: 'test-model' },
};

function stepIdOf(step: number): string {
  return `01KSTEP${String(step).padStart(19, '0')}`;
}

function requested(step: number): EventBody<'model.requested'> {
  return {
    step,
    attempt: 1,
    sha256: hex('b'),
    bytes: 1,
    messages: 1,
    tokensEstimate: 100 * step,
    tail: '',
  };
}
