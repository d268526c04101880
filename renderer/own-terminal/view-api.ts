import type {
  OwnTerminalBridge,
  OwnTerminalCommand,
  OwnTerminalEvents,
  OwnTerminalInput,
  OwnTerminalOutput,
} from '@shared/contract/ipc/own-terminal';
import { CallError } from '../api';

declare global {
  interface Window {
    readonly waymarkOwnTerminal: OwnTerminalBridge;
  }
}

type CallArguments<C extends OwnTerminalCommand> =
  OwnTerminalInput<C> extends undefined ? [] : [input: OwnTerminalInput<C>];

/** As `call` of `api.ts`, with the commands of the view of own terminals. @throws CallError */
export async function callView<C extends OwnTerminalCommand>(
  command: C,
  ...input: CallArguments<C>
): Promise<OwnTerminalOutput<C>> {
  const reply = await window.waymarkOwnTerminal.invoke(command, input[0]);
  if (!reply.ok) throw new CallError(command, reply.error);
  return reply.value as OwnTerminalOutput<C>;
}

/** Listens to one event of the view; the returned function ends it. */
export function listenView<E extends keyof OwnTerminalEvents>(
  event: E,
  listener: (payload: OwnTerminalEvents[E]) => void,
): () => void {
  return window.waymarkOwnTerminal.on(event, (payload) => listener(payload as OwnTerminalEvents[E]));
}
