import { WaymarkError } from '@shared/contract/errors';
import type { ConnectFailureReason, ConnectStage } from '../transport';

const passing: ReadonlySet<ConnectFailureReason> = new Set(['resolve', 'tcp', 'timeout', 'lost']);

/** No connection came about. The message names the host, the stage and what to do next. */
export class ConnectFailure extends WaymarkError {
  constructor(
    readonly reason: ConnectFailureReason,
    readonly stage: ConnectStage,
    message: string,
    detail?: string,
    options?: { cause?: unknown },
  ) {
    super('computer_unavailable', message, detail, options);
    this.name = 'ConnectFailure';
  }

  /** Trying again by itself makes sense; otherwise a person has to do something first. */
  get passing(): boolean {
    return passing.has(this.reason);
  }
}
