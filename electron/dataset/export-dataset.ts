import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { ExportVariant } from '@shared/contract/export-request';
import type { ExportResult } from '@shared/contract/ipc/dataset';
import { checkTarget, DatasetFolder } from './dataset-folder';
import type { DatasetReader } from './event-pages';
import { planExport } from './export-plan';
import { argumentsForm, type ExportRequest } from './export-request';
import { jsonLine } from './json-line';
import { manifestFile, manifestText } from './manifest';
import {
  countInherited,
  countMasks,
  dataFilePath,
  type ExportPlan,
  type Side,
  sidesOf,
  stepRanges,
  variantPlan,
} from './plan';
import { variantCounts } from './plan-counts';
import { datasetRows } from './rows';
import { refuseChanged } from './still-there';
import { loadTarget } from './targets/table';
import type { DataFile, RecordMaker, Target, TargetDrop } from './targets/target';
import { trainerReadme } from './trainer-readme';

/**
 * Writes the chosen runs as a dataset folder: data files, `README.md` for the trainer, `manifest.json`. The first pass over the
 * events decides rows and masks of every variant, each data file is one more; none holds more than one
 * context. The folder appears whole or not at all, and the same snapshot gives the same bytes.
 *
 * @throws WaymarkError `export_undecided` while a step is undecided and not waived, `export_no_tools` while a row would
 * have no tools and that is not waived, `export_empty`, `unsupported`, `conflict` when a run is removed or purged meanwhile,
 * `already_exists`, `not_found`, `disk_full`, `read_only`, `cancelled`.
 */
export async function exportDataset(
  reader: DatasetReader,
  request: ExportRequest & { out: string },
): Promise<ExportResult> {
  const out = resolve(request.out);
  await checkTarget(out);
  const plan = await planExport(reader, request);
  const target = await loadTarget(plan.options.format);
  refuseOpen(plan, target);
  const folder = await DatasetFolder.begin(out);
  const writing = new Writing(reader, plan, target, request);
  try {
    for (const { variant } of plan.variants) await writing.variant(folder, variant);
    const facts = { ...writing.facts, files: writing.data };
    for (const { path, text } of target.extras?.(facts) ?? []) await folder.write(path, [text]);
    await folder.write('README.md', [trainerReadme(target, facts)]);
    await folder.write(manifestFile, [
      manifestText(plan, {
        files: folder.files.map((file) => ({ ...file, ...writing.recordsOf(file.path) })),
        notAsSent: writing.notAsSent,
        argumentsForm: writing.facts.argumentsForm,
        dropped: writing.dropped,
        redaction: { mode: 'off' },
      }),
    ]);
    await refuseChanged(reader, plan.runs, request.signal);
    if (request.signal?.aborted) throw cancelled();
    await folder.commit();
  } catch (error) {
    await folder.abandon();
    throw error;
  }
  return {
    folder: out,
    rows: writing.data.reduce((sum, { records }) => sum + records, 0),
    ...countMasks(variantPlan(plan).rows),
    dropped: variantPlan(plan).dropped,
    notAsSent: writing.notAsSent,
    inherited: countInherited(plan),
    files: folder.files,
    snapshot: plan.snapshot,
    variants: plan.variants.map((variant) => variantCounts(variant, plan, target)),
  };
}

/** @throws WaymarkError `export_undecided`, `export_no_tools` */
export function refuseOpen(plan: ExportPlan, target: Pick<Target, 'undecided'>): void {
  const { options, variants } = plan;
  const asked = variants.some(({ variant }) => variant === 'all') && target.undecided !== 'ignored';
  if (asked && options.undecided === 'refuse') refuseUndecided(plan.undecided);
  if (options.noTools !== 'allow') refuseNoTools(plan.noTools);
}

class Writing {
  readonly data: DataFile[] = [];
  readonly dropped = new Map<ExportVariant, TargetDrop[]>();
  /** Rows of the first variant that hold messages in another form than some of their steps were sent. */
  notAsSent = 0;
  private done: number;
  private readonly total: number;

  constructor(
    private readonly reader: DatasetReader,
    private readonly plan: ExportPlan,
    private readonly target: Target,
    private readonly request: ExportRequest,
  ) {
    const events = plan.runs.reduce((sum, { seq }) => sum + seq, 0);
    this.done = events;
    this.total = events * (1 + plan.variants.length);
  }

  get facts() {
    const { plan, target, request } = this;
    const { compression } = plan.options;
    const dropped = [...this.dropped.values()].flat();
    return {
      plan,
      argumentsForm: argumentsForm(target, plan.options, request.templateWants),
      compression,
      dropped,
    };
  }

  async variant(folder: DatasetFolder, variant: ExportVariant): Promise<void> {
    const drops: TargetDrop[] = [];
    for (const split of sidesOf(this.plan)) {
      const maker = await this.begin(variant);
      const file: DataFile = {
        path: dataFilePath(this.plan, { variant, split }, 'jsonl'),
        variant,
        split,
        records: 0,
      };
      this.data.push(file);
      await folder.write(file.path, this.lines(maker, file, split));
      drops.push(...maker.dropped());
    }
    this.dropped.set(variant, drops);
  }

  private async begin(variant: ExportVariant): Promise<RecordMaker> {
    const { signal } = this.request;
    const { plan, argumentsForm } = this.facts;
    return this.target.begin({ plan, reader: this.reader, variant, argumentsForm, signal });
  }

  recordsOf(path: string): Partial<Omit<DataFile, 'path'>> {
    const { path: _, ...facts } = this.data.find((file) => file.path === path) ?? { path };
    return facts;
  }

  private async *lines(maker: RecordMaker, file: DataFile, split: Side): AsyncGenerator<string> {
    const { reader, plan } = this;
    const { signal, onProgress } = this.request;
    const { variant } = file;
    const onEvents = (count: number) => {
      this.done = Math.min(this.total, this.done + count);
      onProgress?.({ done: this.done, total: this.total });
    };
    for await (const row of datasetRows(reader, plan, { variant, split, signal, onEvents })) {
      if (row.notAsSent.length > 0 && variant === variantPlan(plan).variant) this.notAsSent += 1;
      const lines = [...maker.records(row)].map(({ value }) => `${jsonLine(value)}\n`);
      for (let copy = 0; copy < plan.repeat[row.plan.kind]; copy += 1) {
        file.records += lines.length;
        yield* lines;
      }
    }
    for await (const { value } of maker.rest?.() ?? []) {
      file.records += 1;
      yield `${jsonLine(value)}\n`;
    }
  }
}

function cancelled(): WaymarkError {
  return new WaymarkError('cancelled', 'The export was cancelled; nothing was written.');
}

function refuseNoTools(noTools: ExportPlan['noTools']): void {
  const [first] = noTools;
  if (!first) return;
  const others = noTools.length - 1;
  const more = others === 0 ? '' : `, and ${others} more ${others === 1 ? 'run' : 'runs'}`;
  throw new WaymarkError(
    'export_no_tools',
    `Rows of run ${first.run}${more} would have no tools: the imported log does not hold them, and what its program offers is unknown. Leave these runs out, or waive this with --no-tools allow.`,
    noTools.map(({ run, rows }) => `${run}: ${rows} ${rows === 1 ? 'row' : 'rows'}`).join('\n'),
  );
}

function refuseUndecided(undecided: ExportPlan['undecided']): void {
  const [first] = undecided;
  if (!first) return;
  const total = undecided.reduce((sum, { steps }) => sum + steps.length, 0);
  const others = undecided.length - 1;
  const where = `run ${first.run}, ${first.steps.length === 1 ? 'step' : 'steps'} ${stepRanges(first.steps, 8)}`;
  const more = others === 0 ? '' : `, and ${others} more ${others === 1 ? 'run' : 'runs'}`;
  throw new WaymarkError(
    'export_undecided',
    `${total} ${total === 1 ? 'step is' : 'steps are'} undecided: ${where}${more}. Label them, or waive them explicitly with --undecided train or --undecided mask.`,
    undecided.map(({ run, steps }) => `${run}: ${stepRanges(steps)}`).join('\n'),
  );
}
