import type { ExportOptions, ExportVariant } from '@shared/contract/export-request';
import type { ExportPreview, RowPage } from '@shared/contract/ipc/dataset';
import type { DatasetReader } from './event-pages';
import { planExport } from './export-plan';
import type { ExportPlan } from './plan';
import { rowPage } from './plan-counts';
import { previewOf } from './preview-dataset';

/**
 * Answers a window that looks at an export before it is written: counts first, then rows page by page. The last plan is kept until
 * `forget`, so that a page costs nothing more; whoever holds the desk calls that when events or labels come.
 */
export class PlanDesk {
  private held: { key: string; plan: Promise<ExportPlan> } | null = null;

  constructor(private readonly reader: DatasetReader) {}

  /** Something that plans are made from has changed. */
  forget(): void {
    this.held = null;
  }

  /** @throws WaymarkError as `planExport` does */
  async preview(options: ExportOptions): Promise<ExportPreview> {
    return previewOf(await this.plan(options));
  }

  /** Rows `[from, from + limit)` of a variant, which is planned for even if it is not among those of the options. */
  async rows(
    options: ExportOptions,
    page: { variant: ExportVariant; from: number; limit: number },
  ): Promise<RowPage> {
    const { variants } = options;
    const asked = variants.includes(page.variant) ? options : { ...options, variants: [page.variant] };
    return rowPage(await this.plan(asked), page);
  }

  private async plan(options: ExportOptions): Promise<ExportPlan> {
    const key = JSON.stringify(options);
    if (this.held?.key !== key) this.held = { key, plan: planExport(this.reader, options) };
    const mine = this.held;
    try {
      return await mine.plan;
    } catch (thrown) {
      // What failed is asked for anew the next time.
      if (this.held === mine) this.held = null;
      throw thrown;
    }
  }
}
