import { writeFile } from 'node:fs/promises';
import { WaymarkError } from '@shared/errors';
import type { Handlers } from '../register';

export interface PlotHandlerOptions {
  /** Asks where to; null = cancelled. */
  chooseFile(name: string): Promise<string | null>;
}

/** A plot as a file, where the person says. */
export function plotHandlers({ chooseFile }: PlotHandlerOptions): Pick<Handlers, 'plots.save'> {
  return {
    'plots.save': async ({ name, format, content }) => {
      const path = await chooseFile(`${name.replace(/[^\p{L}\p{N} ._-]+/gu, '-')}.${format}`);
      if (path === null) return null;
      try {
        await writeFile(path, format === 'png' ? Buffer.from(content, 'base64') : content);
      } catch (thrown) {
        const { code = '', message } = thrown as NodeJS.ErrnoException;
        throw new WaymarkError(
          code === 'ENOSPC' ? 'disk_full' : 'bad_input',
          `${path} could not be written: ${message}. Choose another place.`,
        );
      }
      return { path };
    },
  };
}
