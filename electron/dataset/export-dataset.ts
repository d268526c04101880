import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { ExportResult } from '@shared/contract/ipc/dataset';
import { withoutLinks } from '../files/workspace-paths';
import { checkTarget, type DatasetFolder } from './dataset-folder';
import type { DatasetReader } from './event-pages';
import { planExport } from './export-plan';
import { argumentsForm, type ExportRequest, exportOptions } from './export-request';
import { beginExport, type ExportLife } from './jobs/export-life';
import type { ExportProgress } from './jobs/export-runner';
import { manifestFile, manifestText, type WrittenFile } from './manifest';
import { countInherited, countMasks, dropText, type ExportPlan, stepRanges, variantPlan } from './plan';
import { variantCounts } from './plan-counts';
import { beginRedaction, redactionOf } from './redaction/begin-redaction';
import { packedReaders } from './redaction/packed-readers';
import type { Redactor } from './redaction/redactor';
import { refuseFound, rescan } from './redaction/rescan';
import { refuseChanged } from './still-there';
import { loadTarget } from './targets/table';
import type { Target } from './targets/target';
import { trainerReadme } from './trainer-readme';
import { eventsOf, type SavedWriting, type Writing } from './writing';

export interface WrittenDataset {
  result: ExportResult;
  manifest: string;
  files: readonly WrittenFile[];
  plan: ExportPlan;
  /** Of the whole export, every variant. */
  records: number;
  bytes: number;
  /** Places where something was taken out. */
  redacted: number;
}

/** Fewest events between two borders of an export: smaller ones begin anew after a kill. */
const borderEvents = 5_000;

/**
 * Writes the chosen runs as a dataset folder: data files, `records.index`, `README.md` for the trainer, `manifest.json`. The first
 * pass over the events decides rows and masks of every variant, the second writes all of them; neither holds more than one
 * context. The folder appears whole or not at all, and the same snapshot gives the same bytes.
 *
 * @throws WaymarkError `export_undecided` while a step is undecided and not waived, `export_no_tools` while a row would
 * have no tools and that is not waived, `export_empty`, `unsupported`, `refused` for a record that the loader would not take as it
 * is meant, `conflict` when a run is removed or purged meanwhile, `already_exists`, `not_found`, `disk_full`, `read_only`, `cancelled`.
 */
export async function exportDataset(
  reader: DatasetReader,
  request: ExportRequest & { out: string },
): Promise<ExportResult> {
  return (await writeDataset(reader, request)).result;
}

/** As `exportDataset`, with a life beyond this process: what was written goes on after a kill. */
export async function writeDataset(
  reader: DatasetReader,
  request: ExportRequest & { out: string },
  life: ExportLife = {},
): Promise<WrittenDataset> {
  // Where a link stands the dataset goes to what it leads to, and the link stays.
  const out = await withoutLinks(resolve(request.out));
  await checkTarget(out);
  const options = exportOptions(request);
  const target = await loadTarget(options.format);
  const tell = (progress: ExportProgress) => {
    life.tell?.(progress);
    request.onProgress?.({ done: progress.done, total: progress.total });
  };
  const begun = await beginExport(reader, { out, options, life: { ...life, tell } });
  const { folder, meter } = begun;
  let writing: Writing | null = null;
  try {
    const plan = await planExport(begun.plans?.planned() ?? reader, {
      ...request,
      plans: begun.plans ?? undefined,
      onProgress: ({ done, total }) => meter.planned(done, total, begun.plans?.skipped ?? 0),
    });
    refuseOpen(plan, target);
    meter.begin(eventsOf(plan));
    const { redactor, allowedNotFound } = await beginRedaction(reader, plan, {
      ...request,
      known: (key, find) => begun.known(key, find),
    });
    const context = { argumentsForm: argumentsForm(target, plan.options, request.templateWants) };
    const input = {
      reader,
      plan,
      target,
      redactor,
      context: { ...context, signal: request.signal },
      onEvents: (count: number) => meter.wrote(count, writing?.sinks ?? null),
      borderEvents: life.borderEvents ?? borderEvents,
      atBorder: (saved: SavedWriting, synced: Promise<void>) =>
        folder.guarded(() => begun.keep(plan.snapshot, saved, synced)),
    };
    writing = await folder.guarded(() => begun.goOn(plan.snapshot, input));
    const now = writing;
    await folder.guarded(() => now.run());
    refuseNothing(plan, target, now);
    const written = await finish(folder, { plan, target, writing, redactor, form: context.argumentsForm });
    await folder.guarded(async () =>
      refuseFound(
        await rescan(folder.growing, redactor.settings, { readers: packedReaders, signal: request.signal }),
      ),
    );
    await refuseChanged(reader, plan.runs, request.signal);
    if (request.signal?.aborted) throw cancelled();
    await folder.commit();
    return {
      ...written,
      plan,
      redacted: redactor.count,
      result: resultOf(out, { plan, target, writing, files: folder.files, allowedNotFound }),
    };
  } catch (error) {
    await writing?.sinks.close();
    if (life.keeps?.() === true) await folder.release();
    else await folder.abandon();
    throw error;
  }
}

interface Finished {
  plan: ExportPlan;
  target: Target;
  writing: Writing;
  redactor: Redactor;
}

/** What stands beside the data once all of it is written. */
async function finish(
  folder: DatasetFolder,
  { plan, target, writing, redactor, form }: Finished & { form: 'string' | 'object' },
): Promise<Pick<WrittenDataset, 'manifest' | 'files' | 'records' | 'bytes'>> {
  const { data, index } = await folder.guarded(() => writing.sinks.end());
  const { compression } = plan.options;
  const dropped = [...writing.dropped.values()].flat();
  const facts = { plan, argumentsForm: form, compression, dropped, files: data };
  for (const { path, text } of target.extras?.(facts) ?? []) await folder.write(path, [redactor.loose(text)]);
  await folder.write('README.md', [redactor.loose(trainerReadme(target, facts))]);
  const files: WrittenFile[] = [
    ...data.map(({ path, bytes, sha256, records, variant, split }) => ({
      path,
      bytes,
      sha256,
      records,
      variant,
      split,
    })),
    ...index.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
    ...folder.files,
  ];
  const told = manifestText(plan, {
    files,
    notAsSent: writing.notAsSent,
    argumentsForm: form,
    dropped: writing.dropped,
    redaction: redactionOf(redactor),
  });
  const manifest = redactor.loose(told, 'json');
  await folder.write(manifestFile, [manifest]);
  folder.files.unshift(...files.slice(0, data.length + index.length));
  const sum = (of: 'records' | 'bytes') => data.reduce((all, file) => all + file[of], 0);
  return { manifest, files, records: sum('records'), bytes: sum('bytes') };
}

function resultOf(
  out: string,
  {
    plan,
    target,
    writing,
    files,
    allowedNotFound,
  }: Omit<Finished, 'redactor'> & { files: readonly WrittenFile[]; allowedNotFound: string[] },
): ExportResult {
  const { variant, dropped } = variantPlan(plan);
  const byTarget = writing.dropped.get(variant) ?? [];
  return {
    folder: out,
    rows: writing.sinks.records,
    ...countMasks(variantPlan(plan).rows),
    dropped: [...dropped, ...byTarget.map(({ why, count }) => ({ reason: why, count }))],
    allowedNotFound,
    notAsSent: writing.notAsSent,
    inherited: countInherited(plan),
    files: files.map(({ path, bytes, sha256 }) => ({ path, bytes, sha256 })),
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

/** No record came of all the rows. @throws WaymarkError `export_empty` that says why */
function refuseNothing({ variants }: ExportPlan, target: Target, { sinks, dropped }: Writing): void {
  if (sinks.records > 0) return;
  const lost = variants.flatMap((each) =>
    each.dropped.map(({ reason, count }) => ({ why: dropText(reason), count })),
  );
  const drops = [
    ...new Set([...lost, ...[...dropped.values()].flat()].map(({ why, count }) => `${why}: ${count}`)),
  ];
  throw new WaymarkError(
    'export_empty',
    `Nothing in the chosen runs can be written for ${target.title}, so nothing was written. Choose other runs or another format.`,
    drops.slice(0, 20).join('\n') || undefined,
  );
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
