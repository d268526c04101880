import { join } from 'node:path';
import { WaymarkError } from '@shared/errors';
import type { EventBody } from '@shared/events';
import { workspaceHolder } from '@shared/task';
import { ulid } from 'ulid';
import type { ActionFactsFold } from '../actions/action-facts';
import { createActions } from '../actions/create-actions';
import { actionTaskView } from '../actions/task-view';
import { defaultRetry, type Loop } from '../agent/loop-types';
import type { ModelPort } from '../agent/ports';
import { ComputerUnavailable } from '../computer/failures';
import { LocalComputer } from '../computer/local/local-computer';
import type { Computer } from '../computer/port';
import { createModelClient } from '../model/client';
import { costOf } from '../model/cost';
import { pinnedPackage } from '../task/add';
import { prepareWorkspace } from '../task/reset';
import { closeIdleSessions } from './close-idle-sessions';
import { commandsMeanwhile } from './command-intervals';
import type { RunControl } from './control';
import { parseSpec } from './create-run';
import type { EngineOptions } from './engine-options';
import { createEvaluator } from './evaluation';
import { Heartbeat } from './heartbeat';
import { createHintBuffer } from './hint-buffer';
import type { LiveEmitter } from './live';
import type { LoadedRun } from './load-run';
import type { OutboxFollower } from './outbox-follower';
import type { Recorder } from './recorder';
import { SessionLog } from './session-log';

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
}

export type Release = () => Promise<void> | void;

/** The actions' view of the task as it was pinned when the run was created. */
export function viewOf(created: EventBody<'run.created'>) {
  return actionTaskView(parseSpec(created.spec, created.task.title), created.workspaceRoot, {
    maxEvals: created.limits.maxEvals,
    taskHint: created.taskHint,
  });
}

/** Prepares the workspace and puts the loop together. What is opened here is let go of by `releases`, last first. */
export async function assemble(parts: Parts, control: RunControl, releases: Release[]): Promise<Loop> {
  const { context, loaded, recorder, follower, folder, facts } = parts;
  const { options, run, live } = context;
  const { store, clock } = options;
  const { state, created } = loaded;
  const spec = parseSpec(created.spec, created.task.title);
  const packageFolder = pinnedPackage(store.folder, created.task.hash);
  releases.push(
    store.subscribe((notice) => {
      if (notice.kind === 'outbox' && notice.run === run) {
        refresh(follower, options, run);
      }
    }),
  );
  refresh(follower, options, run);
  const computers = connect(options, run, created);
  releases.push(async () => {
    await Promise.all([...computers.values()].map((computer) => computer.dispose()));
  });
  const holder = computerOf(computers, workspaceHolder(spec).name);
  await prepareWorkspace({
    spec,
    packageFolder,
    runFolder: folder,
    files: holder.files,
    signal: control.haltThinking,
  });
  const sessions = new SessionLog({
    store,
    run,
    computers,
    clock,
    failed: (session, error) =>
      options.log.error('A session can no longer be followed', { run, session, error: String(error) }),
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
  recorder.onRecorded((events) => events.forEach((event) => void sessions.applyEvent(event)));
  await startWorking(parts, computers);
  const heartbeat = new Heartbeat({
    folder,
    clock,
    suspended: (from, to) => {
      recorder
        .record([{ kind: 'clock.suspended', body: { from: Math.round(from), to: Math.round(to) } }])
        .catch((error: unknown) => {
          options.log.error('A suspension could not be recorded', { run, error: String(error) });
        });
    },
  });
  releases.push(() => heartbeat.stop());
  const evaluator = createEvaluator({
    spec,
    packageFolder,
    folder,
    root: created.workspaceRoot,
    holder,
    facts: facts.facts,
  });
  const price =
    options.settings.current.endpoints.find(({ name }) => name === created.model.endpoint)?.price ?? null;
  return {
    state,
    ports: {
      model: modelOf(options, created),
      recorder,
      hints: createHintBuffer(follower, created.humanHints),
      control,
      actions: createActions({
        task: viewOf(created),
        computers,
        evaluate: (request) => evaluator.try(request),
        clock,
        facts,
      }),
      evaluation: {
        final: async (step, signal) => {
          const events = await evaluator.final(step, signal);
          if (signal.aborted) return events;
          const open = (uid: string) => state.run.sessions.has(uid);
          const closed = await closeIdleSessions(computers, open).catch((error: unknown) => {
            // The score stands all the same; a session left open is closed by `waymark clean`.
            options.log.error('The sessions of a finished run were not closed', {
              run,
              error: String(error),
            });
            return [];
          });
          return [...events, ...closed];
        },
      },
      live: { emit: (frame) => live.emit({ ...frame, run }) },
      clock,
      id: () => ulid(),
      random: () => Math.random(),
      unavailable: (error) => (error instanceof ComputerUnavailable ? error.message : null),
      cost: ({ usage }) => costOf(usage, price),
    },
    options: {
      limits: created.limits,
      contextTokens: created.model.contextTokens,
      approvals: created.approvals,
      retry: options.retry ?? defaultRetry,
    },
  };
}

/** From here on working time counts; commands that went on while nobody drove are counted for the time before. */
async function startWorking(
  { context, loaded, recorder }: Parts,
  computers: ReadonlyMap<string, Computer>,
): Promise<void> {
  const { clock } = context.options;
  const since = loaded.state.run.time.stoppedAt;
  const meanwhile =
    since === null ? [] : await commandsMeanwhile(loaded.state.run, computers, since, clock.now());
  await recorder.record([
    ...meanwhile,
    { kind: 'run.status', body: { status: 'running', reason: null, message: 'Driven.' } },
  ]);
}

function refresh(follower: OutboxFollower, options: EngineOptions, run: string): void {
  follower.refresh().catch((error: unknown) => {
    options.log.error('The outbox could not be read', { run, error: String(error) });
  });
}

function connect(
  options: EngineOptions,
  run: string,
  created: EventBody<'run.created'>,
): Map<string, Computer> {
  const computers = new Map<string, Computer>();
  for (const { name, kind } of created.computers) {
    if (kind === 'local') {
      const { resourcesDir } = options;
      computers.set(
        name,
        new LocalComputer({ name, resourcesDir, sessionsDir: join(options.sessionsDir, run) }),
      );
    }
  }
  return computers;
}

function computerOf(computers: ReadonlyMap<string, Computer>, name: string): Computer {
  const computer = computers.get(name);
  if (computer === undefined) {
    throw new WaymarkError(
      'task_unsupported',
      `The computer ${name} of the task cannot be reached from here.`,
    );
  }
  return computer;
}

/** Looks the key up for every request, so that one that was set meanwhile is found without a restart. */
function modelOf(options: EngineOptions, { model }: EventBody<'run.created'>): ModelPort {
  let client: { key: string | null; port: ModelPort } | null = null;
  return {
    ask: async (request, onDelta, signal) => {
      const key = options.findKey(model.endpoint, model.keyRef ?? '');
      if (key === null && model.keyRef !== null) {
        const message = `The key for ${model.endpoint} is missing: the environment variable ${model.keyRef} is not set.`;
        const failure = {
          code: 'model_key_missing',
          message,
          status: null,
          retryable: false,
          retryAfterMs: null,
        } as const;
        return { ok: false, failure };
      }
      if (client === null || client.key !== key) {
        const baseUrl = (await options.baseUrlOf?.(model.endpoint)) ?? model.baseUrl;
        client = { key, port: createModelClient({ name: model.endpoint, baseUrl, key }) };
      }
      return client.port.ask(request, onDelta, signal);
    },
  };
}
