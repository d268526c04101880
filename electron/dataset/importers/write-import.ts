import type { Author } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import type { DatedEvent } from '@shared/events';
import type { RunSummary } from '@shared/views';
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

/** What is imported, by its content. */
export interface ImportedFiles {
  fingerprint: string;
  /** Wanted although they are here already. */
  again: boolean;
}

/**
 * Writes an imported run in small transactions. Until the last of them its log holds no status, so that every process knows it
 * for unfinished; the lock says whether somebody still writes. A failed import is taken back.
 * @throws WaymarkError `already_exists` when another process began with the same files just before; `disk_full` and others of the
 * store, saying what is left of the import
 */
export async function writeImport(
  store: Store,
  author: Author,
  { run, first, hints, events, last }: ImportedLog,
  files: ImportedFiles,
  signal?: AbortSignal,
): Promise<void> {
  const lock = store.lockRun(run, true);
  if (lock === null)
    throw new WaymarkError('run_driven_elsewhere', `Run ${run} is being driven by another process.`);
  try {
    await store.writer.append(run, lock.epoch, first);
    await refuseSecond(store, run, files);
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
export async function makeWay(store: Store, author: Author, files: ImportedFiles): Promise<string[]> {
  const broken: string[] = [];
  for (const same of await sameFiles(store, await store.reader.runs(), files)) {
    if (same.state === 'import_broken') broken.push(same.id);
    else refuseSame(same, files);
  }
  for (const run of broken) await removeBroken(store, author, run);
  return broken;
}

/**
 * Two imports that began at one moment have both found nothing. The store puts them in an order, and only the one that came
 * second sees the other. @throws WaymarkError already_exists
 */
async function refuseSecond(store: Store, run: string, files: ImportedFiles): Promise<void> {
  const newestFirst = await store.reader.runs();
  const before = newestFirst.slice(newestFirst.findIndex(({ id }) => id === run) + 1);
  for (const same of await sameFiles(store, before, files)) {
    if (same.state !== 'import_broken') refuseSame(same, files);
  }
}

async function sameFiles(
  store: Store,
  runs: readonly RunSummary[],
  { fingerprint }: ImportedFiles,
): Promise<RunSummary[]> {
  const same: RunSummary[] = [];
  for (const run of runs) {
    const [created] = await store.reader.events(run.id, 1, 1);
    if (created?.kind === 'run.created' && created.body.spec.importedFrom === fingerprint) same.push(run);
  }
  return same;
}

function refuseSame({ id, title, state }: RunSummary, { again }: ImportedFiles): void {
  if (state === 'importing') {
    throw new WaymarkError(
      'already_exists',
      `These files are being imported right now by another process, as "${title}" (run ${id}). Wait until it is done.`,
    );
  }
  if (!again) {
    throw new WaymarkError(
      'already_exists',
      `These files were imported before, as "${title}" (run ${id}). Open that run, or import them again with --again.`,
    );
  }
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
