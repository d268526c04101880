import type { RowView } from '@shared/contract/export-views';

/** Rows that are asked for at once. */
export const ROW_PAGE = 200;

/**
 * Rows of a plan that may have very many, read a page at a time as they come into view. What was asked for under another key (other
 * options, other labels) is forgotten.
 */
export class RowPages {
  private readonly pages = new Map<number, RowView[]>();
  private readonly asked = new Set<number>();
  of = 0;

  constructor(
    private readonly source: {
      load: (from: number, limit: number) => Promise<{ rows: RowView[]; of: number }>;
      changed: () => void;
      failed: (thrown: unknown) => void;
    },
  ) {}

  at(index: number): RowView | undefined {
    return this.pages.get(Math.floor(index / ROW_PAGE))?.[index % ROW_PAGE];
  }

  /** Makes sure that rows `[from, to]` are there or on their way. */
  show(from: number, to: number): void {
    const last = Math.floor(Math.max(from, to) / ROW_PAGE);
    for (let page = Math.floor(Math.max(0, from) / ROW_PAGE); page <= last; page += 1) {
      if (this.asked.has(page) || (page > 0 && this.of > 0 && page * ROW_PAGE >= this.of)) continue;
      this.asked.add(page);
      this.source.load(page * ROW_PAGE, ROW_PAGE).then(
        ({ rows, of }) => {
          this.pages.set(page, rows);
          this.of = of;
          this.source.changed();
        },
        (thrown: unknown) => {
          // The next look at it asks once more.
          this.asked.delete(page);
          this.source.failed(thrown);
        },
      );
    }
  }
}
