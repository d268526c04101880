import { WaymarkError } from '@shared/contract/errors';
import { type DatasetReader, eventPages } from './event-pages';
import type { ExportPlan } from './plan';

/**
 * Reads of a run. When it was removed meanwhile, that is said instead of what the reader makes of a log that is gone.
 * @throws WaymarkError `conflict`
 */
export async function whileThere<T>(
  reader: Pick<DatasetReader, 'run'>,
  run: string,
  read: () => Promise<T>,
): Promise<T> {
  try {
    return await read();
  } catch (error) {
    const isGone = error instanceof WaymarkError && ['workspace_corrupt', 'not_found'].includes(error.code);
    if (isGone) await refuseRemoved(reader, run);
    throw error;
  }
}

async function refuseRemoved(reader: Pick<DatasetReader, 'run'>, run: string): Promise<void> {
  try {
    await reader.run(run);
  } catch (error) {
    if (!(error instanceof WaymarkError) || error.code !== 'not_found') throw error;
    throw new WaymarkError(
      'conflict',
      `Run ${run} was removed while the dataset was made; nothing was written. Export again without it.`,
    );
  }
}

/**
 * Looks at what was added to each run since the plan was made. More steps do no harm, the plan says where it ends; but texts that
 * were removed stand emptied in what was read, or in full in rows that were written before.
 *
 * @throws WaymarkError `conflict` when a run of the plan was removed, or texts of its rows were purged
 */
export async function refuseChanged(
  reader: DatasetReader,
  runs: ExportPlan['runs'],
  signal?: AbortSignal,
): Promise<void> {
  for (const { created, seq } of runs) {
    await whileThere(reader, created.run, async () => {
      if (!(await isPurgedSince(reader, created.run, seq, signal))) return;
      throw new WaymarkError(
        'conflict',
        `Texts of run ${created.run} were purged while the dataset was made; nothing was written. Export again: rows that rest on them are left out.`,
      );
    });
  }
}

/** Whether texts of a run were purged behind its event `seq`. @throws WaymarkError not_found, workspace_corrupt, cancelled */
export async function isPurgedSince(
  reader: Pick<DatasetReader, 'run' | 'events'>,
  run: string,
  seq: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const head = await reader.run(run);
  for await (const page of eventPages(reader, run, { from: seq + 1, to: head.seq, signal }))
    if (page.some(({ kind }) => kind === 'text.purged')) return true;
  return false;
}
