import type { Failure } from '@shared/contract/errors';
import type {
  Bridge,
  CommandInput,
  CommandName,
  CommandOutput,
  EventName,
  EventPayloads,
} from '@shared/contract/ipc';

declare global {
  interface Window {
    readonly waymark: Bridge;
  }
}

/** An expected failure of a command; `failure` is what the main process said, ready to be shown. */
export class CallError extends Error {
  readonly command: string;
  readonly failure: Failure;

  constructor(command: string, failure: Failure) {
    super(failure.message);
    this.name = 'CallError';
    this.command = command;
    this.failure = failure;
  }
}

type CallArguments<C extends CommandName> = CommandInput<C> extends undefined ? [] : [input: CommandInput<C>];

/**
 * Sends one command of the contract to the main process and gives back its value.
 * @throws CallError with the failure's code, message and detail when the command was refused.
 */
export async function call<C extends CommandName>(
  command: C,
  ...input: CallArguments<C>
): Promise<CommandOutput<C>> {
  const reply = await window.waymark.invoke(command, input[0]);
  if (!reply.ok) throw new CallError(command, reply.error);
  return ('text' in reply ? JSON.parse(reply.text) : reply.value) as CommandOutput<C>;
}

/** False when the page was opened outside the application. */
export function hasBridge(): boolean {
  return 'waymark' in window;
}

/** Listens to one event of the contract; the returned function ends it. */
export function listen<E extends EventName>(
  event: E,
  listener: (payload: EventPayloads[E]) => void,
): () => void {
  return window.waymark.on(event, (payload) => listener(payload as EventPayloads[E]));
}

/** Anything thrown, as a failure that can be shown. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof CallError) return thrown.failure;
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  return { code: 'bug', message: error.message, detail: error.stack };
}
