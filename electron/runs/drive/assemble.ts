import { WaymarkError } from '@shared/contract/errors';
import { type TaskSpec, workspaceHolder } from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import type { ActionFactsFold } from '../../actions/action-facts';
import { createActions } from '../../actions/create-actions';
import { actionTaskView } from '../../actions/task-view';
import { defaultRetry, type Loop } from '../../agent/loop-types';
import { backOffMs } from '../../base/back-off';
import { newUlid } from '../../base/new-ulid';
import { Checkpointer } from '../../branches/checkpointer';
import { sessionDirectories } from '../../checkpoint/session-directories';
import { isHost } from '../../computer/hosts';
import type { Computer } from '../../computer/port';
import { spoolFolder } from '../../files/workspace-paths';
import { costOf, type Price } from '../../model/client';
import { SecretScanner } from '../../secrets/scanner';
import { requirePackage } from '../../task/add';
import type { EvaluatingMachine } from '../../task/evaluating-machine';
import { HostEvaluator, type HostEvaluatorOptions } from '../../task/host-evaluator';
import { parseSpec } from '../../task/stored-spec';
import type { EngineOptions } from '../engine-options';
import { closeIdleSessions } from '../sessions/close-idle-sessions';
import { SessionRecorder } from '../sessions/session-recorder';
import { connect, disposeAll } from '../start/connect';
import { linkedHere } from '../start/places';
import { createHintBuffer } from '../steer/hint-buffer';
import { HintWatch } from '../steer/hint-conditions-watch';
import type { OutboxFollower } from '../steer/outbox-follower';
import { CodeWatch } from './code-watch';
import { CommandTime } from './command-time';
import type { RunControl } from './control';
import { createEvaluator } from './evaluation';
import { GpuWatch } from './gpu-watch';
import { Heartbeat } from './heartbeat';
import { backDeps, warmUp, whyAway } from './links';
import type { LiveEmitter } from './live';
import type { LoadedRun } from './load-run';
import { modelPort } from './model-port';
import { refuseMovedRun } from './moved-run';
import { persistAtWork } from './persist';
import { summaryTexts } from './prompt';
import type { Recorder } from './recorder';
import { restedSessions } from './rested-sessions';
import { keepsRunning, runningCommands } from './running-commands';
import { SecretWatch } from './secret-watch';
import { setUp } from './set-up';

export interface RunContext {
  options: EngineOptions;
  live: LiveEmitter;
  run: string;
  lock: { epoch: number; release(): void };
}

/** What a driver has in hand before anything is opened. */
export interface Parts {
  context: RunContext;
  loaded: LoadedRun;
  recorder: Recorder;
  follower: OutboxFollower;
  /** `<workspace>/runs/<run>`. */
  folder: string;
  facts: ActionFactsFold;
  /** Computers that actions may name, once they are connected. */
  connected: Map<string, Computer>;
}

export type Release = () => Promise<void> | void;

/** The actions' view of the task as it was pinned when the run was created. */
export function viewOf(
  created: EventBody<'run.created'>,
  probed: EventBody<'workspace.probed'> | null = null,
) {
  return actionTaskView(parseSpec(created.spec, created.task.title), created.workspaceRoot, {
    places: created.computers,
    probed,
    maxEvals: created.limits.maxEvals,
    taskHint: created.taskHint,
    images: created.model.images === true,
  });
}

/** Prepares the workspace and puts the loop together. What is opened here is let go of by `releases`, last first. */
export async function assemble(parts: Parts, control: RunControl, releases: Release[]): Promise<Loop> {
  const { context, loaded, recorder, follower, folder, facts } = parts;
  const { options, run, live } = context;
  const { store, clock } = options;
  const { state, created } = loaded;
  const spec = parseSpec(created.spec, created.task.title);
  refuseMovedRun(spec, created, state.run.probed, folder);
  const packageFolder = requirePackage(store.folder, created.task);
  const reading = new AbortController();
  releases.push(
    () => reading.abort(new Error('The run is no longer driven here.')),
    store.subscribe((notice) => {
      if (notice.kind === 'outbox' && notice.run === run) {
        void refresh(follower, options, run, reading.signal);
      }
    }),
  );
  void refresh(follower, options, run, reading.signal);
  const all = connect(options, run, created.computers);
  releases.push(() => disposeAll(all));
  const computers = usable(spec, all);
  for (const [name, computer] of computers) parts.connected.set(name, computer);
  releases.push(() => parts.connected.clear());
  const stopped = new AbortController();
  releases.push(() => stopped.abort(new Error('The run is no longer driven here.')));
  warmUp(all, clock, stopped.signal);
  const back = backDeps(all, clock);
  const record: Recorder['record'] = (events) => recorder.record(events);
  const sessions = new SessionRecorder({
    store,
    run,
    epoch: context.lock.epoch,
    computers,
    back,
    record,
    failed: (session, error) =>
      options.log.error('Output of a session could not be followed', { run, session, error: String(error) }),
  });
  releases.push(
    () => sessions.stop(),
    () => sessions.drain(),
  );
  for (const { uid, computer, session, endOffset } of await store.reader.sessions(run)) {
    if (state.run.sessions.has(uid)) {
      sessions.follow(computer, session, uid, endOffset);
    }
  }
  const commandTime = new CommandTime({
    computers,
    back,
    record,
    failed: (error) => options.log.error('Command times could not be read', { run, error: String(error) }),
  });
  releases.push(() => commandTime.stop());
  recorder.onRecorded((events, at) => {
    for (const event of events) {
      sessions.applyEvent(event);
      commandTime.applyEvent(event, at);
    }
  });
  const secrets = new SecretWatch({
    scanner: options.scanner ?? new SecretScanner(),
    record,
    failed: (error) =>
      options.log.error('A secret that was seen could not be recorded', { run, error: String(error) }),
  });
  recorder.onRecorded((events) => secrets.look(events));
  await setUp({
    spec,
    created,
    packageFolder,
    folder,
    computers,
    record,
    back,
    fold: state.run,
    signal: control.haltThinking,
  });
  await startWorking(parts, commandTime, computers);
  const time = (kind: 'clock.suspended' | 'clock.jumped') => (from: number, to: number) =>
    recorder
      .record([{ kind, body: { from: Math.round(from), to: Math.round(to) } }])
      .catch((error: unknown) => {
        options.log.error('A jump of time could not be recorded', { run, error: String(error) });
      });
  const heartbeat = new Heartbeat({
    folder,
    clock,
    suspended: time('clock.suspended'),
    jumped: time('clock.jumped'),
  });
  releases.push(() => heartbeat.stop());
  const evaluator = createEvaluator({
    spec: { ...spec, task_hint: { ...spec.task_hint, mode: created.taskHint } },
    packageFolder,
    packageHash: created.task.hash,
    isolated: created.evaluatorIsolated,
    folder,
    linked: linkedHere(spec, created.computers),
    root: created.workspaceRoot,
    holder: named(computers, workspaceHolder(spec).name),
    machine: evaluatorOf(spec, all, run, (work, signal) => persistAtWork({ back, record, signal }, work)),
    facts: facts.facts,
  });
  const model = () => state.run.model ?? created.model;
  const view = viewOf(created, state.run.probed);
  const actions = createActions({
    task: {
      ...view,
      get maxEvals() {
        return state.run.limits?.maxEvals ?? view.maxEvals;
      },
      training: {
        commands: view.training.commands,
        get limitMs() {
          return (state.run.limits ?? created.limits).maxTrainingMs ?? null;
        },
      },
      get time() {
        const ofMs = (state.run.limits ?? created.limits).maxWorkingMs;
        return { leftMs: Math.max(0, ofMs - state.run.time.ms(heartbeat.reckoned())), ofMs };
      },
    },
    computers,
    evaluate: (request) => evaluator.try(request),
    stored: async (uid, offset, maxBytes) => {
      const kept = await store.reader.readSession(run, uid, offset, maxBytes);
      return kept.offset === offset ? kept.bytes : new Uint8Array();
    },
    directories: (computer) =>
      sessionDirectories(computer, spoolFolder(options.sessionsDir, run), stopped.signal),
    clock,
    facts,
    takesImages: () => model().images === true,
  });
  const checkpointer = new Checkpointer({ options, run, created, spec, computers, fold: state.run });
  const codeWatch = new CodeWatch({
    computers,
    clock,
    record,
    scan: () => actions.codeChanges?.() ?? Promise.resolve([]),
    failed: (error) => options.log.error('Code files could not be looked at', { run, error: String(error) }),
  });
  releases.push(() => codeWatch.stop());
  const gpuWatch = new GpuWatch({
    computers: withGpus(spec, computers),
    clock,
    record,
    failed: (error) => options.log.error('GPUs could not be watched', { run, error: String(error) }),
  });
  releases.push(() => gpuWatch.stop());
  const hintWatch = new HintWatch({
    follower,
    computers,
    clock,
    record,
    failed: (error) =>
      options.log.error('Conditions of hints could not be looked at', { run, error: String(error) }),
  });
  releases.push(() => hintWatch.stop());
  recorder.onRecorded(() => hintWatch.notice());
  return {
    state,
    ports: {
      model: modelPort(options, model),
      recorder,
      hints: createHintBuffer(follower, created.humanHints, () => hintWatch.beforeRequest()),
      control,
      actions,
      evaluation: {
        final: async (step, signal) => {
          const events = await evaluator.final(step, signal);
          if (signal.aborted) return events;
          const open = (uid: string) => state.run.sessions.has(uid);
          const closed = await closeIdleSessions(computers, open, (computer, error) => {
            // The score stands all the same; a session left open is closed by `waymark clean`.
            options.log.error('Sessions of a finished run were not closed', {
              run,
              computer,
              error: String(error),
            });
          });
          return [...events, ...closed];
        },
      },
      checkpoint: {
        ...spec.checkpoints,
        asked: () => follower.checkpoints.waiting,
        make: (order, signal) => checkpointer.make(order, signal),
      },
      live: { emit: (frame) => live.emit({ ...frame, run }) },
      clock,
      reckoned: () => heartbeat.reckoned(),
      id: () => newUlid(),
      random: () => Math.random(),
      unavailable: (error) => whyAway(error, all),
      ...(back.back === undefined ? {} : { back: back.back }),
      cost: ({ usage }) => costOf(usage, priceOf(options, model().endpoint)),
      running: () => whatGoesOn(parts),
    },
    options: {
      limits: created.limits,
      get contextTokens() {
        return model().contextTokens;
      },
      approvals: created.approvals,
      retry: options.retry ?? defaultRetry,
      summary: await summaryTexts(options.resourcesDir),
    },
  };
}

/** Commands of the run that go on while it rests, in a sentence; '' when none does. */
export async function whatGoesOn({ context, loaded, connected }: Parts): Promise<string> {
  const { options, run } = context;
  const places = loaded.created.computers;
  const { reader } = options.store;
  return keepsRunning(await runningCommands({ reader, run, places, computers: connected }));
}

/** Read when it is needed: a price that is set while the run goes on holds for its later steps. */
function priceOf({ settings }: EngineOptions, endpoint: string): Price | null {
  return settings.current.endpoints.find(({ name }) => name === endpoint)?.price ?? null;
}

/** From here on working time counts; commands that went on while nobody drove are counted for the time before. */
async function startWorking(
  { context, loaded, recorder }: Parts,
  commandTime: CommandTime,
  computers: ReadonlyMap<string, Computer>,
): Promise<void> {
  const { clock, store } = context.options;
  const since = loaded.state.run.time.stoppedAt;
  const meanwhile = since === null ? [] : await commandTime.between(since, clock.now());
  const rested = await restedSessions({ reader: store.reader, run: context.run, computers });
  await recorder.record([
    ...meanwhile,
    ...rested,
    { kind: 'run.status', body: { status: 'running', reason: null, message: 'Driven.' } },
  ]);
}

/** A pause or a stop that could not be read is read as soon as it can be: nobody says it twice. */
async function refresh(
  follower: OutboxFollower,
  { log, clock }: EngineOptions,
  run: string,
  signal: AbortSignal,
): Promise<void> {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      await follower.refresh();
      return;
    } catch (error) {
      if (failures === 0) log.error('The outbox could not be read', { run, error: String(error) });
      const pause = backOffMs(failures + 1, { firstMs: 100, longestMs: 5_000 }, 0);
      await clock.sleep(pause, signal).catch(() => undefined);
    }
  }
}

/** Those the task gave GPUs of to the run. */
function withGpus(spec: TaskSpec, computers: ReadonlyMap<string, Computer>): Computer[] {
  return spec.computers.flatMap(({ name, gpus }) => {
    const computer = gpus === null ? undefined : computers.get(name);
    return computer === undefined ? [] : [computer];
  });
}

/** The computers actions may name. */
export function usable(spec: TaskSpec, all: ReadonlyMap<string, Computer>): Map<string, Computer> {
  const evaluators = new Set(spec.computers.flatMap(({ name, evaluator }) => (evaluator ? [name] : [])));
  return new Map([...all].filter(([name]) => !evaluators.has(name)));
}

/** The computer that is set aside for evaluating, when there is one and it is not this machine. */
function evaluatorOf(
  spec: TaskSpec,
  all: ReadonlyMap<string, Computer>,
  run: string,
  attempt: HostEvaluatorOptions['attempt'],
): EvaluatingMachine | undefined {
  const name = spec.computers.find(({ evaluator }) => evaluator)?.name;
  const host = name === undefined ? undefined : all.get(name);
  return host !== undefined && isHost(host) ? new HostEvaluator({ host, run, attempt }) : undefined;
}

function named(computers: ReadonlyMap<string, Computer>, name: string): Computer {
  const computer = computers.get(name);
  if (computer === undefined) {
    throw new WaymarkError('task_unsupported', `The log of this run does not say where ${name} is.`);
  }
  return computer;
}
