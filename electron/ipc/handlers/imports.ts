import type { Author } from '@shared/annotations';
import { importResearchGym } from '../../dataset/importers/researchgym/import-researchgym';
import type { WorkbenchHolder } from '../../workbench';
import type { Handlers } from '../register';

export interface ImportHandlerOptions {
  holder: WorkbenchHolder;
  author(): Author;
  /** Asks for what to import; null = cancelled. */
  choose(what: 'file' | 'folder'): Promise<string | null>;
}

/** Logs of other systems become runs of the open workspace. */
export function importHandlers(options: ImportHandlerOptions): Pick<Handlers, 'import.start'> {
  return {
    'import.start': async ({ what, again }) => {
      const { store } = options.holder.require();
      const path = await options.choose(what);
      return path === null
        ? null
        : importResearchGym(store, options.author(), path, { title: null, task: null, again });
    },
  };
}
