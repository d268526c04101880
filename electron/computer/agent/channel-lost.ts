/** The channel ended while something was asked for. Internal: ports turn it into `ComputerUnavailable`. */
export class ChannelLost extends Error {
  /** What is known of the cause, one sentence without the host's name. */
  readonly reason: string;

  constructor(reason: string, options?: { cause?: unknown }) {
    super(`The channel to the host's helper ended: ${reason}`, options);
    this.name = 'ChannelLost';
    this.reason = reason;
  }
}

/** The helper answered, and the answer is no; ports turn it into a `FileError` or `SessionError`. */
export class AgentRefusal extends Error {
  /** One of the error codes of `docs/host-agent.md`. */
  readonly code: string;
  readonly extra: readonly string[];

  constructor(code: string, message: string, extra: readonly string[] = []) {
    super(message);
    this.name = 'AgentRefusal';
    this.code = code;
    this.extra = extra;
  }
}
