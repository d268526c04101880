import { createHash } from 'node:crypto';
import { join } from 'node:path';
import { ContextFold, tailOf } from '@shared/context/context';
import { evaluated } from '@shared/log/event-fixtures';
import type { Limits } from '@shared/log/event-parts';
import type { EventBody, EventKind, NewEvent } from '@shared/log/events';
import { RunFold } from '@shared/runs/run-fold';
import { ulid } from 'ulid';
import { drive } from '../agent/loop';
import type { Loop, LoopEnd, LoopPorts } from '../agent/loop-types';
import type { LoopFrame, ModelPort } from '../agent/ports';
import { RequestHash } from '../agent/request-hash';
import { type Clock, systemClock } from '../clock';
import { createModelClient } from '../model/client';
import type { ScriptedModel } from '../model/scripted-server';
import { RunControl } from '../runs/drive/control';
import { summaryTexts } from '../runs/drive/prompt';
import { Recorder } from '../runs/drive/recorder';
import { createHintBuffer } from '../runs/steer/hint-buffer';
import { HintWatch } from '../runs/steer/hint-conditions-watch';
import { OutboxFollower } from '../runs/steer/outbox-follower';
import { MemoryRunLog } from './memory-run-log';
import { Tray, TrayActions } from './tray-actions';

export interface StandOptions {
  model: Pick<ScriptedModel, 'baseUrl'>;
  limits?: Partial<Limits>;
  contextTokens?: number;
  approvals?: 'on' | 'off';
  sendReasoning?: boolean;
  /** As the endpoint of the run has it; absent: the run says nothing about it. */
  parallelCalls?: boolean;
  /** The system prompt. */
  system?: string;
  attempts?: number;
  patienceMs?: number;
  /** Wall clock of the loop, ms; default: the machine's. */
  now?: () => number;
  /** Default: one in memory. */
  log?: MemoryRunLog;
  /** Stands between the loop and what it touches, anew for each driver. */
  wrap?: (ports: LoopPorts) => LoopPorts;
}

/** Read once: thousands of drivers say the same. */
const SUMMARY = summaryTexts(join(import.meta.dirname, '..', '..', 'resources'));

/** Thrown by the tray as a computer that is away. */
export class Away extends Error {
  override name = 'ComputerUnavailable';
}

/**
 * A loop on its own: memory log, tray actions, the real recorder, outbox, control and model client, a scripted
 * model over HTTP. `drive()` may be called again after a kill or a pause: each time is a new driver.
 */
export class LoopStand {
  readonly log: MemoryRunLog;
  readonly tray = new Tray();
  readonly frames: LoopFrame[] = [];
  readonly actions: TrayActions;
  /** Control of the driver that runs now. */
  control: RunControl | null = null;
  /** What the forced evaluation says, or throws. */
  final: () => Promise<number> = async () => 50;
  private readonly port: ModelPort;
  private readonly clock: Clock;
  private epoch = 0;

  constructor(private readonly options: StandOptions) {
    // Retries need not be waited for in earnest.
    this.clock = {
      ...systemClock,
      ...(options.now === undefined ? {} : { now: options.now }),
      sleep: (ms, signal) => systemClock.sleep(Math.min(ms, 40), signal),
    };
    this.log = options.log ?? new MemoryRunLog(ulid(), () => this.clock.now());
    this.actions = new TrayActions(this.tray, systemClock);
    this.port = createModelClient({ name: 'the model', baseUrl: options.model.baseUrl, key: null });
    this.seed();
  }

  async drive(): Promise<LoopEnd> {
    const loop = await this.assemble();
    return drive(loop);
  }

  /** All events of a kind. */
  of<K extends EventKind>(kind: K): EventBody<K>[] {
    return this.log.events.flatMap((event) => (event.kind === kind ? [event.body as EventBody<K>] : []));
  }

  hint(text: string): string {
    const hint = ulid();
    this.log.post({ op: 'hint.queued', hint, text, category: 'other' });
    return hint;
  }

  /** Resolves when `test` holds after some commit or live frame. */
  async until(test: () => boolean): Promise<void> {
    while (!test()) {
      await new Promise((resolve) => setTimeout(resolve, 2));
    }
  }

  /** Rebuilds every request from the log alone; returns how many hashes differ from the recorded ones. */
  unverified(): number {
    const context = new ContextFold({ sendReasoning: this.options.sendReasoning ?? false });
    let wrong = 0;
    for (const event of this.log.events) {
      context.apply(event);
      if (event.kind === 'model.requested') {
        const body = context.requestBody({ tail: tailOf(event.body) });
        wrong += sha256(body) === event.body.sha256 ? 0 : 1;
      }
    }
    return wrong;
  }

  private async assemble(): Promise<Loop> {
    this.epoch += 1;
    const { log, options } = this;
    const run = new RunFold();
    const context = new ContextFold({ sendReasoning: options.sendReasoning ?? false });
    const follower = new OutboxFollower(log, log.run);
    for (const event of log.events) {
      run.apply(event, event.at);
      context.apply(event);
      follower.applyEvent(event);
    }
    await follower.refresh();
    log.subscribe(() => void follower.refresh());
    const signal = new AbortController().signal;
    const recorder = new Recorder({
      writer: log,
      run: log.run,
      epoch: this.epoch,
      clock: this.clock,
      signal,
    });
    recorder.onRecorded((events, at) => {
      for (const event of events) {
        run.apply(event, at);
        context.apply(event);
        follower.applyEvent(event);
      }
    });
    const hintWatch = new HintWatch({
      follower,
      computers: new Map(),
      clock: this.clock,
      record: (events) => recorder.record(events),
      failed: () => undefined,
    });
    const control = new RunControl(follower);
    this.control = control;
    await recorder.record(this.arrival(follower));
    const wrap = options.wrap ?? ((ports: LoopPorts) => ports);
    return {
      state: { run, context, hash: new RequestHash(context) },
      ports: wrap({
        model: this.port,
        recorder,
        hints: createHintBuffer(follower, true, () => hintWatch.beforeRequest()),
        control,
        actions: this.actions,
        evaluation: { final: async (step) => [finalEvaluation(step, await this.final())] },
        live: { emit: (frame) => void this.frames.push(frame) },
        clock: this.clock,
        id: () => ulid(),
        random: () => 0.5,
        unavailable: (error) => (error instanceof Away ? error.message : null),
        cost: () => null,
      }),
      options: {
        limits: { maxSteps: 100, maxWorkingMs: 3_600_000, maxEvals: 3, ...options.limits },
        contextTokens: options.contextTokens ?? 1_000_000,
        approvals: options.approvals ?? 'off',
        retry: {
          attempts: options.attempts ?? 4,
          patienceMs: options.patienceMs ?? 0,
          firstMs: 2,
          longestMs: 20,
        },
        summary: await SUMMARY,
      },
    };
  }

  private arrival(follower: OutboxFollower): NewEvent[] {
    const over = follower.controls.map(
      ({ entry, op }): NewEvent => ({ kind: 'control.applied', body: { entry, op } }),
    );
    const started: EventBody<'driver.started'> = {
      epoch: this.epoch,
      pid: 1,
      host: 'test',
      app: 'test',
      runtime: 'test',
      reason: this.epoch === 1 ? 'start' : 'resume',
    };
    return [
      { kind: 'driver.started', body: started },
      ...over,
      { kind: 'run.status', body: { status: 'running', reason: null, message: '' } },
    ];
  }

  private seed(): void {
    const head: EventBody<'segment.started'>['head'] = [
      { role: 'system', content: this.options.system ?? 'You put things on a tray.' },
      { role: 'user', content: 'Put three things on it.' },
    ];
    const { parallelCalls } = this.options;
    const request = {
      model: 'scripted',
      ...(parallelCalls === undefined ? {} : { parallel_tool_calls: parallelCalls }),
      stream: true,
      stream_options: { include_usage: true },
    };
    const body = { segment: 1, head, tools: this.actions.tools(), request };
    void this.log.append(this.log.run, 0, [{ kind: 'segment.started', body }]);
  }
}

export function sha256(text: string): string {
  return createHash('sha256').update(text, 'utf8').digest('hex');
}

function finalEvaluation(step: number | null, score: number): NewEvent {
  return { kind: 'evaluation.ended', body: evaluated(step, score, { attempt: null, forced: true }) };
}
