import type { CommandName, CommandOutput, CommandParsed } from '@shared/ipc';
import type { IpcMainInvokeEvent } from 'electron';
import { ipcMain } from 'electron';
import { answerCommand, type ReportBug } from './dispatch';

/** One function per command; inputs are parsed, outputs typed. Expected failures are thrown as `WaymarkError`. */
export type Handlers = { [C in CommandName]: (input: CommandParsed<C>) => Promise<CommandOutput<C>> };

export interface RegisterOptions {
  /** True when the frame that asks is our own window's main frame. */
  trusts(event: IpcMainInvokeEvent): boolean;
  report: ReportBug;
}

/** The only `ipcMain.handle`: sender check → parse → handler → `Result`. Returns the function that unregisters. */
export function registerCommands(handlers: Handlers, options: RegisterOptions): () => void {
  ipcMain.handle('command', async (event, name: unknown, input: unknown) =>
    options.trusts(event)
      ? answerCommand(handlers, name, input, options.report)
      : { ok: false, error: { code: 'refused', message: 'This frame may not send commands.' } },
  );
  return () => ipcMain.removeHandler('command');
}
