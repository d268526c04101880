import type { mergeCommands } from '@shared/contract/ipc/merge';
import type { WorkbenchHolder } from '../workbench';
import type { HandlersOf } from './dispatch';

type MergeHandlers = HandlersOf<typeof mergeCommands>;

export interface MergeHandlerOptions {
  holder: WorkbenchHolder;
  /** Asks for what is to be taken over; null = cancelled. */
  chooseSource(from: 'folder' | 'file'): Promise<string | null>;
  /** Asks where the log is written to; null = cancelled. */
  chooseFile(): Promise<string | null>;
}

/** Annotation logs come together, and go out. */
export function mergeHandlers({ holder, chooseSource, chooseFile }: MergeHandlerOptions): MergeHandlers {
  return {
    'annotations.merge': async ({ from }) => {
      const { writer } = holder.require().store;
      const path = await chooseSource(from);
      return path === null ? null : writer.merge(path);
    },
    'annotations.export': async () => {
      const { reader } = holder.require().store;
      const file = await chooseFile();
      return file === null ? null : { file, entries: await reader.exportAnnotations(file) };
    },
  };
}
