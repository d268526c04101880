import type { ImportProgress, ImportResult } from '@shared/contract/ipc/imports';
import type { Author } from '@shared/log/annotations';
import type { Store } from '../../../store/api';
import type { LogReader } from '../read-log';
import { writeImport } from '../write-import';
import { readGymRun } from './read-run';

const gymUser: Author = { uuid: 'import:researchgym', name: 'real user' };

export interface ImportOptions {
  title: string | null;
  /** Id of the task the run belongs to; null = the import's own. */
  task: string | null;
  /** Import what was imported before once more. */
  again: boolean;
  /** Where the files are read and taken apart; window and command line give `readApart`, a thread. Absent: in this one. */
  read?: LogReader;
  tell?: (progress: ImportProgress) => void;
  /** Breaks it off; what was written is taken back. */
  signal?: AbortSignal;
}

/**
 * Takes a ResearchGym node, tree or checkpoint folder into the workspace as a run (`readGymRun`). Whoever looks meanwhile sees a
 * run that is being imported; see `writeImport` for what a failed import leaves.
 * @throws WaymarkError not_found, bad_input, already_exists, disk_full; what `signal` was aborted with
 */
export async function importResearchGym(
  store: Store,
  author: Author,
  path: string,
  { title, task, again, read = readGymRun, tell = () => undefined, signal }: ImportOptions,
): Promise<ImportResult> {
  const log = await read(path, { title, task }, tell, signal);
  try {
    const options = { again, tell, ...(signal === undefined ? {} : { signal }) };
    const replaced = await writeImport(store, author, { ...log, hintsOf: gymUser }, options);
    const { run, steps, segments, hints, left } = log.head;
    return { run, title: log.head.title, steps, segments, hints, left, replaced };
  } finally {
    await log.close();
  }
}
