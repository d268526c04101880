import { WaymarkError } from '@shared/contract/errors';
import type { ExportFilter } from '@shared/contract/export-request';
import type { FilterCount } from '@shared/contract/export-views';
import type { EventBody } from '@shared/log/events';
import { successAt } from '@shared/runs/outcome';
import { finalScore } from '@shared/runs/scores';
import type { RowPlan } from './plan';
import type { RunPlan } from './run-plan';

type Created = EventBody<'run.created'>;

type Check<T> = [by: keyof ExportFilter, passes: (each: T) => boolean];

const among = (wanted: readonly string[], value: string | null) => value !== null && wanted.includes(value);

/** What a run's first event decides: runs that fail are not read further. */
export function creationChecks(filter: ExportFilter): Check<{ body: Created; at: number }>[] {
  const { tasks, domains, experiments, arms, after, before } = filter;
  const checks: Check<{ body: Created; at: number }>[] = [];
  if (tasks) checks.push(['tasks', ({ body }) => among(tasks, body.task.id)]);
  if (domains) checks.push(['domains', ({ body }) => among(domains, body.task.domain)]);
  if (experiments) checks.push(['experiments', ({ body }) => among(experiments, body.experiment)]);
  if (arms) checks.push(['arms', ({ body }) => among(arms, body.arm)]);
  if (after !== undefined) checks.push(['after', ({ at }) => at >= after]);
  if (before !== undefined) checks.push(['before', ({ at }) => at < before]);
  return checks;
}

/** What needs the whole run. A run without a score passes neither. */
export function runChecks({ minScore, successful }: ExportFilter): Check<RunPlan>[] {
  const checks: Check<RunPlan>[] = [];
  const reaches = (run: RunPlan, points: number) => (finalScore(run.scores) ?? Number.NaN) >= points;
  if (minScore !== undefined) checks.push(['minScore', (run) => reaches(run, minScore)]);
  if (successful === true) checks.push(['successful', (run) => reaches(run, successAt(run.created.spec))]);
  return checks;
}

export type RowFacts = Pick<RowPlan, 'kind' | 'run' | 'segment' | 'steps' | 'tokens'>;

/** Labels are those of `all`, so every variant has the same rows to choose from. */
export function rowChecks(filter: ExportFilter): Check<RowFacts>[] {
  const { annotators, sources, kinds, minTokens, maxTokens } = filter;
  const checks: Check<RowFacts>[] = [];
  if (annotators)
    checks.push([
      'annotators',
      ({ steps }) => steps.some(({ by }) => by.some((name) => annotators.includes(name))),
    ]);
  if (sources)
    checks.push([
      'sources',
      ({ steps }) => steps.some(({ label }) => label.source !== null && sources.includes(label.source)),
    ]);
  if (kinds) checks.push(['kinds', ({ kind }) => kinds.includes(kind)]);
  if (minTokens !== undefined) checks.push(['minTokens', ({ tokens }) => tokens >= minTokens]);
  if (maxTokens !== undefined) checks.push(['maxTokens', ({ tokens }) => tokens <= maxTokens]);
  return checks;
}

/** The first check that `each` fails; null: it passes all. */
export function failing<T>(checks: readonly Check<T>[], each: T): keyof ExportFilter | null {
  return checks.find(([, passes]) => !passes(each))?.[0] ?? null;
}

/** What was taken out, in the order in which filters are asked. */
export class Filtered {
  private readonly counts = new Map<string, { runs: Set<string>; rows: number }>();

  take(by: string, run: string, rows: number): void {
    const known = this.counts.get(by) ?? { runs: new Set(), rows: 0 };
    known.runs.add(run);
    known.rows += rows;
    this.counts.set(by, known);
  }

  get list(): FilterCount[] {
    const place = (by: string) => filterOrder.indexOf(by);
    return [...this.counts]
      .map(([by, { runs, rows }]) => ({ by, runs: runs.size, rows }))
      .sort((a, b) => place(a.by) - place(b.by));
  }

  /** @throws WaymarkError `export_empty`: filters left nothing of runs that had rows. */
  refuseEmpty(): never {
    const what = this.list.map(
      ({ by, runs, rows }) => `${filterName(by)} (${counted(runs, 'run')}, ${counted(rows, 'row')})`,
    );
    throw new WaymarkError(
      'export_empty',
      `There is nothing to export: the filters leave no row. Taken out by ${what.join(', ')}. Loosen one of them.`,
      what.join('\n'),
    );
  }

  get isEmpty(): boolean {
    return this.counts.size === 0;
  }
}

/** What people call each, in the order in which they are asked: what one takes out the next ones do not see. */
const filterNames: Readonly<Record<string, string>> = {
  tasks: 'task',
  domains: 'domain',
  experiments: 'experiment',
  arms: 'arm',
  after: 'first date',
  before: 'last date',
  minScore: 'lowest score',
  successful: 'success',
  deduplicate: 'a better run of the same task and sample',
  format: 'kinds of rows that the trainer takes',
  annotators: 'annotator',
  judges: 'judge',
  sources: 'label source',
  kinds: 'kind of row',
  minTokens: 'shortest length',
  maxTokens: 'longest length',
};
const filterOrder = Object.keys(filterNames);

/** `by` of a `FilterCount` in words. */
export function filterName(by: string): string {
  return filterNames[by] ?? by;
}

const counted = (number: number, what: string) => `${number} ${what}${number === 1 ? '' : 's'}`;

/** Rows of a run, as far as its segments tell: one each, and one for each summary turn. */
export function rowsOf({ segments }: Pick<RunPlan, 'segments'>): number {
  return segments.reduce(
    (sum, { steps, summary }) => sum + (steps.length > 0 ? 1 : 0) + (summary === null ? 0 : 1),
    0,
  );
}

/**
 * Of the runs of one task and sample the one with the best final score stays; ties go to the smaller id. A run that has no row or
 * no score stays only where no other has. Runs that were made for no sample are one sample of their task.
 *
 * @returns every other run, with the one that stays instead
 */
export function findDuplicates(runs: readonly RunPlan[]): { run: string; kept: string }[] {
  const best = new Map<string, RunPlan>();
  const keyOf = ({ created }: RunPlan) => JSON.stringify([created.task.id, created.sample]);
  for (const run of runs) {
    const known = best.get(keyOf(run));
    if (known === undefined || isBetter(run, known)) best.set(keyOf(run), run);
  }
  return runs.flatMap((run) => {
    const kept = best.get(keyOf(run)) ?? run;
    return kept === run ? [] : [{ run: run.created.run, kept: kept.created.run }];
  });
}

function isBetter(run: RunPlan, known: RunPlan): boolean {
  const worth = (each: RunPlan) => [
    rowsOf(each) > 0 ? 1 : 0,
    finalScore(each.scores) ?? Number.NEGATIVE_INFINITY,
  ];
  const [rows = 0, score = 0] = worth(run);
  const [knownRows = 0, knownScore = 0] = worth(known);
  if (rows !== knownRows) return rows > knownRows;
  if (score !== knownScore) return score > knownScore;
  return run.created.run < known.created.run;
}
