import type { Author } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import type { DatedEvent } from '@shared/events';
import type { Store } from '../../store/api';

/** Events per transaction. */
const BATCH = 100;

/** What an import writes, in this order. The last event must be the run's status: with it the run counts as whole. */
export interface ImportedLog {
  run: string;
  /** `run.created` and `run.imported`. */
  first: DatedEvent[];
  hints: { id: string; text: string; author: Author }[];
  events: readonly DatedEvent[];
  last: DatedEvent;
}

/**
 * Writes an imported run in small transactions. Until the last of them its log holds no status, so that every process knows it
 * for unfinished; the lock says whether somebody still writes. A failed import is taken back.
 * @throws WaymarkError `disk_full` and others of the store, saying what is left of the import
 */
export async function writeImport(
  store: Store,
  author: Author,
  { run, first, hints, events, last }: ImportedLog,
  signal?: AbortSignal,
): Promise<void> {
  const lock = store.lockRun(run, true);
  if (lock === null)
    throw new WaymarkError('run_driven_elsewhere', `Run ${run} is being driven by another process.`);
  try {
    await store.writer.append(run, lock.epoch, first);
    for (const { id, text, author: by } of hints) {
      await store.writer.post(run, by, { op: 'hint.queued', hint: id, text, category: 'other' });
    }
    for (let from = 0; from < events.length; from += BATCH) {
      signal?.throwIfAborted();
      await store.writer.append(run, lock.epoch, events.slice(from, from + BATCH));
    }
    await store.writer.append(run, lock.epoch, [last]);
  } catch (thrown) {
    // The removal takes the lock itself.
    lock.release();
    throw toldWhatIsLeft(thrown, run, await takeBack(store, author, run));
  }
  lock.release();
}

/** Null: nothing is left. Else why the part that was written could not be removed. */
async function takeBack(store: Store, author: Author, run: string): Promise<WaymarkError | null> {
  try {
    await store.writer.remove(run, 'run', author);
    return null;
  } catch (thrown) {
    if (!(thrown instanceof WaymarkError)) throw thrown;
    return thrown.code === 'not_found' ? null : thrown;
  }
}

function toldWhatIsLeft(thrown: unknown, run: string, kept: WaymarkError | null): unknown {
  if (!(thrown instanceof WaymarkError)) return thrown;
  const left =
    kept === null
      ? 'The import was not finished, and nothing of it was kept.'
      : `The import was not finished. What was written of it stays as run ${run}, which is marked so, and no export takes it. Import the same files again to replace it, or remove it with "run remove".`;
  const detail = [thrown.detail, kept?.message].filter((each) => each !== undefined).join('\n');
  return new WaymarkError(thrown.code, `${thrown.message} ${left}`, detail || undefined, { cause: thrown });
}

/**
 * Makes way for an import: what a broken-off one of the same files left is removed. Gives the runs that were.
 * @throws WaymarkError `already_exists` when these files are here whole and not wanted `again`, are being imported right now, or
 * when somebody has labelled what was left
 */
export async function makeWay(
  store: Store,
  author: Author,
  { fingerprint, again }: { fingerprint: string; again: boolean },
): Promise<string[]> {
  const broken: string[] = [];
  for (const { id, title, state } of await store.reader.runs()) {
    const [created] = await store.reader.events(id, 1, 1);
    if (created?.kind !== 'run.created' || created.body.spec.importedFrom !== fingerprint) continue;
    if (state === 'import_broken') broken.push(id);
    else if (state === 'importing') {
      throw new WaymarkError(
        'already_exists',
        `These files are being imported right now by another process, as "${title}" (run ${id}). Wait until it is done.`,
      );
    } else if (!again) {
      throw new WaymarkError(
        'already_exists',
        `These files were imported before, as "${title}" (run ${id}). Open that run, or import them again with --again.`,
      );
    }
  }
  for (const run of broken) await removeBroken(store, author, run);
  return broken;
}

async function removeBroken(store: Store, author: Author, run: string): Promise<void> {
  const { entries } = await store.reader.annotationPage(run, 0);
  if (entries.length > 0) {
    throw new WaymarkError(
      'already_exists',
      `An import of these files was broken off, and what it left (run ${run}) has been labelled. Remove it with "run remove ${run}", which takes its labels with it, then import again.`,
    );
  }
  await store.writer.remove(run, 'run', author);
}
