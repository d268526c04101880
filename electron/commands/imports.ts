import { WaymarkError } from '@shared/contract/errors';
import type { ImportProgress, importCommands } from '@shared/contract/ipc/imports';
import type { Author } from '@shared/log/annotations';
import type { LogReader } from '../dataset/importers/read-log';
import { importResearchGym } from '../dataset/importers/researchgym/import-researchgym';
import type { Publisher } from '../ipc/publish';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

export interface ImportHandlerOptions {
  holder: WorkbenchHolder;
  author(): Author;
  publisher: Pick<Publisher, 'publish'>;
  /** Reads and takes apart, in a thread: this one answers the window. */
  read: LogReader;
  /** Asks for what to import; null = cancelled. */
  choose(what: 'file' | 'folder'): Promise<string | null>;
}

/** Logs of other systems become runs of the open workspace. One at a time. */
export function importHandlers(options: ImportHandlerOptions): HandlersOf<typeof importCommands> {
  let current: AbortController | null = null;
  return {
    'import.start': async ({ what, again }) => {
      const { store } = options.holder.require();
      const path = await options.choose(what);
      if (path === null) return null;
      if (current !== null)
        throw new WaymarkError(
          'refused',
          'An import is already running in this window. Wait until it is done.',
        );
      const controller = new AbortController();
      current = controller;
      try {
        return await importResearchGym(store, options.author(), path, {
          title: null,
          task: null,
          again,
          read: options.read,
          signal: controller.signal,
          tell: calm((progress) => options.publisher.publish('import.progress', progress)),
        });
      } finally {
        current = null;
      }
    },
    'import.cancel': async () => current?.abort(new WaymarkError('cancelled', 'The import was cancelled.')),
  };
}

/** Passes on what a person would see the difference of: while it stores, each of a hundred parts. */
function calm(tell: (progress: ImportProgress) => void): (progress: ImportProgress) => void {
  let last = -1;
  return (progress) => {
    if (progress.stage === 'storing') {
      const part = Math.floor((100 * progress.events) / progress.of);
      if (part === last) return;
      last = part;
    }
    tell(progress);
  };
}
