import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import {
  type CatalogueFile,
  catalogueFileSchema,
  catalogueKey,
  rowsOf,
  taskFromCatalogue,
} from '@shared/contract/catalogue';
import { WaymarkError } from '@shared/contract/errors';
import type { CatalogueRow } from '@shared/contract/ipc/application';

const names = ['innovatorbench', 'apollo'] as const;

/** The published tasks that "New task" can start from. */
export async function readCatalogue(resourcesDir: string): Promise<CatalogueFile[]> {
  return Promise.all(
    names.map(async (name) => {
      const text = await readFile(join(resourcesDir, 'catalogue', `${name}.json`), 'utf8');
      return catalogueFileSchema.parse(JSON.parse(text));
    }),
  );
}

export async function catalogueRows(resourcesDir: string): Promise<CatalogueRow[]> {
  return (await readCatalogue(resourcesDir)).flatMap(rowsOf);
}

/**
 * Writes a skeleton package for the row into a new folder below `parent` and returns it.
 * @throws WaymarkError `not_found` for an unknown key, `already_exists` when the folder is there
 */
export async function createFromCatalogue(
  resourcesDir: string,
  key: string,
  parent: string,
): Promise<string> {
  for (const { paper, tasks } of await readCatalogue(resourcesDir)) {
    const task = tasks.find(({ number }) => catalogueKey(paper, number) === key);
    if (!task) continue;
    const { id, files } = taskFromCatalogue(paper, task);
    const folder = join(parent, id);
    try {
      await mkdir(folder);
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      throw new WaymarkError(
        'already_exists',
        `${folder} exists already. Choose another place, or work on that package.`,
      );
    }
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return folder;
  }
  throw new WaymarkError('not_found', `The catalogue has no task "${key}".`);
}
