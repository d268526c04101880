import type { StepHead } from '@shared/views';

/** Heads per request, aligned: page 0 is steps 1–200. */
export const PAGE = 200;
/** Pages kept; the farthest from the reader go first. */
const KEEP = 50;

interface Page {
  heads: (StepHead | undefined)[];
  /** Steps to read again; null when the page is as fresh as the last notice. */
  stale: { from: number; to: number } | null;
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
  private window = { from: 1, to: 0 };
  private total = 0;
  private seq = 0;
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
    this.invalidate(from, Math.max(steps, 1));
    this.source.changed();
  }

  /** Marks steps for reading again; those in view are asked for at once. */
  invalidate(from: number, to: number): void {
    for (const [index, page] of this.pages) {
      const first = index * PAGE + 1;
      const low = Math.max(from, first);
      const high = Math.min(to, first + PAGE - 1);
      if (low > high) continue;
      page.stale =
        page.stale === null
          ? { from: low, to: high }
          : { from: Math.min(page.stale.from, low), to: Math.max(page.stale.to, high) };
    }
    this.fill();
  }

  /** Tells which steps are in view, overscan included; asks for what is missing or stale there. */
  show(from: number, to: number): void {
    this.window = { from: Math.max(1, from), to };
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

  private fill(): void {
    if (this.disposed) return;
    const last = Math.min(this.window.to, this.total);
    if (last < this.window.from) return;
    for (let index = pageOf(this.window.from); index <= pageOf(last); index++) this.fillPage(index);
  }

  private fillPage(index: number): void {
    let page = this.pages.get(index);
    const first = index * PAGE + 1;
    const last = Math.min(first + PAGE - 1, this.total);
    if (page === undefined) {
      page = { heads: [], stale: { from: first, to: last }, loading: false };
      this.pages.set(index, page);
    }
    // A page read when it was short is missing the steps that came since.
    if (page.stale === null && !page.loading && page.heads.length < last - first + 1) {
      page.stale = { from: first + page.heads.length, to: last };
    }
    if (page.stale === null || page.loading) return;
    const from = page.stale.from;
    const to = Math.min(page.stale.to, last);
    if (to < from) {
      page.stale = null;
      return;
    }
    page.stale = null;
    page.loading = true;
    const owner = page;
    this.source.load(from, to).then(
      (heads) => {
        owner.loading = false;
        if (this.disposed) return;
        this.put(heads);
        this.source.changed();
        this.fill(); // what became stale while it was read
      },
      (thrown: unknown) => {
        owner.loading = false;
        if (this.disposed) return;
        owner.stale = { from, to };
        this.source.failed(thrown);
      },
    );
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
    const middle = pageOf((this.window.from + this.window.to) / 2);
    const far = [...this.pages.keys()].sort((a, b) => Math.abs(b - middle) - Math.abs(a - middle));
    for (const index of far.slice(0, this.pages.size - KEEP)) this.pages.delete(index);
  }
}

function pageOf(step: number): number {
  return Math.floor((step - 1) / PAGE);
}
