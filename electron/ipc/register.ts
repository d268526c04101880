import type { Reply } from '@shared/contract/ipc';
import type { IpcMainEvent, IpcMainInvokeEvent } from 'electron';
import { ipcMain } from 'electron';

export type Asking = IpcMainInvokeEvent | IpcMainEvent;

/** What answers the window, once it is there. */
export interface Answering {
  /** True when the frame that asks is the main frame of the page that this answers. */
  trusts(event: Asking): boolean;
  /** Parses and answers; never throws. */
  answer(name: unknown, input: unknown): Promise<Reply>;
  /** The page tried what its content policy forbids. */
  violated(report: unknown): void;
}

/**
 * The only place that hears of a page: sender check → parse → handler → `Result`. The window is opened before what answers it is
 * loaded, so its first questions wait. `page` is the beginning of the channels of a page that is
 * not the window's own. Returns the function that unregisters.
 */
export function registerCommands(answering: Promise<Answering>, page?: string): () => void {
  const [command, violation] =
    page === undefined ? ['command', 'violation'] : [`${page}:command`, `${page}:violation`];
  ipcMain.handle(command, async (event, name: unknown, input: unknown) => {
    const window = await answering;
    return window.trusts(event)
      ? window.answer(name, input)
      : { ok: false, error: { code: 'refused', message: 'This frame may not send commands here.' } };
  });
  const violated = async (event: IpcMainEvent, report: unknown) => {
    const window = await answering;
    if (window.trusts(event)) window.violated(report);
  };
  ipcMain.on(violation, violated);
  return () => {
    ipcMain.removeHandler(command);
    ipcMain.off(violation, violated);
  };
}
