import type { NewEvent } from '@shared/log/events';
import type { Loop } from './loop-types';
import type { ModelFailure } from './ports';

/** After so many tries in a row that reached nobody, the run says that it waits, and its working time stands still. */
const SAID_AFTER = 3;

/**
 * A model that cannot be reached: the network is away for an hour or a night, the server restarts. The run waits for it as
 * for a computer (semantics, Time: waiting does not count) and goes on by itself.
 */
export class ModelOutage {
  private since: number | null = null;
  private unreached = 0;

  constructor(private readonly loop: Loop) {}

  /** Whether it is worth another try after `failures` failures in all; `failure` is the latest. */
  async goesOn(failure: ModelFailure, failures: number): Promise<boolean> {
    const { ports, options } = this.loop;
    if (!failure.retryable) {
      return false;
    }
    const away = failure.code === 'model_unreachable';
    this.unreached = away ? this.unreached + 1 : 0;
    this.since = away ? (this.since ?? ports.clock.monotonic()) : null;
    const waited = this.since === null ? 0 : ports.clock.monotonic() - this.since;
    const again = failures < options.retry.attempts || (away && waited < options.retry.patienceMs);
    if (again && this.unreached >= SAID_AFTER && this.loop.state.run.status === 'running') {
      await this.say('waiting_host', failure.code, failure.message);
    }
    return again;
  }

  /** The model has answered. */
  async over(): Promise<void> {
    if (this.loop.state.run.status === 'waiting_host') {
      await this.say('running', null, 'The model can be reached again.');
    }
  }

  private say(status: 'waiting_host' | 'running', reason: string | null, message: string): Promise<void> {
    const event: NewEvent = { kind: 'run.status', body: { status, reason, message } };
    return this.loop.ports.recorder.record([event]);
  }
}
