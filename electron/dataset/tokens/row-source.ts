import { WaymarkError } from '@shared/contract/errors';
import type { ExportOptions, ExportVariant } from '@shared/contract/export-request';
import type { RowName } from '@shared/contract/export-views';
import type { DatasetReader } from '../event-pages';
import { planExport } from '../export-plan';
import { type ExportPlan, type RowPlan, variantPlan } from '../plan';
import { rowView } from '../plan-counts';
import { type DatasetRow, datasetRows } from '../rows';
import type { TokenRow } from './conversation';

/** A row by its place among those of its variant, or by what it is made from. */
export type RowPlace = { index: number } | RowName;

/** Rows that are held, so that the next look at one needs no reading. */
const held = 4;

/** Finds rows of a workspace for the thread of tokens. The plan and the last rows are kept until `forget`. */
export class RowSource {
  private plan: { key: string; made: Promise<ExportPlan> } | null = null;
  private readonly rows = new Map<string, TokenRow>();

  constructor(private readonly reader: DatasetReader) {}

  /** Something that rows are made from has changed. */
  forget(): void {
    this.plan = null;
    this.rows.clear();
  }

  /** @throws WaymarkError not_found; as `planExport` does */
  async find(
    options: ExportOptions,
    variant: ExportVariant,
    at: RowPlace,
    signal?: AbortSignal,
  ): Promise<TokenRow> {
    const request = { ...options, variants: [variant] };
    const plan = await this.planned(request);
    const { rows } = variantPlan(plan, variant);
    const index = 'index' in at ? at.index : rows.findIndex((row) => isAt(row, at));
    const row = rows[index];
    if (row === undefined) throw notThere(at, rows.length);
    const key = `${JSON.stringify(request)} ${index}`;
    const known = this.rows.get(key);
    if (known !== undefined && this.plan?.key === JSON.stringify(request)) return known;
    const made = tokenRow(await this.read(plan, variant, row, signal), { index, of: rows.length });
    this.rows.set(key, made);
    const [oldest] = this.rows.keys();
    if (this.rows.size > held && oldest !== undefined) this.rows.delete(oldest);
    return made;
  }

  private async planned(request: ExportOptions): Promise<ExportPlan> {
    const key = JSON.stringify(request);
    if (this.plan?.key !== key) this.plan = { key, made: planExport(this.reader, request) };
    const { plan } = this;
    try {
      return await plan.made;
    } catch (thrown) {
      if (this.plan === plan) this.plan = null;
      throw thrown;
    }
  }

  private async read(
    plan: ExportPlan,
    variant: ExportVariant,
    row: RowPlan,
    signal?: AbortSignal,
  ): Promise<DatasetRow> {
    const only = { ...plan, variants: [{ ...variantPlan(plan, variant), rows: [row] }] };
    for await (const made of datasetRows(this.reader, only, { variant, signal })) return made;
    throw new WaymarkError(
      'bug',
      `Row of segment ${row.segment.segment} of run ${row.run.created.run} is empty`,
    );
  }
}

function isAt({ run, segment, kind }: RowPlan, at: RowName): boolean {
  return run.created.run === at.run && segment.segment === at.segment && kind === at.kind;
}

function notThere(at: RowPlace, of: number): WaymarkError {
  const next = 'Its steps may all be masked, left out by a filter, or unfinished; "export preview" says why.';
  if ('index' in at)
    return new WaymarkError('not_found', `There is no row ${at.index + 1}: the export has ${of}. ${next}`);
  const what = at.kind === 'summary' ? 'summary row' : 'row';
  return new WaymarkError(
    'not_found',
    `The export has no ${what} of segment ${at.segment} of run ${at.run}. ${next}`,
  );
}

/** What the thread needs of a row. */
export function tokenRow(
  { messages, tools, steps, plan }: DatasetRow,
  { index, of }: { index: number; of: number },
): TokenRow {
  return {
    view: rowView(plan, index),
    of,
    messages,
    tools,
    steps,
    own: plan.steps.map(({ step, label }) => ({ step, source: label.source, reason: label.reason })),
  };
}
