import { toFailure, WaymarkError } from '@shared/errors';
import type { CommandName, CommandOutput, CommandParsed } from '@shared/ipc';
import { commands } from '@shared/ipc';
import type { IpcMainInvokeEvent } from 'electron';
import { ipcMain } from 'electron';

/** One function per command; inputs are parsed, outputs typed. Expected failures are thrown as `WaymarkError`. */
export type Handlers = { [C in CommandName]: (input: CommandParsed<C>) => Promise<CommandOutput<C>> };

export interface RegisterOptions {
  /** True when the frame that asks is our own window's main frame. */
  trusts(event: IpcMainInvokeEvent): boolean;
  /** Hears of every failure that is a bug, and of slow commands. */
  report(command: string, failure: { message: string; detail?: string | undefined }): void;
}

function isCommand(name: unknown): name is CommandName {
  return typeof name === 'string' && Object.hasOwn(commands, name);
}

/** For messages. What is no text may not even be made one. */
function calledBy(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, 80) : typeof name;
}

/** The only `ipcMain.handle`: sender check → parse → handler → `Result`. Returns the function that unregisters. */
export function registerCommands(handlers: Handlers, options: RegisterOptions): () => void {
  ipcMain.handle('command', async (event, name: unknown, input: unknown) => {
    try {
      if (!options.trusts(event)) throw new WaymarkError('refused', 'This frame may not send commands.');
      if (!isCommand(name)) throw new WaymarkError('bad_input', 'There is no such command.', calledBy(name));
      return { ok: true, value: await dispatch(handlers, name, input) };
    } catch (thrown) {
      const failure = toFailure(thrown);
      if (failure.code === 'bug') options.report(calledBy(name), failure);
      return { ok: false, error: failure.code === 'bug' ? { ...failure, detail: undefined } : failure };
    }
  });
  return () => ipcMain.removeHandler('command');
}

async function dispatch<C extends CommandName>(
  handlers: Handlers,
  name: C,
  input: unknown,
): Promise<CommandOutput<C>> {
  const parsed = commands[name].input.safeParse(input);
  if (!parsed.success) {
    const first = parsed.error.issues[0];
    throw new WaymarkError(
      'bad_input',
      `The input of ${name} is not valid at "${first?.path.join('.') ?? ''}": ${first?.message ?? 'unknown'}.`,
    );
  }
  // The table ties the parsed input to its handler; TypeScript cannot follow that through a union of names.
  const handle = handlers[name] as (input: unknown) => Promise<CommandOutput<C>>;
  return handle(parsed.data);
}
