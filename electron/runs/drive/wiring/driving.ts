import type { TaskSpec } from '@shared/contract/task';
import type { EventBody } from '@shared/log/events';
import type { ActionFactsFold } from '../../../actions/action-facts';
import type { BackDeps } from '../../../agent/until-back';
import type { Computer } from '../../../computer/port';
import type { EngineOptions } from '../../engine-options';
import type { OutboxFollower } from '../../steer/outbox-follower';
import type { RunControl } from '../control';
import type { LiveEmitter } from '../live';
import type { LoadedRun } from '../load-run';
import type { Recorder } from '../recorder';

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

/** What a driver works with once the computers of the run are connected. */
export interface Driving extends Parts {
  control: RunControl;
  spec: TaskSpec;
  /** The pinned copy of the task's package. */
  packageFolder: string;
  /** Every computer of the run, evaluators included, and those that actions may name. */
  all: ReadonlyMap<string, Computer>;
  computers: ReadonlyMap<string, Computer>;
  back: BackDeps;
  /** Aborts when the run is no longer driven here. */
  stopped: AbortSignal;
  /** Writes down what went wrong beside the run, which goes on. */
  failed(what: string, more?: Record<string, unknown>): (error: unknown) => void;
}

/** The model as it was chosen last. */
export function modelOf({ loaded: { state, created } }: Parts): EventBody<'run.created'>['model'] {
  return state.run.model ?? created.model;
}
