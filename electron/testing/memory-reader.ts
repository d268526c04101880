import { WaymarkError } from '@shared/contract/errors';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { RunEvent } from '@shared/log/events';
import type { DatasetReader } from '../dataset/event-pages';

/** The part of a store's reader that datasets need, over events in memory. Pages are small on purpose. */
export class MemoryReader implements DatasetReader {
  /** Events handed out so far, and the most at once. */
  reads = { events: 0, largest: 0 };

  constructor(
    private readonly logs: Map<string, RunEvent[]>,
    private readonly entries: AnnotationEntry[] = [],
    private readonly pageLimit = 7,
  ) {}

  async runs(): ReturnType<DatasetReader['runs']> {
    return [...this.logs].map(([id, events]) => summaryOf(id, events)).reverse();
  }

  async run(run: string): ReturnType<DatasetReader['run']> {
    const events = this.logs.get(run);
    if (!events) throw new WaymarkError('not_found', `There is no run ${run}.`);
    return summaryOf(run, events);
  }

  async events(run: string, fromSeq: number, limit: number): Promise<RunEvent[]> {
    const page = (this.logs.get(run) ?? []).slice(fromSeq - 1, fromSeq - 1 + Math.min(limit, this.pageLimit));
    this.reads.events += page.length;
    this.reads.largest = Math.max(this.reads.largest, page.length);
    return page;
  }

  async annotationPage(
    run: string,
    after: number,
  ): Promise<{ entries: AnnotationEntry[]; last: number | null }> {
    const all = this.entries.filter(({ target }) => target.run === run);
    const last = after + this.pageLimit;
    return { entries: all.slice(after, last), last: last < all.length ? last : null };
  }

  async ruleSettings(): Promise<null> {
    return null;
  }
}

function summaryOf(id: string, events: readonly RunEvent[]) {
  const segments = events.filter(({ kind }) => kind === 'segment.started').length;
  return { id, seq: events.length, state: 'stopped' as const, segments };
}
