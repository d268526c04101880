import { rm } from 'node:fs/promises';
import type { Author } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import type { Store } from '../store/api';
import type { Engine } from './engine';
import { runFolder } from './run-folder';

/**
 * Removes a run, or only its texts, under a tombstone (semantics, Three append-only logs), and what lies beside the
 * log: its sessions with all they printed, and for `run` the agent's files and evaluations as well.
 * @throws WaymarkError `not_found`; `refused` while the run is driven, or when files beside the log could not be deleted
 */
export async function removeRun(
  { store, engine }: { store: Store; engine: Pick<Engine, 'cleanSessions'> },
  run: string,
  mode: 'run' | 'text',
  author: Author,
): Promise<void> {
  if (store.isDriven(run)) {
    throw new WaymarkError('refused', `Run ${run} is being driven. Stop it before you remove it.`);
  }
  await store.writer.remove(run, mode, author);
  const { folders } = await engine.cleanSessions({ has: (each) => each !== run });
  for (const folder of mode === 'run' ? [...folders, runFolder(store.folder, run)] : folders) {
    try {
      await rm(folder, { recursive: true, force: true });
    } catch (error) {
      throw new WaymarkError(
        'refused',
        `Run ${run} was removed from the log, but its folder ${folder} could not be deleted. Delete it by hand.`,
        error instanceof Error ? error.message : String(error),
      );
    }
  }
}
