import { hostname } from 'node:os';
import { WaymarkError } from '@shared/contract/errors';
import type { NewEvent } from '@shared/log/events';
import { ActionFactsFold } from '../../actions/action-facts';
import { drive } from '../../agent/loop';
import type { LoopEnd } from '../../agent/loop-types';
import type { Computer } from '../../computer/port';
import { runFolder } from '../../files/workspace-paths';
import { OutboxFollower } from '../steer/outbox-follower';
import { assemble } from './assemble';
import { RunControl } from './control';
import { lastHeartbeat } from './heartbeat';
import { loadRun } from './load-run';
import { recordRest } from './record-rest';
import { Recorder } from './recorder';
import { isRest } from './run-holds';
import { viewOf } from './wiring/actions';
import type { Parts, Release, RunContext } from './wiring/driving';

/** A run that this process drives. */
export interface DrivenRun {
  run: string;
  control: RunControl;
  /** What the disk or a lock refuses from now on is given up: the run is left as a killed process leaves it. */
  stopWaiting(): void;
  /** Resolves when the run has come to rest and everything was let go of. Never rejects. */
  ended: Promise<LoopEnd | 'failed'>;
  /** Whether it has come to rest and only lets go. What the log says by now is taken into account. */
  isResting(): Promise<boolean>;
  /** Whether somebody asked for a stop that the drive came to its rest without. Ask once it has ended. */
  missedStop(): Promise<boolean>;
  /** Those it works on, by name; empty until they are connected. */
  computers(): ReadonlyMap<string, Computer>;
}

/**
 * Takes up a run: folds its log, tells the log that a driver is here, and starts the loop in the background.
 * On a resume an orphaned action is closed by looking, an unanswered request is asked again. What people asked for after the
 * outbox entry `before` is asked of this drive.
 * @throws WaymarkError not_found, run_ended, task_invalid; the caller then releases the lock
 */
export async function takeUp(context: RunContext, before: number): Promise<DrivenRun> {
  const { run } = context;
  const { parts, arrive, ending } = await prepareDriver(context);
  await arrive({ before });
  const { recorder, follower, loaded } = parts;
  let resting = false;
  recorder.onRecorded((events) => {
    for (const event of events) {
      if (event.kind === 'run.status') resting = isRest(event.body.status);
    }
  });
  const control = new RunControl(follower);
  const ended = driveToRest(parts, control, ending, () => {
    resting = true;
  });
  return {
    run,
    control,
    stopWaiting: () => ending.abort(new Error('What could not be stored is not waited for any more.')),
    ended,
    isResting: async () => {
      await recorder.tried();
      return resting;
    },
    missedStop: async () => {
      await follower.refresh();
      return !loaded.state.run.ended && control.asked()?.op === 'stop';
    },
    computers: () => parts.connected,
  };
}

export interface PreparedDriver {
  parts: Parts;
  /** Ends the waiting for a full disk. */
  ending: AbortController;
  /** Records that a driver is here; pause and wake requests up to the outbox entry `before` are over. */
  arrive(asked: { before: number }): Promise<void>;
}

/** Folds a run's log and outbox; nothing is written yet. @throws WaymarkError not_found, run_ended, task_invalid */
export async function prepareDriver(context: RunContext): Promise<PreparedDriver> {
  const { options, run, lock } = context;
  const { store, clock } = options;
  const folder = runFolder(store.folder, run);
  const follower = new OutboxFollower(store.reader, run);
  let facts: ActionFactsFold | undefined;
  const loaded = await loadRun(store.reader, run, (event, created) => {
    facts ??= new ActionFactsFold(viewOf(created));
    facts.apply(event, event.at);
    follower.applyEvent(event);
  });
  const { state, created } = loaded;
  if (state.run.ended) {
    throw new WaymarkError(
      'run_ended',
      `Run ${run} has ended (${state.run.status}). Start a new one instead.`,
    );
  }
  await follower.refresh();
  const ending = new AbortController();
  const recorder = new Recorder({
    writer: store.writer,
    run,
    epoch: lock.epoch,
    clock,
    signal: ending.signal,
    waiting: (failure) => {
      if (failure === null) options.log.info('Events are stored again', { run });
      else options.log.error('Events wait until they can be stored', { run, message: failure.message });
    },
  });
  recorder.onRecorded((events, at) => {
    for (const event of events) {
      state.run.apply(event, at);
      state.context.apply(event);
      follower.applyEvent(event);
    }
  });
  const parts = {
    context,
    loaded,
    recorder,
    follower,
    folder,
    facts: facts ?? new ActionFactsFold(viewOf(created)),
    connected: new Map<string, Computer>(),
  };
  return {
    parts,
    ending,
    arrive: async ({ before }) => recorder.record(await arrival(parts, before)),
  };
}

async function arrival({ context, loaded, follower, folder }: Parts, before: number): Promise<NewEvent[]> {
  const { options, lock } = context;
  const { state, driven } = loaded;
  const aliveUntil = state.run.time.running ? await lastHeartbeat(folder) : null;
  const started: NewEvent = {
    kind: 'driver.started',
    body: {
      epoch: lock.epoch,
      pid: process.pid,
      host: hostname(),
      app: options.appVersion,
      runtime: runtimeName(),
      reason: driven ? 'resume' : 'start',
      ...(aliveUntil === null ? {} : { aliveUntil }),
    },
  };
  const over = follower.controls
    .filter(({ id, op }) => id <= before && op !== 'stop')
    .map(({ entry, op }): NewEvent => ({ kind: 'control.applied', body: { entry, op } }));
  return [started, ...over];
}

async function driveToRest(
  parts: Parts,
  control: RunControl,
  ending: AbortController,
  rests: () => void,
): Promise<LoopEnd | 'failed'> {
  const { options, run, live, lock } = parts.context;
  const releases: Release[] = [() => lock.release()];
  let end: LoopEnd | 'failed' = 'failed';
  try {
    end = await drive(await assemble(parts, control, releases));
  } catch (thrown) {
    end = await putToRest(parts, control, thrown);
  } finally {
    rests();
    ending.abort(new Error('The run is no longer driven here.'));
    for (const release of releases.reverse()) {
      try {
        await release();
      } catch (error) {
        // The others must still be let go of, the lock above all.
        options.log.error('Something a driver had opened could not be closed', { run, error: String(error) });
      }
    }
    live.emit({ run, kind: 'state', state: end === 'failed' ? 'undriven' : end, until: null });
  }
  return end;
}

/** Whatever is thrown here is a request to halt, an obstacle before the first lap, or a bug: the run rests and says which. */
async function putToRest(parts: Parts, control: RunControl, thrown: unknown): Promise<LoopEnd | 'failed'> {
  const { recorder, context } = parts;
  const { options, run } = context;
  try {
    const asked = control.haltThinking.aborted ? control.asked() : null;
    if (asked !== null) {
      return await recordRest(parts, asked);
    }
    const expected = thrown instanceof WaymarkError && thrown.code !== 'bug';
    const message = thrown instanceof Error ? thrown.message : String(thrown);
    const stack = thrown instanceof Error ? thrown.stack : undefined;
    options.log.error('A driver stopped', { run, message, ...(expected ? {} : { stack }) });
    const reason = expected ? thrown.code : 'bug';
    await recorder.record([{ kind: 'run.status', body: { status: 'paused', reason, message } }]);
    return 'paused';
  } catch (error) {
    // Another process drives the run by now, or the store is gone: nothing more may or can be written.
    options.log.error('The end of a driver could not be recorded', { run, error: String(error) });
    return 'failed';
  }
}

function runtimeName(): string {
  const { electron, node } = process.versions;
  return electron === undefined ? `node ${node}` : `electron ${electron}`;
}
