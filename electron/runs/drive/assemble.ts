import { defaultRetry, type Loop } from '../../agent/loop-types';
import { newUlid } from '../../base/new-ulid';
import { Checkpointer } from '../../branches/checkpointer';
import { costOf, type Price } from '../../model/client';
import { requirePackage } from '../../task/add';
import { parseSpec } from '../../task/stored-spec';
import type { EngineOptions } from '../engine-options';
import { closeIdleSessions } from '../sessions/close-idle-sessions';
import { createHintBuffer } from '../steer/hint-buffer';
import type { CommandTime } from './command-time';
import type { RunControl } from './control';
import { whyAway } from './links';
import { modelPort } from './model-port';
import { refuseMovedRun } from './moved-run';
import { summaryTexts } from './prompt';
import { restedSessions } from './rested-sessions';
import { keepsRunning, runningCommands } from './running-commands';
import { setUp } from './set-up';
import { actionsFor, evaluatorFor } from './wiring/actions';
import { connectComputers } from './wiring/computers';
import { type Driving, modelOf, type Parts, type Release } from './wiring/driving';
import { followOutbox, followRun } from './wiring/followers';
import { keepTime, watch } from './wiring/watchers';

/** Prepares the workspace and puts the loop together. What is opened here is let go of by `releases`, last first. */
export async function assemble(parts: Parts, control: RunControl, releases: Release[]): Promise<Loop> {
  const { context, loaded, recorder, follower, folder } = parts;
  const { options, run, live } = context;
  const { clock } = options;
  const { state, created } = loaded;
  const spec = parseSpec(created.spec, created.task.title);
  refuseMovedRun(spec, created, state.run.probed, folder);
  const packageFolder = requirePackage(options.store.folder, created.task);
  followOutbox(parts, releases);
  const driving: Driving = {
    ...parts,
    control,
    spec,
    packageFolder,
    ...connectComputers(parts, spec, releases),
    failed: (what, more) => (error) => options.log.error(what, { run, ...more, error: String(error) }),
  };
  const commandTime = await followRun(driving, releases);
  await prepare(driving, commandTime);
  const heartbeat = keepTime(driving, releases);
  const evaluator = evaluatorFor(driving);
  const actions = actionsFor(driving, evaluator, heartbeat);
  const hintWatch = watch(driving, actions, releases);
  const { all, computers, back } = driving;
  const checkpointer = new Checkpointer({ options, run, created, spec, computers, fold: state.run });
  return {
    state,
    ports: {
      model: modelPort(options, () => modelOf(parts)),
      recorder,
      hints: createHintBuffer(follower, created.humanHints, () => hintWatch.beforeRequest()),
      control,
      actions,
      evaluation: {
        final: async (step, signal) => {
          const events = await evaluator.final(step, signal);
          return signal.aborted ? events : [...events, ...(await closeSessions(driving))];
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
      cost: ({ usage }) => costOf(usage, priceOf(options, modelOf(parts).endpoint)),
      running: () => whatGoesOn(parts),
    },
    options: {
      limits: created.limits,
      get contextTokens() {
        return modelOf(parts).contextTokens;
      },
      approvals: created.approvals,
      retry: options.retry ?? defaultRetry,
      summary: await summaryTexts(options.resourcesDir),
    },
  };
}

/** Sets the computers up. From then on working time counts; commands that went on while nobody drove count for the time before. */
async function prepare(driving: Driving, commandTime: CommandTime): Promise<void> {
  const { spec, packageFolder, folder, computers, back, control, context, loaded, recorder } = driving;
  const { clock, store } = context.options;
  await setUp({
    spec,
    created: loaded.created,
    packageFolder,
    folder,
    computers,
    record: (events) => recorder.record(events),
    back,
    fold: loaded.state.run,
    signal: control.haltThinking,
  });
  const since = loaded.state.run.time.stoppedAt;
  const meanwhile = since === null ? [] : await commandTime.between(since, clock.now());
  const rested = await restedSessions({ reader: store.reader, run: context.run, computers });
  await recorder.record([
    ...meanwhile,
    ...rested,
    { kind: 'run.status', body: { status: 'running', reason: null, message: 'Driven.' } },
  ]);
}

/** The score stands all the same; a session left open is closed by `waymark clean`. */
function closeSessions({ computers, loaded, failed }: Driving): ReturnType<typeof closeIdleSessions> {
  const open = (uid: string) => loaded.state.run.sessions.has(uid);
  return closeIdleSessions(computers, open, (computer, error) =>
    failed('Sessions of a finished run were not closed', { computer })(error),
  );
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
