import { WaymarkError } from '@shared/contract/errors';
import type { ImportProgress } from '@shared/contract/ipc/imports';
import type { RunSummary } from '@shared/contract/views';
import type { Author } from '@shared/log/annotations';
import type { Store } from '../../store/api';
import type { ImportedHint, LogHead, ReadLog } from './read-log';

/** What an import writes: the head's first events, the parts, and last the run's status, with which it counts as whole. */
export interface ImportedLog extends Pick<ReadLog, 'head' | 'parts'> {
  /** Whose the hints are. */
  hintsOf: Author;
}

export interface WriteOptions {
  /** Wanted although the files are here already. */
  again: boolean;
  tell: (progress: ImportProgress) => void;
  signal?: AbortSignal;
}

/** What is imported, by its content. */
type ImportedFiles = Pick<WriteOptions, 'again'> & Pick<LogHead, 'fingerprint'>;

/**
 * Writes an imported run in small transactions, and removes what broken-off imports of the same files left; gives those runs.
 * What is refused is refused before anything is written. Until the last transaction the log holds no status, so that every
 * process knows the run for unfinished; the lock says whether somebody still writes. A failed import is taken back.
 * @throws WaymarkError `already_exists` when these files are here whole and not wanted `again`, are being imported right now, or
 * when somebody has labelled what was left of them; `disk_full` and others of the store, saying what is left of the import
 */
export async function writeImport(
  store: Store,
  author: Author,
  { head, parts, hintsOf }: ImportedLog,
  { again, tell, signal }: WriteOptions,
): Promise<string[]> {
  const { run } = head;
  const files = { fingerprint: head.fingerprint, again };
  const found = await lookAround(store, files);
  signal?.throwIfAborted();
  const lock = store.lockRun(run, true);
  if (lock === null)
    throw new WaymarkError('run_driven_elsewhere', `Run ${run} is being driven by another process.`);
  let replaced: string[];
  let begun = false;
  try {
    const broken = await begin(store, lock.epoch, head, files, found);
    begun = true;
    replaced = await removeBroken(store, author, broken);
    let stored = 0;
    for await (const part of parts) {
      signal?.throwIfAborted();
      if ('hints' in part) await postHints(store, run, hintsOf, part.hints);
      else {
        await store.writer.append(run, lock.epoch, part.events);
        stored += part.events.length;
        tell({ stage: 'storing', events: stored, of: head.events });
      }
    }
    if (stored !== head.events)
      throw new WaymarkError('bug', `Of ${head.events} events of an import ${stored} came.`);
    signal?.throwIfAborted();
    await store.writer.append(run, lock.epoch, [head.last]);
  } catch (thrown) {
    // The removal takes the lock itself.
    lock.release();
    if (!begun && isRefusal(thrown)) throw thrown;
    throw toldWhatIsLeft(thrown, run, await takeBack(store, author, run));
  }
  lock.release();
  return replaced;
}

async function postHints(
  store: Store,
  run: string,
  by: Author,
  hints: readonly ImportedHint[],
): Promise<void> {
  for (const { id, text } of hints) {
    await store.writer.post(run, by, { op: 'hint.queued', hint: id, text, category: 'other' });
  }
}

/** What an import finds before it begins. */
interface Found {
  /** Runs that broken-off imports of the same files left. */
  broken: string[];
  /** The run that was begun last; null: there is none. */
  newest: string | null;
}

/**
 * Of two imports that begin at one moment both have found nothing. The store puts them in an order: whoever comes second looks
 * again before it has written anything. Gives what broken-off ones left. @throws WaymarkError already_exists
 */
async function begin(
  store: Store,
  epoch: number,
  { run, first }: LogHead,
  files: ImportedFiles,
  found: Found,
): Promise<string[]> {
  for (let { broken, newest } = found; ; { broken, newest } = await lookAround(store, files)) {
    try {
      await store.writer.append(run, epoch, first, newest);
      return broken;
    } catch (thrown) {
      if (!(thrown instanceof WaymarkError && thrown.code === 'conflict')) throw thrown;
    }
  }
}

function isRefusal(thrown: unknown): boolean {
  return thrown instanceof WaymarkError && thrown.code === 'already_exists';
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
      ? 'The import was not finished, and nothing was kept.'
      : `The import was not finished. The part already written stays as run ${run}, marked as unfinished, and exports leave it out. Import the same files again to replace it, or remove it with "run remove".`;
  const detail = [thrown.detail, kept?.message].filter((each) => each !== undefined).join('\n');
  return new WaymarkError(thrown.code, `${thrown.message} ${left}`, detail || undefined, { cause: thrown });
}

/** Only reads. @throws WaymarkError already_exists */
async function lookAround(store: Store, files: ImportedFiles): Promise<Found> {
  const newestFirst = await store.reader.runs();
  const broken: string[] = [];
  for (const same of await sameFiles(store, newestFirst, files)) {
    if (same.state === 'import_broken') broken.push(same.id);
    else refuseSame(same, files);
  }
  for (const run of broken) await refuseLabelled(store, run);
  return { broken, newest: newestFirst[0]?.id ?? null };
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

async function refuseLabelled(store: Store, run: string): Promise<void> {
  const { entries } = await store.reader.annotationPage(run, 0);
  if (entries.length > 0) {
    throw new WaymarkError(
      'already_exists',
      `An earlier import of these files was interrupted, and the part it left (run ${run}) has been labelled. Remove it and its labels with "run remove ${run}", then import again.`,
    );
  }
}

/** Gives those that were removed here: whoever broke one off may be taking it back at this moment. */
async function removeBroken(store: Store, author: Author, broken: readonly string[]): Promise<string[]> {
  const removed: string[] = [];
  for (const run of broken) {
    try {
      await store.writer.remove(run, 'run', author);
      removed.push(run);
    } catch (thrown) {
      const isGoing = thrown instanceof WaymarkError && ['not_found', 'refused'].includes(thrown.code);
      if (!isGoing) throw thrown;
    }
  }
  return removed;
}
