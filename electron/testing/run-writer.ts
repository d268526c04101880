import { createHash } from 'node:crypto';
import { ContextFold } from '@shared/context/context';
import { hintBlock } from '@shared/context/human-tag';
import type { Author } from '@shared/log/annotations';
import { answered, createdBody } from '@shared/log/event-fixtures';
import type { NewEvent, RunEvent } from '@shared/log/events';
import { ulid } from 'ulid';
import type { Store } from '../store/api';

export { createdBody };

export const alice: Author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Alice' };
export const bob: Author = { uuid: '6f1c1f0a-2222-4222-8222-222222222222', name: 'Bob' };

export async function createRun(store: Store): Promise<string> {
  const run = ulid();
  await store.writer.append(run, 0, [{ kind: 'run.created', body: createdBody(run) }]);
  return run;
}

export const requestBase = { model: 'scripted', stream: true };

/** A driven run begins: it says so, and its first segment is opened. */
export const beginning: NewEvent[] = [
  { kind: 'run.status', body: { status: 'running', reason: null, message: 'Started' } },
  {
    kind: 'segment.started',
    body: {
      segment: 1,
      head: [
        { role: 'system', content: 'You are an agent.' },
        { role: 'user', content: 'Do the task.' },
      ],
      tools: [],
      request: requestBase,
    },
  },
];

/** Two runs of a workspace, each filled by its name. */
export async function twoRuns(
  store: Store,
  fill: (writer: RunWriter, name: string) => Promise<void>,
): Promise<{ first: string; second: string }> {
  const of = async (name: string) => {
    const writer = new RunWriter(store, await createRun(store));
    await writer.start();
    await fill(writer, name);
    return writer.run;
  };
  return { first: await of('first'), second: await of('second') };
}

/** The whole log of a run. */
export async function allEvents(store: Pick<Store, 'reader'>, run: string): Promise<RunEvent[]> {
  const { seq } = await store.reader.run(run);
  const events: RunEvent[] = [];
  while (events.length < seq) events.push(...(await store.reader.events(run, events.length + 1, 2_000)));
  return events;
}

type Args = Record<string, string | number | boolean>;

interface CommandOptions {
  exitCode?: number;
  ok?: boolean;
  /** Events recorded with the observation, before it. */
  events?: NewEvent[];
  tool?: string;
  args?: Args;
  data?: Record<string, unknown>;
  /** Stored ends of sessions when the observation is made, bytes, by `computer:session`. */
  offsets?: Record<string, number>;
  thought?: string;
}

/** Drives a run as the loop does, without a model: same events, same transactions, true prompt hashes. */
export class RunWriter {
  step = 0;
  epoch = 1;
  /** Largest answered step and observation acknowledged so far. */
  acknowledged = 0;
  private requested = false;
  private running = { callId: '', name: '' };
  private readonly fold = new ContextFold({ sendReasoning: false });

  constructor(
    private readonly store: Pick<Store, 'writer' | 'reader'>,
    readonly run: string,
  ) {}

  /** Goes on with a run that another process may have driven, as a resumed loop does: from the log alone. */
  static async takeOver(store: Store, run: string, epoch: number): Promise<RunWriter> {
    const writer = new RunWriter(store, run);
    writer.epoch = epoch;
    for (const event of await allEvents(store, run)) writer.follow(event);
    if (writer.fold.messageCount === 0) await writer.start();
    else await writer.record([writer.driverStarted('resume')]);
    return writer;
  }

  /** A branch of a run after this step of it, ready for its own first step. */
  static async branchOf(
    store: Pick<Store, 'writer' | 'reader'>,
    parent: string,
    step: number,
  ): Promise<RunWriter> {
    const run = ulid();
    const body = createdBody(run, { parent: { run: parent, step } });
    await store.writer.append(run, 0, [{ kind: 'run.created', body }]);
    const writer = new RunWriter(store, run);
    await writer.start();
    writer.step = step;
    return writer;
  }

  private follow(event: RunEvent): void {
    this.fold.apply(event);
    if (event.kind === 'run.created') this.step = event.body.parent?.step ?? 0;
    if (event.kind === 'model.requested') this.requested = true;
    if (event.kind === 'model.answered') {
      this.requested = false;
      this.step = event.body.step;
    }
  }

  private driverStarted(reason: 'start' | 'resume'): NewEvent {
    const driver = { epoch: this.epoch, pid: 1, host: 'h', app: '0.1.0', runtime: 'node', reason };
    return { kind: 'driver.started', body: driver };
  }

  async start(): Promise<void> {
    await this.record([this.driverStarted('start'), ...beginning]);
  }

  async request(): Promise<void> {
    if (!this.requested) {
      await this.record([this.requestEvent(this.step + 1)]);
    }
    this.requested = true;
  }

  /** One whole step: request, answer with one call, observation. */
  async command(command: string, output: string, options: CommandOptions = {}): Promise<void> {
    const args = options.args ?? { command, session_id: 'main' };
    await this.answer(options.thought ?? `I will run ${command}`, options.tool ?? 'run_command', args);
    await this.observe(output, { ...options, data: { command, ...options.data } });
  }

  /** The model answers with one call, which starts. */
  async answer(text: string, name: string, args: Args): Promise<void> {
    await this.request();
    this.requested = false;
    this.step += 1;
    const { step } = this;
    const callId = `call_${step}`;
    this.running = { callId, name };
    await this.record([
      {
        kind: 'model.answered',
        body: answered(step, ulid(), {
          kind: 'act',
          text,
          calls: [{ id: callId, name, arguments: JSON.stringify(args) }],
          invalid: [null],
          finishReason: 'tool_calls',
          usage: { inputTokens: 10, outputTokens: 5, cachedTokens: 0, reasoningTokens: 0 },
          cost: 0.001,
          durationMs: 12,
        }),
      },
      { kind: 'action.started', body: { step, call: 0, callId, name, args, guards: [] } },
    ]);
  }

  /** The running call ends. */
  async observe(output: string, options: CommandOptions = {}): Promise<void> {
    const { step } = this;
    const running = this.running;
    await this.record([
      ...(options.events ?? []),
      {
        kind: 'action.observed',
        body: {
          step,
          call: 0,
          ...running,
          ok: options.ok ?? true,
          error: options.ok === false ? { code: 'not_found', message: 'No such file' } : null,
          text: output,
          data: {
            computer: 'local',
            session: 'main',
            ...(options.exitCode === undefined ? {} : { exitCode: options.exitCode }),
            ...options.data,
          },
          offsets: options.offsets ?? { 'local:main': step * 10 },
          durationMs: 3,
          closedBy: 'run',
          imitatesHuman: false,
        },
      },
    ]);
    this.acknowledged = step;
  }

  /** Records what answers the request that is out: an answer of another kind than `answer` makes. */
  async close(step: number, events: NewEvent[]): Promise<void> {
    this.requested = false;
    this.step = step;
    await this.record(events);
  }

  /** Whether a request is out without an answer. */
  get awaits(): boolean {
    return this.requested;
  }

  /** A step without a valid call, and the message that teaches. */
  async teach(text: string): Promise<void> {
    await this.request();
    this.requested = false;
    this.step += 1;
    const { step } = this;
    await this.record([
      { kind: 'model.answered', body: answered(step, ulid(), { text }) },
      { kind: 'step.taught', body: { step, text: 'Call one of the tools.' } },
    ]);
  }

  /** Queues a hint and delivers it after the latest step, in one transaction with the next request. */
  async hint(text: string): Promise<string> {
    const hint = ulid();
    await this.store.writer.post(this.run, alice, { op: 'hint.queued', hint, text, category: 'other' });
    const head = await this.store.reader.outboxHead(this.run);
    const delivered: NewEvent = {
      kind: 'hint.delivered',
      body: {
        step: this.fold.entries.at(-1)?.step ?? 0,
        hints: [{ id: hint, text }],
        text: hintBlock([text]),
      },
    };
    this.fold.apply(delivered);
    const events = [delivered, this.requestEvent(this.step + 1)];
    await this.store.writer.appendIfOutboxAt(this.run, this.epoch, head, events);
    this.requested = true;
    return hint;
  }

  async record(events: NewEvent[]): Promise<void> {
    for (const event of events) {
      this.fold.apply(event);
    }
    await this.store.writer.append(this.run, this.epoch, events);
  }

  private requestEvent(step: number): NewEvent {
    const tail = `\n\n[step ${step}]`;
    const body = this.fold.requestBody({ tail });
    return {
      kind: 'model.requested',
      body: {
        step,
        attempt: 1,
        sha256: createHash('sha256').update(body).digest('hex'),
        bytes: Buffer.byteLength(body),
        messages: this.fold.messageCount,
        tokensEstimate: 100,
        tail,
      },
    };
  }
}
