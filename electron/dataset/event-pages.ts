import { WaymarkError } from '@shared/contract/errors';
import type { RunSummary } from '@shared/contract/views';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { EventKind, RunEvent } from '@shared/log/events';
import type { StoreReader } from '../store/api';
import type { RuleMarks } from '../store/queries/rule-marks';
import type { SomeEvent } from '../store/queries/some-events';

type DatasetRun = Pick<RunSummary, 'id' | 'seq' | 'state' | 'segments'>;

/** What a dataset is made from: a part of the store's reader. */
export interface DatasetReader extends Pick<StoreReader, 'events' | 'annotationPage' | 'ruleSettings'> {
  runs(): Promise<DatasetRun[]>;
  run(run: string): Promise<DatasetRun>;
  /** As `events`, where bodies of other kinds are not needed; absent: whoever reads gets all of them. */
  someEvents?(run: string, from: number, limit: number, kinds: readonly EventKind[]): Promise<SomeEvent[]>;
  /**
   * What the workspace holds of verdicts on the first `seq` events by the rules of this version; null: they are to be worked out, as
   * where it is absent.
   */
  ruleMarks?(run: string, seq: number, version: string): Promise<RuleMarks | null>;
}

/** The reader cuts pages at 2,000 events or about 8 MB, whichever comes first. */
const pageEvents = 2_000;

interface Span {
  from: number;
  to: number;
  signal?: AbortSignal | undefined;
}

/**
 * Events `[from, to]` of a run in order, page by page. The next page is asked for while the caller works on one: it comes from
 * another thread. So two are held at most.
 * @throws WaymarkError `cancelled`; `workspace_corrupt` when the log has a gap.
 */
export function eventPages(
  reader: Pick<DatasetReader, 'events'>,
  run: string,
  span: Span,
): AsyncGenerator<RunEvent[]> {
  return pagesOf((from, limit) => reader.events(run, from, limit), run, span);
}

/** As `eventPages`, with the bodies of some kinds alone where the reader can leave others out. */
export function somePages(
  reader: Pick<DatasetReader, 'events' | 'someEvents'>,
  run: string,
  kinds: readonly EventKind[],
  span: Span,
): AsyncGenerator<SomeEvent[]> {
  return pagesOf<SomeEvent>(
    (from, limit) => reader.someEvents?.(run, from, limit, kinds) ?? reader.events(run, from, limit),
    run,
    span,
  );
}

async function* pagesOf<T extends { seq: number }>(
  read: (from: number, limit: number) => Promise<T[]>,
  run: string,
  { from, to, signal }: Span,
): AsyncGenerator<T[]> {
  const ask = (seq: number) => settled(read(seq, Math.min(pageEvents, to - seq + 1)));
  let next = from;
  let asked = next <= to ? ask(next) : null;
  while (asked !== null) {
    if (signal?.aborted)
      throw new WaymarkError('cancelled', 'The export was cancelled; nothing was written.');
    const answer = await asked;
    if ('error' in answer) throw answer.error;
    const { page } = answer;
    const last = page.at(-1);
    const expected = next;
    const gap = page.findIndex(({ seq }, index) => seq !== expected + index);
    if (!last || gap >= 0) {
      throw new WaymarkError(
        'workspace_corrupt',
        `Event ${next + Math.max(0, gap)} of run ${run} is missing. Run "verify" to see what is damaged.`,
      );
    }
    next = last.seq + 1;
    asked = next <= to ? ask(next) : null;
    yield page;
  }
}

/** An answer that may fail before anybody waits for it, or that nobody will wait for. */
function settled<T>(page: Promise<T[]>): Promise<{ page: T[] } | { error: unknown }> {
  return page.then(
    (events) => ({ page: events }),
    (error: unknown) => ({ error }),
  );
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
