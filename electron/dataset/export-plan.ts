import { createHash } from 'node:crypto';
import type { Trajectory } from '@shared/context/trajectory';
import { WaymarkError } from '@shared/contract/errors';
import { snapshotText } from '@shared/labels/label-snapshot';
import { type RuleSet, ruleSetFacts, ruleSetVersion } from '../label/rule-set';
import type { DatasetReader } from './event-pages';
import { type DatasetPreset, datasetPreset, type ExportRequest } from './export-request';
import { toolsFrom } from './imported-rows';
import { planRun, type RunPlan, type SegmentPlan, type StepPlan } from './run-plan';

export type DropReason = 'nothing_trained' | 'over_context' | 'text_purged' | 'no_steps';

/** A row to be written: a segment's context, or the summary turn at its end. */
export interface RowPlan {
  kind: Trajectory['kind'];
  run: RunPlan;
  segment: SegmentPlan;
  /** Steps sampled in the trajectory, with their labels. */
  steps: StepPlan[];
  /** Mask of each of them. */
  masks: Map<number, 0 | 1>;
  /** Masks of carried steps, where these train too. */
  carried: Map<number, 0 | 1>;
  /** Estimated length, tokens. */
  tokens: number;
}

export interface ExportPlan {
  preset: DatasetPreset;
  /** Each set of rules that some run rests on, by its version. */
  ruleSets: ReadonlyMap<string, RuleSet>;
  snapshot: string;
  runs: RunPlan[];
  rows: RowPlan[];
  dropped: { reason: DropReason; count: number }[];
  undecided: { run: string; steps: number[] }[];
  /** Kept rows longer than the context limit of the model that sampled their last step. */
  overContext: number;
  /** Steps without all their observations, left out. */
  unfinished: number;
  /** Runs with rows that would have no tools: neither the log nor its program tells them. */
  noTools: { run: string; rows: number }[];
  /** Inherited steps that would train wherever they stand, and are masked: the run they were made in is not exported. */
  inherited: { run: string; steps: number[] }[];
  /** Of the rows that are written; a step counts once however often its row is repeated. */
  counts: LabelCount[];
}

export interface LabelCount {
  source: string;
  reason: string;
  value: 'train' | 'mask';
  count: number;
}

/**
 * Reads every chosen run once and decides, before a byte is written, which rows there will be and what their
 * masks are. A run in progress is cut at its last event of now; the snapshot says where.
 * @throws WaymarkError `not_found` for an unknown run, `export_empty` when no run has a step, `cancelled`.
 */
export async function planExport(reader: DatasetReader, request: ExportRequest): Promise<ExportPlan> {
  const preset = datasetPreset(request.preset ?? 'default', request);
  const heads = await runHeads(reader, request.runs);
  const total = 2 * heads.reduce((sum, { seq }) => sum + seq, 0);
  let done = 0;
  const runs: RunPlan[] = [];
  for (const { run, seq } of heads) {
    const plan = await planRun(reader, run, seq, {
      preset: preset.name,
      precedence: request.precedence,
      reasoning: preset.reasoning,
      signal: request.signal,
      onEvents: (count) => {
        done += count;
        request.onProgress?.({ done, total });
      },
    });
    if (plan) runs.push(plan);
  }
  if (!runs.some(({ segments }) => segments.some(({ steps }) => steps.length > 0))) {
    throw new WaymarkError(
      'export_empty',
      runs.length === 0
        ? 'There is nothing to export: the workspace holds no run. Start one first.'
        : 'There is nothing to export: none of the chosen runs has a finished step yet.',
    );
  }
  const ruleSets = new Map(runs.map(({ ruleSet }) => [ruleSetVersion(ruleSet), ruleSet]));
  const snapshot = createHash('sha256')
    .update(
      snapshotText({
        runs: runs.map(({ created, seq, ruleSet }) => ({
          ...{ run: created.run, seq, rules: ruleSetVersion(ruleSet) },
        })),
        entries: runs.flatMap(({ entries }) => entries),
        ruleSets: [...ruleSets].map(([version, { rules, precedence }]) => ({
          ...{ version, precedence, rules: ruleSetFacts(rules) },
        })),
      }),
    )
    .digest('hex');
  const base = { preset, ruleSets, snapshot, runs, undecided: undecidedSteps(runs) };
  return { ...base, ...planRows(runs, preset, request.undecided) };
}

/**
 * In the order of the run ids, each once: the same runs give the same file in whatever order they were named. Runs whose import
 * is not finished are in none. @throws WaymarkError `refused` when one of these was named
 */
async function runHeads(
  reader: DatasetReader,
  wanted: string[] | 'all',
): Promise<{ run: string; seq: number }[]> {
  const summaries =
    wanted === 'all'
      ? await reader.runs()
      : await Promise.all([...new Set(wanted)].map((run) => reader.run(run)));
  const whole = summaries.filter(({ state }) => state !== 'importing' && state !== 'import_broken');
  const part = summaries.find((summary) => !whole.includes(summary));
  if (wanted !== 'all' && part !== undefined) {
    throw new WaymarkError(
      'refused',
      part.state === 'importing'
        ? `Run ${part.id} is still being imported. Export it once that is done.`
        : `The import of run ${part.id} was interrupted, so it is not exported. Import the same files again to replace it, or leave it out.`,
    );
  }
  return whole.map(({ id, seq }) => ({ run: id, seq })).sort((a, b) => (a.run < b.run ? -1 : 1));
}

function undecidedSteps(runs: readonly RunPlan[]): ExportPlan['undecided'] {
  return runs
    .map(({ created, segments }) => ({
      run: created.run,
      steps: segments
        .flatMap(({ purged, steps, summary }) => [
          ...(purged ? [] : steps),
          ...(summary === null || summary.purged ? [] : [summary.step]),
        ])
        .filter(({ label }) => label.value === null)
        .map(({ step }) => step),
    }))
    .filter(({ steps }) => steps.length > 0);
}

function planRows(
  runs: readonly RunPlan[],
  preset: DatasetPreset,
  undecided: ExportRequest['undecided'],
): Pick<ExportPlan, 'rows' | 'dropped' | 'overContext' | 'unfinished' | 'noTools' | 'inherited' | 'counts'> {
  const rows: RowPlan[] = [];
  const dropped = new Map<DropReason, number>();
  const drop = (reason: DropReason) => dropped.set(reason, (dropped.get(reason) ?? 0) + 1);
  const counts = new Map<string, LabelCount>();
  let overContext = 0;
  let unfinished = 0;
  const inherited = new Map<string, Set<number>>();
  const labels = preset.carried === 'paper' ? labelsOf(runs) : null;
  const plan = (row: Pick<RowPlan, 'kind' | 'run' | 'segment' | 'steps' | 'tokens'>, purged: boolean) => {
    const { kind, run, segment, steps, tokens } = row;
    const masks = new Map(steps.map((step) => [step.step, maskOf(step, undecided)]));
    const carried = new Map<number, 0 | 1>();
    for (const each of kind === 'react' ? segment.carried : []) {
      const step = labels?.get(each.run)?.get(each.step);
      if (step !== undefined) carried.set(each.step, maskOf(step, undecided));
    }
    if (purged) drop('text_purged');
    else if (preset.maxTokens !== null && tokens > preset.maxTokens) drop('over_context');
    else if (![...masks.values(), ...carried.values()].includes(1)) drop('nothing_trained');
    else {
      rows.push({ ...row, masks, carried });
      for (const each of kind === 'react' ? segment.carried : []) {
        if (labels?.has(each.run) !== false) continue;
        inherited.set(each.run, (inherited.get(each.run) ?? new Set()).add(each.step));
      }
      if (tokens > modelOf({ run, steps }).contextTokens) overContext += 1;
      for (const step of steps) count(counts, step, masks.get(step.step) ?? 0);
    }
  };
  for (const run of runs) {
    if (run.segments.every(({ steps }) => steps.length === 0)) drop('no_steps');
    for (const segment of run.segments) {
      const { steps, summary, tokens } = segment;
      unfinished += segment.unfinished.length;
      if (steps.length > 0) plan({ kind: 'react', run, segment, steps, tokens }, segment.purged);
      if (summary !== null) {
        const turn = {
          kind: 'summary' as const,
          run,
          segment,
          steps: [summary.step],
          tokens: summary.tokens,
        };
        plan(turn, summary.purged);
      }
    }
  }
  return {
    rows,
    dropped: [...dropped].map(([reason, number]) => ({ reason, count: number })).sort(byReason),
    overContext,
    unfinished,
    noTools: countNoTools(rows),
    inherited: [...inherited]
      .map(([run, steps]) => ({ run, steps: [...steps].sort((a, b) => a - b) }))
      .sort((a, b) => (a.run < b.run ? -1 : 1)),
    counts: [...counts].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, value]) => value),
  };
}

/** The model that sampled the row's last step; earlier ones may name another. */
export function modelOf({ run, steps }: Pick<RowPlan, 'run' | 'steps'>): StepPlan['model'] {
  return steps.at(-1)?.model ?? run.created.model;
}

function countNoTools(rows: readonly RowPlan[]): ExportPlan['noTools'] {
  const counts = new Map<string, number>();
  for (const { run, kind, segment } of rows) {
    if (toolsFrom(run.tools, kind, segment.segment) !== 'none') continue;
    counts.set(run.created.run, (counts.get(run.created.run) ?? 0) + 1);
  }
  return [...counts].map(([run, number]) => ({ run, rows: number }));
}

function byReason(a: { reason: string }, b: { reason: string }): number {
  return a.reason < b.reason ? -1 : 1;
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

function maskOf({ label }: StepPlan, undecided: ExportRequest['undecided']): 0 | 1 {
  return (label.value ?? undecided) === 'train' ? 1 : 0;
}

function count(counts: Map<string, LabelCount>, { label }: StepPlan, mask: 0 | 1): void {
  const source = label.source ?? 'waiver';
  const reason = label.reason ?? (label.disagreement ? 'disagreement' : 'undecided');
  const value = mask === 1 ? 'train' : 'mask';
  const key = JSON.stringify([source, reason, value]);
  const entry = counts.get(key) ?? { source, reason, value, count: 0 };
  counts.set(key, { ...entry, count: entry.count + 1 });
}

/** How many steps of which runs, for people. */
export function countInherited({
  inherited,
}: Pick<ExportPlan, 'inherited'>): { run: string; steps: number }[] {
  return inherited.map(({ run, steps }) => ({ run, steps: steps.length }));
}

/** Lines of the file: rows, each as often as the preset repeats it. */
export function countLines({ rows, preset }: Pick<ExportPlan, 'rows' | 'preset'>): number {
  return rows.reduce((sum, { kind }) => sum + preset.repeat[kind], 0);
}

/** Trained and masked steps of the planned rows. */
export function countMasks(rows: readonly RowPlan[]): { trained: number; masked: number } {
  const masks = rows.flatMap((row) => [...row.masks.values()]);
  const trained = masks.filter((mask) => mask === 1).length;
  return { trained, masked: masks.length - trained };
}

/** `3, 5-9, 12`: at most `limit` pieces, then how many steps more. */
export function stepRanges(steps: readonly number[], limit = Number.POSITIVE_INFINITY): string {
  const pieces: { from: number; to: number }[] = [];
  for (const step of steps) {
    const last = pieces.at(-1);
    if (last && last.to === step - 1) last.to = step;
    else pieces.push({ from: step, to: step });
  }
  const shown = pieces.slice(0, limit);
  const left = pieces.slice(limit).reduce((sum, { from, to }) => sum + to - from + 1, 0);
  const text = shown.map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`)).join(', ');
  return left > 0 ? `${text} and ${left} more` : text;
}
