import { WaymarkError } from '@shared/contract/errors';
import type { CommandOutput, EventPayloads, WorkspaceCommand } from '@shared/contract/ipc';
import type { WorkspaceEvent } from '@shared/contract/ipc/event-places';
import { TerminalFilter } from '@shared/terminal/terminal-filter';
import type { z } from 'zod';
import { answerSchemas } from './answers/answer-schemas';
import { eventSchemas } from './answers/events';

/**
 * What a server said, as the window may have it: of the shapes that the contract names, and terminal bytes through this
 * machine's own filter. The program there is whatever runs on that host; that it filters too counts for nothing here.
 * @throws WaymarkError unsupported that names the server, the command or event, and the place in it
 */
export function answerOf<C extends WorkspaceCommand>(
  server: string,
  command: C,
  value: unknown,
): CommandOutput<C> {
  const parsed = parse(answerSchemas[command], value, `The answer of ${server} to ${command}`);
  // The table ties each schema to its command's output; TypeScript cannot follow that through a union of names.
  return (
    command === 'sessions.read' ? filtered(parsed as { bytes: Uint8Array }) : parsed
  ) as CommandOutput<C>;
}

/** As `answerOf`. */
export function eventOf<E extends WorkspaceEvent>(
  server: string,
  name: E,
  payload: unknown,
): EventPayloads[E] {
  const parsed = parse(eventSchemas[name], payload, `The event ${name} of ${server}`);
  return (name === 'live.session' ? filtered(parsed as { bytes: Uint8Array }) : parsed) as EventPayloads[E];
}

function parse(schema: z.ZodType, value: unknown, what: string): unknown {
  const parsed = schema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [first] = parsed.error.issues;
  throw new WaymarkError(
    'unsupported',
    `${what} was not understood and is not shown. Install the same version of Waymark on both.`,
    `${first?.path.join('.') || 'the whole'}: ${first?.message ?? 'unknown'}`,
  );
}

/**
 * A server sends whole sequences and whole characters, so each page stands by itself: a sequence that is cut in two to pass is
 * dropped or becomes text.
 */
function filtered<T extends { bytes: Uint8Array }>(page: T): T {
  return { ...page, bytes: new TerminalFilter().write(page.bytes) };
}
