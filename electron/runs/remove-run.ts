import { WaymarkError } from '@shared/contract/errors';
import type { RunState } from '@shared/contract/views';
import type { Author } from '@shared/log/annotations';
import { hasEnded } from '@shared/runs/run-status';
import { removeAt } from '../files/remove';
import { runFolder } from '../files/workspace-paths';
import type { Store } from '../store/api';
import type { Engine } from './engine';
import { hostsOf } from './sessions/clean-sessions';

/**
 * Removes a run, or only its texts, under a tombstone (semantics, Three append-only logs), and what lies beside the
 * log: its sessions with all they printed, and for `run` the agent's files, evaluations and checkpoints as well.
 * @throws WaymarkError `not_found`; `refused` while the run is driven, when its texts are to go and it has not ended, or when
 * files beside the log could not be deleted;
 * `computer_unavailable` when a host could not be reached (everything here is gone then)
 */
export async function removeRun(
  { store, engine }: { store: Store; engine: Pick<Engine, 'cleanSessions' | 'checkpoints' | 'untilLetGo'> },
  run: string,
  mode: 'run' | 'text',
  author: Author,
): Promise<void> {
  await engine.untilLetGo(run);
  if (store.isDriven(run)) {
    throw new WaymarkError(
      'refused',
      `Run ${run} is being driven. Stop it before you ${mode === 'run' ? 'remove it' : 'purge its texts'}.`,
    );
  }
  const hosts = await hostsOf(store.reader, run);
  const { parent, state } = await store.reader.run(run);
  if (mode === 'text' && isUnfinished(state)) {
    throw new WaymarkError(
      'refused',
      `Run ${run} has not ended, and without its texts it could never be resumed. Stop it first ("run stop"), or remove it altogether ("run remove").`,
    );
  }
  await store.writer.remove(run, mode, author);
  const { folders, notReached } = await engine.cleanSessions(
    { has: (each) => each !== run },
    hosts.map((each) => (mode === 'run' ? each : { ...each, folder: null })),
  );
  for (const folder of mode === 'run' ? [...folders, runFolder(store.folder, run)] : folders) {
    try {
      await removeAt(folder, { kind: 'folder' });
    } catch (error) {
      throw new WaymarkError(
        'refused',
        `Run ${run} was removed from the log, but its folder ${folder} could not be deleted. Delete it by hand.`,
        error instanceof Error ? error.message : String(error),
      );
    }
  }
  if (mode === 'run') {
    const away = new Set(notReached.map(({ computer }) => computer));
    const reached = hosts.filter(({ place }) => !away.has(place.name));
    await engine.checkpoints.remove(run, parent?.run ?? null, reached);
  }
  if (notReached.length > 0) {
    const where = notReached.map(({ computer, host }) =>
      computer === host ? host : `${computer} (${host})`,
    );
    throw new WaymarkError(
      'computer_unavailable',
      `Run ${run} was removed here, but ${where.join(' and ')} could not be reached: its sessions and files are still there. Delete them by hand on the host.`,
      notReached.map(({ message }) => message).join('\n'),
    );
  }
}

/** Somebody may still take it up. A broken import is over in its own way. */
function isUnfinished(state: RunState): boolean {
  return !hasEnded(state) && state !== 'importing' && state !== 'import_broken';
}
