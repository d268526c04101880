import type { plotCommands } from '@shared/contract/ipc/plots';
import { writeOutput } from '../files/output-file';
import type { HandlersOf } from './handlers';

export interface PlotHandlerOptions {
  /** Asks where to; null = cancelled. */
  chooseFile(name: string): Promise<string | null>;
}

/** A plot as a file, where the person says. */
export function plotHandlers({ chooseFile }: PlotHandlerOptions): HandlersOf<typeof plotCommands> {
  return {
    'plots.save': async ({ name, format, content }) => {
      const path = await chooseFile(`${name.replace(/[^\p{L}\p{N} ._-]+/gu, '-')}.${format}`);
      if (path === null) return null;
      await writeOutput(path, format === 'png' ? Buffer.from(content, 'base64') : content);
      return { path };
    },
  };
}
