import { createHash } from 'node:crypto';
import { fewOf } from '@shared/base/bounded-text';
import { WaymarkError } from '@shared/contract/errors';
import type { ExportOptions } from '@shared/contract/export-request';
import { snapshotText } from '@shared/labels/label-snapshot';
import { ruleSetFacts, ruleSetVersion } from '../label/rule-set';
import type { DatasetReader } from './event-pages';
import { type DatasetPreset, datasetPreset, type ExportRequest, exportOptions } from './export-request';
import { toolsFrom } from './imported-rows';
import type { ExportPlan, RowPlan, VariantPlan } from './plan';
import {
  creationChecks,
  Filtered,
  failing,
  findDuplicates,
  type RowFacts,
  rowChecks,
  rowsOf,
  runChecks,
} from './plan-filters';
import { planSplit, sidesOfRuns } from './plan-split';
import { type Candidate, planVariant } from './plan-variants';
import { type PlanOptions, planRun, type RunPlan, type StepPlan } from './run-plan';
import { whileThere } from './still-there';
import { loadTarget } from './targets/table';
import type { Target } from './targets/target';

/** What a plan needs to know of the target. */
export type PlannedTarget = Pick<
  Target,
  'title' | 'kinds' | 'repeats' | 'untrained' | 'undecided' | 'compressions' | 'encodings' | 'argumentsForm'
>;

/**
 * Reads every chosen run once and decides, before a byte is written, which rows there will be and what their masks are, for
 * every variant from the same labels. A run in progress is cut at its last event of now; the snapshot says where.
 *
 * @throws WaymarkError `not_found` for an unknown run, `export_empty` when no run has a step or filters leave nothing, `refused`
 * when a split would leave nothing to train on, `unsupported` for what the target cannot take, `conflict` when a run is removed
 * meanwhile, `cancelled`.
 */
export async function planExport(reader: DatasetReader, request: ExportRequest): Promise<ExportPlan> {
  const options = exportOptions(request);
  const target: PlannedTarget = await loadTarget(options.format);
  checkOptions(target, options);
  const preset = datasetPreset(options.preset, options);
  const filtered = new Filtered();
  const found = await readRuns(reader, request, { options, preset, filtered });
  refuseUnheard(found, options.filter.judges ?? []);
  const duplicates = findDuplicates(found);
  const left = new Set(options.deduplicate ? duplicates.map(({ run }) => run) : []);
  for (const run of found)
    if (left.has(run.created.run)) filtered.take('deduplicate', run.created.run, rowsOf(run));
  const runs = found.filter(({ created }) => !left.has(created.run));

  const rows = filterRows(runs, { options, target, filtered });
  if (rows.length === 0) refuseEmpty(runs, filtered);
  const withRows = new Set(rows.map(({ run }) => run));
  const split = options.split === undefined ? null : planSplit([...withRows], options.split);
  const sideOf = sidesOfRuns(split);
  const labels = preset.carried === 'paper' ? labelsOf(runs) : null;
  const candidates = rows.map(
    (row): Candidate => ({
      ...row,
      carried: labels === null || row.kind === 'summary' ? [] : carriedSteps(row, labels),
      split: sideOf(row.run),
      purged: row.kind === 'react' ? row.segment.purged : row.segment.summary?.purged === true,
    }),
  );
  const variants = options.variants.map((variant) =>
    planVariant(variant, candidates, runs, {
      undecided: options.undecided,
      preset,
      keepsUntrained: target.untrained === 'keep',
    }),
  );
  if (split !== null) for (const variant of variants) refuseWithoutTraining(variant);
  const kept = union(variants);
  return {
    options,
    preset,
    runs,
    variants,
    duplicates,
    split,
    repeat: target.repeats === 'rows' ? preset.repeat : { react: 1, summary: 1 },
    ...pinned(runs),
    undecided: target.undecided === 'ignored' ? [] : undecidedSteps(candidates),
    unfinished: runs.reduce(
      (sum, { segments }) => segments.reduce((all, { unfinished }) => all + unfinished.length, sum),
      0,
    ),
    noTools: countNoTools(kept),
    inherited: labels === null ? [] : inheritedSteps(kept, labels),
    filtered: filtered.list,
  };
}

/** @throws WaymarkError `unsupported` */
function checkOptions(
  target: PlannedTarget,
  { compression, arguments: form, encoding }: ExportOptions,
): void {
  const { title, compressions, encodings, argumentsForm } = target;
  if (encoding !== undefined && !encodings.includes(encoding)) {
    throw new WaymarkError(
      'unsupported',
      `Datasets for ${title} are not written as ${encoding}. Choose ${encodings.join(' or ')}, or leave the encoding out.`,
    );
  }
  if (!compressions.includes(compression)) {
    throw new WaymarkError(
      'unsupported',
      `Datasets for ${title} are not written with ${compression}. Choose ${compressions.join(' or ')}.`,
    );
  }
  if (form !== 'auto' && argumentsForm !== 'template' && argumentsForm !== form) {
    throw new WaymarkError(
      'unsupported',
      `${title} reads the arguments of calls as ${argumentsForm === 'string' ? 'text' : 'objects'} only. Leave the form of arguments out, or choose ${argumentsForm}.`,
    );
  }
}

interface Reading {
  options: ExportOptions;
  preset: DatasetPreset;
  filtered: Filtered;
}

/** Runs that pass what is asked of a run, by id. */
async function readRuns(
  reader: DatasetReader,
  request: ExportRequest,
  { options, preset, filtered }: Reading,
): Promise<RunPlan[]> {
  const heads = await chosenHeads(reader, options, filtered);
  const total = 2 * heads.reduce((sum, { seq }) => sum + seq, 0);
  const checks = runChecks(options.filter);
  let done = 0;
  const runs: RunPlan[] = [];
  for (const { run, seq } of heads) {
    const how: PlanOptions = {
      preset: preset.name,
      precedence: request.precedence,
      reasoning: preset.reasoning,
      variants: options.variants,
      judges: options.filter.judges,
      signal: request.signal,
      onEvents: (count) => {
        done += count;
        request.onProgress?.({ done, total });
      },
    };
    const kept = (await request.plans?.get(run, seq, how)) ?? null;
    if (kept !== null) how.onEvents?.(seq);
    const plan = kept ?? (await whileThere(reader, run, () => planRun(reader, run, seq, how)));
    if (plan !== null && kept === null) await request.plans?.keep(plan);
    if (plan === null) continue;
    const by = failing(checks, plan);
    if (by === null) runs.push(plan);
    else filtered.take(by, run, rowsOf(plan));
  }
  return runs;
}

/** A name that nobody voted under would leave every vote out unseen. @throws WaymarkError `bad_input` */
function refuseUnheard(runs: readonly RunPlan[], judges: readonly string[]): void {
  if (judges.length === 0) return;
  const heard = new Set<string>();
  for (const { segments } of runs) {
    for (const { steps, summary } of segments) {
      for (const step of summary === null ? steps : [...steps, summary.step])
        for (const { judge } of [...step.judges, ...step.rewards]) heard.add(judge);
    }
  }
  const missing = judges.filter((judge) => !heard.has(judge));
  if (missing.length === 0) return;
  throw new WaymarkError(
    'bad_input',
    `No judge called ${fewOf(missing.map((name) => `"${name}"`)).join(', ')} has voted on the chosen runs. "judge agreement" names those that have.`,
  );
}

/**
 * In the order of the run ids, each once: the same runs give the same file in whatever order they were named. Runs whose import
 * is not finished are in none. @throws WaymarkError `refused` when one of these was named
 */
async function chosenHeads(
  reader: DatasetReader,
  { runs, filter }: ExportOptions,
  filtered: Filtered,
): Promise<{ run: string; seq: number }[]> {
  const summaries =
    runs.length === 0 ? await reader.runs() : await Promise.all(runs.map((run) => reader.run(run)));
  const whole = summaries.filter(({ state }) => state !== 'importing' && state !== 'import_broken');
  const part = summaries.find((summary) => !whole.includes(summary));
  if (runs.length > 0 && part !== undefined) {
    throw new WaymarkError(
      'refused',
      part.state === 'importing'
        ? `Run ${part.id} is still being imported. Export it once that is done.`
        : `The import of run ${part.id} was interrupted, so it is not exported. Import the same files again to replace it, or leave it out.`,
    );
  }
  const sorted = [...whole].sort((a, b) => (a.id < b.id ? -1 : 1));
  const checks = creationChecks(filter);
  const heads: { run: string; seq: number }[] = [];
  for (const { id, seq, segments } of sorted) {
    if (checks.length > 0) {
      const [created] = await whileThere(reader, id, () => reader.events(id, 1, 1));
      const by = created?.kind === 'run.created' ? failing(checks, created) : null;
      if (by !== null) {
        // What is not read is counted as its segments say: a row each, and one for the summary turn between two.
        filtered.take(by, id, Math.max(0, 2 * segments - 1));
        continue;
      }
    }
    heads.push({ run: id, seq });
  }
  return heads;
}

function filterRows(
  runs: readonly RunPlan[],
  { options, target, filtered }: { options: ExportOptions; target: PlannedTarget; filtered: Filtered },
): RowFacts[] {
  const checks = rowChecks(options.filter);
  const rows: RowFacts[] = [];
  for (const run of runs) {
    for (const row of rowFacts(run)) {
      const by = target.kinds.includes(row.kind) ? failing(checks, row) : 'format';
      if (by === null) rows.push(row);
      else filtered.take(by, run.created.run, 1);
    }
  }
  return rows;
}

function rowFacts(run: RunPlan): RowFacts[] {
  return run.segments.flatMap((segment) => {
    const { steps, summary, tokens } = segment;
    const rows: RowFacts[] = [];
    if (steps.length > 0) rows.push({ kind: 'react', run, segment, steps, tokens });
    if (summary !== null)
      rows.push({ kind: 'summary', run, segment, steps: [summary.step], tokens: summary.tokens });
    return rows;
  });
}

/** @throws WaymarkError `export_empty` where there is nothing to choose from */
function refuseEmpty(runs: readonly RunPlan[], filtered: Filtered): never {
  if (!filtered.isEmpty) filtered.refuseEmpty();
  throw new WaymarkError(
    'export_empty',
    runs.length === 0
      ? 'There is nothing to export: the workspace holds no run. Start one first.'
      : 'There is nothing to export: none of the chosen runs has a finished step yet.',
  );
}

/** @throws WaymarkError `refused` */
function refuseWithoutTraining({ variant, rows }: VariantPlan): void {
  if (rows.length === 0 || rows.some(({ split }) => split === 'train')) return;
  throw new WaymarkError(
    'refused',
    `The rows of variant "${variant}" cannot be split with this seed: every row that trains belongs to a task on the validation side. Choose another seed, or export without a split.`,
  );
}

function pinned(runs: readonly RunPlan[]): Pick<ExportPlan, 'ruleSets' | 'snapshot'> {
  const ruleSets = new Map(runs.map(({ ruleSet }) => [ruleSetVersion(ruleSet), ruleSet]));
  const snapshot = createHash('sha256')
    .update(
      snapshotText({
        runs: runs.map(({ created, seq, ruleSet }) => ({
          run: created.run,
          seq,
          rules: ruleSetVersion(ruleSet),
        })),
        entries: runs.flatMap(({ entries }) => entries),
        ruleSets: [...ruleSets].map(([version, { rules, precedence }]) => ({
          version,
          precedence,
          rules: ruleSetFacts(rules),
        })),
      }),
    )
    .digest('hex');
  return { ruleSets, snapshot };
}

/** Of rows that are there, own steps and carried ones that train in them: whatever would train must have been decided. */
function undecidedSteps(candidates: readonly Candidate[]): ExportPlan['undecided'] {
  const open = new Map<string, Set<number>>();
  const note = (run: string, { label, step }: StepPlan) => {
    if (label.value === null) open.set(run, (open.get(run) ?? new Set()).add(step));
  };
  for (const { purged, steps, carried, segment, run } of candidates) {
    if (purged) continue;
    for (const step of steps) note(run.created.run, step);
    for (const step of carried) {
      const from = segment.carried.find((each) => each.step === step.step);
      note(from?.run ?? run.created.run, step);
    }
  }
  return stepsByRun(open);
}

function stepsByRun(steps: ReadonlyMap<string, ReadonlySet<number>>): { run: string; steps: number[] }[] {
  return [...steps]
    .map(([run, numbers]) => ({ run, steps: [...numbers].sort((a, b) => a - b) }))
    .sort((a, b) => (a.run < b.run ? -1 : 1));
}

/** Steps of all runs, by run and number. */
function labelsOf(runs: readonly RunPlan[]): Map<string, Map<number, StepPlan>> {
  return new Map(
    runs.map(({ created, segments }) => [
      created.run,
      new Map(segments.flatMap(({ steps }) => steps.map((step) => [step.step, step] as const))),
    ]),
  );
}

type Labels = ReadonlyMap<string, ReadonlyMap<number, StepPlan>>;

function carriedSteps({ segment }: RowFacts, labels: Labels): StepPlan[] {
  return segment.carried
    .flatMap(({ run, step }) => labels.get(run)?.get(step) ?? [])
    .sort((a, b) => a.step - b.step);
}

function inheritedSteps(rows: readonly RowPlan[], labels: Labels): ExportPlan['inherited'] {
  const inherited = new Map<string, Set<number>>();
  for (const { kind, segment } of rows) {
    for (const { run, step } of kind === 'react' ? segment.carried : []) {
      if (!labels.has(run)) inherited.set(run, (inherited.get(run) ?? new Set()).add(step));
    }
  }
  return stepsByRun(inherited);
}

/** Rows that some variant holds, each once, in their order. */
function union(variants: readonly VariantPlan[]): RowPlan[] {
  const [first, ...others] = variants;
  const rows = new Map((first?.rows ?? []).map((row) => [keyOf(row), row]));
  for (const { rows: more } of others)
    for (const row of more) if (!rows.has(keyOf(row))) rows.set(keyOf(row), row);
  return [...rows.values()];
}

const keyOf = ({ run, kind, segment }: RowPlan) => `${run.created.run} ${segment.fromSeq} ${kind}`;

function countNoTools(rows: readonly RowPlan[]): ExportPlan['noTools'] {
  const counts = new Map<string, number>();
  for (const { run, kind, segment } of rows) {
    if (toolsFrom(run.tools, kind, segment.segment) !== 'none') continue;
    counts.set(run.created.run, (counts.get(run.created.run) ?? 0) + 1);
  }
  return [...counts].map(([run, number]) => ({ run, rows: number })).sort((a, b) => (a.run < b.run ? -1 : 1));
}
