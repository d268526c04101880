import type { StepHead } from '@shared/contract/views';

/** Heads per request, aligned: page 0 is steps 1–200. */
export const PAGE = 200;
/** Pages kept; the farthest from the reader go first. */
const KEEP = 30;
/** Requests under way at once. More would only queue up behind the reader's thread while the reader has scrolled on. */
const LOADS = 3;

/** Steps beside each other from this many on are a stretch. */
const STRETCH = 8;

/** Steps `from..to`, both included. */
export interface Span {
  from: number;
  to: number;
}

interface Page {
  heads: (StepHead | undefined)[];
  /** Steps to read again; null when the page is as fresh as the last notice. */
  stale: Span | null;
  /** Steps that were asked for and were not there; not asked for again before the next notice. */
  absent: Span | null;
  loading: boolean;
}

export interface HeadSource {
  load: (from: number, to: number) => Promise<StepHead[]>;
  /** Something that may be painted changed. */
  changed: () => void;
  failed: (thrown: unknown) => void;
}

/**
 * The heads of one run, by page, read only around the viewport. A notice with the next seq makes the end of the
 * run stale, one with a gap makes all of it stale; stale heads stay on the screen until fresh ones are there.
 */
export class HeadCache {
  private readonly pages = new Map<number, Page>();
  private wanted: readonly Span[] = [];
  private total = 0;
  private seq = 0;
  private loads = 0;
  private disposed = false;

  constructor(private readonly source: HeadSource) {}

  get steps(): number {
    return this.total;
  }

  get(step: number): StepHead | undefined {
    return this.pages.get(pageOf(step))?.heads[(step - 1) % PAGE];
  }

  /** Takes the run's newest seq and number of steps. Older notices are ignored. */
  advance(seq: number, steps: number): void {
    if (seq <= this.seq) return;
    const whole = this.seq === 0 || seq !== this.seq + 1;
    const from = whole ? 1 : Math.max(1, this.total);
    this.seq = seq;
    this.total = steps;
    for (const page of this.pages.values()) page.absent = null;
    this.invalidate(from, Math.max(steps, 1));
    this.source.changed();
  }

  /** Marks steps for reading again; those in view are asked for at once. */
  invalidate(from: number, to: number): void {
    for (const [index, page] of this.pages) {
      const part = cut({ from, to }, index, PAGE * (index + 1));
      if (part !== null) page.stale = around(page.stale, part);
    }
    this.fill();
  }

  /**
   * Tells which steps are in view; asks for what is missing or stale there. Of a stretch of the run whole pages are read,
   * of steps that lie apart only they.
   */
  show(spans: readonly Span[]): void {
    this.wanted = spans.filter(({ from, to }) => from <= to);
    this.fill();
    this.evict();
  }

  /** Resolves when heads of the range are fresh; for the label that was just made durable. */
  async refresh(from: number, to: number): Promise<void> {
    const heads = await this.source.load(from, Math.min(to, from + PAGE * 2 - 1));
    if (this.disposed) return;
    this.put(heads);
    this.source.changed();
    this.invalidate(from + PAGE * 2, to);
  }

  dispose(): void {
    this.disposed = true;
    this.pages.clear();
  }

  /** Pages in view and what of each is in view. */
  private inView(): Map<number, Span> {
    const parts = new Map<number, Span>();
    for (const span of this.wanted) {
      for (let index = pageOf(Math.max(1, span.from)); index <= pageOf(span.to); index++) {
        const whole = { from: index * PAGE + 1, to: (index + 1) * PAGE };
        const part = cut(span.to - span.from >= STRETCH ? whole : span, index, this.total);
        if (part !== null) parts.set(index, around(parts.get(index) ?? null, part));
      }
    }
    return parts;
  }

  private fill(): void {
    if (this.disposed || this.total === 0) return;
    for (const [index, part] of this.inView()) {
      if (this.loads >= LOADS) return;
      this.fillPage(index, part);
    }
  }

  private fillPage(index: number, part: Span): void {
    let page = this.pages.get(index);
    if (page === undefined) {
      page = { heads: [], stale: null, absent: null, loading: false };
      this.pages.set(index, page);
    }
    if (page.loading) return;
    const stale = page.stale === null ? null : cut(page.stale, index, this.total);
    const missing = missingOf(page, part);
    if (stale === null && missing === null) {
      page.stale = null;
      return;
    }
    const { from, to } = missing === null ? (stale ?? part) : around(stale, missing);
    page.stale = null;
    page.loading = true;
    this.loads += 1;
    const owner = page;
    const { seq } = this;
    this.source.load(from, to).then(
      (heads) => {
        this.end(owner);
        if (this.disposed) return;
        this.put(heads);
        if (heads.length < to - from + 1 && seq === this.seq) owner.absent = { from, to };
        this.source.changed();
        this.fill(); // what became stale, or came into view, while it was read
      },
      (thrown: unknown) => {
        this.end(owner);
        if (this.disposed) return;
        owner.stale = around(owner.stale, { from, to });
        this.source.failed(thrown);
      },
    );
  }

  private end(page: Page): void {
    page.loading = false;
    this.loads -= 1;
  }

  private put(heads: StepHead[]): void {
    for (const head of heads) {
      const page = this.pages.get(pageOf(head.step));
      if (page === undefined) continue;
      const at = (head.step - 1) % PAGE;
      const old = page.heads[at];
      // An equal head keeps its identity, so that its row is not painted again.
      if (old === undefined || JSON.stringify(old) !== JSON.stringify(head)) page.heads[at] = head;
    }
  }

  private evict(): void {
    if (this.pages.size <= KEEP) return;
    const inView = new Set(this.inView().keys());
    const middle = pageOf(((this.wanted[0]?.from ?? 1) + (this.wanted.at(-1)?.to ?? 1)) / 2);
    const far = [...this.pages.keys()]
      .filter((index) => !inView.has(index))
      .sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const index of far.slice(0, this.pages.size - KEEP)) this.pages.delete(index);
  }
}

/** What of the part has not been read and may be there. */
function missingOf(page: Page, part: Span): Span | null {
  const { heads, absent } = page;
  const known = (step: number): boolean =>
    heads[(step - 1) % PAGE] !== undefined || (absent !== null && absent.from <= step && step <= absent.to);
  let { from, to } = part;
  while (from <= to && known(from)) from += 1;
  while (to >= from && known(to)) to -= 1;
  return from <= to ? { from, to } : null;
}

/** The part of a span within a page and the run; null when there is none. */
function cut(span: Span, page: number, last: number): Span | null {
  const from = Math.max(span.from, page * PAGE + 1);
  const to = Math.min(span.to, (page + 1) * PAGE, last);
  return from <= to ? { from, to } : null;
}

function around(one: Span | null, other: Span): Span {
  return one === null ? other : { from: Math.min(one.from, other.from), to: Math.max(one.to, other.to) };
}

function pageOf(step: number): number {
  return Math.floor((step - 1) / PAGE);
}
