import { ContextFold } from '@shared/context/context';
import type { Tool } from '@shared/log/event-parts';
import type { NewEvent } from '@shared/log/events';
import { RunFold } from '@shared/runs/run-fold';
import { ulid } from 'ulid';
import { drive } from '../../electron/agent/loop';
import { defaultRetry, type Loop } from '../../electron/agent/loop-types';
import type { ActionOutcome, ActionPort, ModelAnswer, ModelPort } from '../../electron/agent/ports';
import { RequestHash } from '../../electron/agent/request-hash';
import { type Clock, systemClock } from '../../electron/clock';
import { scriptedSummary } from '../../electron/model/scripted-summary';
import { RunControl } from '../../electron/runs/drive/control';
import { Recorder } from '../../electron/runs/drive/recorder';
import { createHintBuffer } from '../../electron/runs/steer/hint-buffer';
import { OutboxFollower } from '../../electron/runs/steer/outbox-follower';
import type { Store } from '../../electron/store/api';
import { Material } from './material';
import { creation } from './run-events';

/** Adds up the time that passes outside the model and the actions, per step. */
class Outside {
  readonly ms: number[] = [];
  private since: number | null = null;
  private spent = 0;

  /** Model or action starts. */
  pause(): void {
    if (this.since !== null) this.spent += performance.now() - this.since;
    this.since = null;
  }

  /** Model or action is over. */
  resume(): void {
    this.since = performance.now();
  }

  /** The first request has no step before it; the last step ends with the run. */
  nextStep(): void {
    if (this.spent > 0) this.ms.push(this.spent);
    this.spent = 0;
  }
}

/**
 * Drives a run of `steps` steps with short observations through the real loop, recorder and folds on a real store;
 * model and action answer at once. Returns the ms outside both, per step. `onStep` is called before each request.
 */
export async function driveShortRun(
  store: Store,
  steps: number,
  onStep: (step: number) => void = () => undefined,
  more: Partial<ShortRunOptions> = {},
): Promise<number[]> {
  const options = {
    contextTokens: 1_000_000_000,
    thought: 160,
    output: 200,
    clock: systemClock,
    context: new ContextFold({ sendReasoning: false }),
    ...more,
  };
  const { clock } = options;
  const run = ulid();
  const lock = store.lockRun(run, true);
  if (lock === null) throw new Error(`Run ${run} is new and cannot be driven.`);
  const state = { run: new RunFold(), context: options.context };
  const follower = new OutboxFollower(store.reader, run);
  const recorder = new Recorder({
    writer: store.writer,
    run,
    epoch: lock.epoch,
    clock,
    signal: new AbortController().signal,
  });
  recorder.onRecorded((events, at) => {
    for (const event of events) {
      state.run.apply(event, at);
      state.context.apply(event);
      follower.applyEvent(event);
    }
  });
  const unsubscribe = store.subscribe((notice) => {
    if (notice.kind === 'outbox' && notice.run === run) void follower.refresh();
  });
  const outside = new Outside();
  try {
    await recorder.record([...creation(run, steps), ...arrival(lock.epoch)]);
    await drive(loopOf({ recorder, follower, state, steps, outside, onStep, options }));
  } finally {
    unsubscribe();
    lock.release();
  }
  return outside.ms;
}

export interface ShortRunOptions {
  /** Above it the context is summarised. */
  contextTokens: number;
  /** Characters of a thought, and of an observation. */
  thought: number;
  output: number;
  clock: Clock;
  /** A new one, of what the model sees. */
  context: ContextFold;
}

interface ShortRun {
  options: ShortRunOptions;
  recorder: Recorder;
  follower: OutboxFollower;
  state: { run: RunFold; context: ContextFold };
  steps: number;
  outside: Outside;
  onStep(step: number): void;
}

function loopOf({ recorder, follower, state, steps, outside, onStep, options }: ShortRun): Loop {
  return {
    state: { ...state, hash: new RequestHash(state.context) },
    ports: {
      model: scriptedModel(outside, onStep, options, () => state.run.summarising !== null),
      recorder,
      hints: createHintBuffer(follower, true),
      control: new RunControl(follower),
      actions: trivialActions(outside, options),
      evaluation: { final: async () => [] },
      live: { emit: () => undefined },
      clock: options.clock,
      id: () => ulid(),
      random: () => 0.5,
      unavailable: () => null,
      cost: () => null,
    },
    options: {
      limits: { maxSteps: steps, maxWorkingMs: 144_000_000, maxEvals: 3 },
      contextTokens: options.contextTokens,
      summary: { system: '', closing: '', goOn: '' },
      approvals: 'off',
      retry: defaultRetry,
    },
  };
}

function scriptedModel(
  outside: Outside,
  onStep: (step: number) => void,
  { thought }: ShortRunOptions,
  summarising: () => boolean,
): ModelPort {
  const material = new Material(3);
  let step = 0;
  return {
    ask: async () => {
      if (summarising()) return { ok: true, answer: summary };
      outside.pause();
      outside.nextStep();
      step += 1;
      onStep(step);
      const command = material.command();
      const answer = {
        text: material.prose(thought),
        reasoning: '',
        calls: [
          {
            id: `call_${step}`,
            name: 'run_command',
            arguments: JSON.stringify({ command, session_id: 'main' }),
          },
        ],
        finishReason: 'tool_calls',
        model: 'scripted',
        usage: null,
      };
      outside.resume();
      return { ok: true, answer };
    },
  };
}

const summaryCall = scriptedSummary({ messages: [] }).calls?.[0];
const summary: ModelAnswer = {
  text: '',
  reasoning: '',
  finishReason: 'tool_calls',
  model: 'scripted',
  usage: null,
  calls: [{ id: 'call_s', name: summaryCall?.name ?? '', arguments: JSON.stringify(summaryCall?.arguments) }],
};

const runCommand: Tool = {
  type: 'function',
  function: { name: 'run_command', description: 'Runs a command.', parameters: { type: 'object' } },
};

function trivialActions(outside: Outside, { output }: ShortRunOptions): ActionPort {
  const material = new Material(4);
  const outcome = (): ActionOutcome => ({
    ok: true,
    error: null,
    text: material.log(output),
    data: { computer: 'local', session: 'main', exitCode: 0 },
    closedBy: 'run',
    events: [],
    ends: null,
  });
  return {
    tools: () => [runCommand],
    parse: (name, text) => ({
      ok: true,
      call: { name, args: JSON.parse(text) as Record<string, string> },
    }),
    guards: () => [],
    run: async () => {
      outside.pause();
      const done = outcome();
      outside.resume();
      return done;
    },
    look: async () => outcome(),
    offsets: () => ({ 'local:main': 0 }),
  };
}

function arrival(epoch: number): NewEvent[] {
  const started = {
    epoch,
    pid: process.pid,
    host: 'bench',
    app: 'bench',
    runtime: `node ${process.versions.node}`,
    reason: 'start' as const,
  };
  return [
    { kind: 'driver.started', body: started },
    { kind: 'run.status', body: { status: 'running', reason: null, message: 'Driven.' } },
  ];
}
