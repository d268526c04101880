import { WaymarkError } from '@shared/contract/errors';
import type { RunSummary } from '@shared/contract/views';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { RunEvent } from '@shared/log/events';
import type { StoreReader } from '../store/api';

type DatasetRun = Pick<RunSummary, 'id' | 'seq' | 'state' | 'segments'>;

/** What a dataset is made from: a part of the store's reader. */
export interface DatasetReader extends Pick<StoreReader, 'events' | 'annotationPage' | 'ruleSettings'> {
  runs(): Promise<DatasetRun[]>;
  run(run: string): Promise<DatasetRun>;
}

/** The reader cuts pages at 2,000 events or about 8 MB, whichever comes first. */
const pageEvents = 2_000;

/**
 * Events `[from, to]` of a run in order, page by page; never more than one page is held.
 * @throws WaymarkError `cancelled`; `workspace_corrupt` when the log has a gap.
 */
export async function* eventPages(
  reader: Pick<DatasetReader, 'events'>,
  run: string,
  { from, to, signal }: { from: number; to: number; signal?: AbortSignal | undefined },
): AsyncGenerator<RunEvent[]> {
  let next = from;
  while (next <= to) {
    if (signal?.aborted)
      throw new WaymarkError('cancelled', 'The export was cancelled; nothing was written.');
    const page = await reader.events(run, next, Math.min(pageEvents, to - next + 1));
    const last = page.at(-1);
    const gap = page.findIndex(({ seq }, index) => seq !== next + index);
    if (!last || gap >= 0) {
      throw new WaymarkError(
        'workspace_corrupt',
        `Event ${next + Math.max(0, gap)} of run ${run} is missing. Run "verify" to see what is damaged.`,
      );
    }
    yield page;
    next = last.seq + 1;
  }
}

/** Every annotation entry about a run, in the order they were stored. */
export async function allAnnotations(
  reader: Pick<DatasetReader, 'annotationPage'>,
  run: string,
): Promise<AnnotationEntry[]> {
  const entries: AnnotationEntry[] = [];
  for (let after: number | null = 0; after !== null; ) {
    const page: { entries: AnnotationEntry[]; last: number | null } = await reader.annotationPage(run, after);
    for (const entry of page.entries) entries.push(entry);
    after = page.last;
  }
  return entries;
}
