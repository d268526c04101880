import type { ExperimentRun } from './experiment-run';
import { type Figure, figureOf } from './figures';

const HOUR = 3_600_000;

/** What is measured of a run, in the order tables show it. */
export const measures = ['final', 'best', 'timeToBest', 'hours', 'cost'] as const;
export type Measure = (typeof measures)[number];

/** A measure over some runs of one task or over several tasks. */
export interface MeasureFigures {
  /** Mean and deviation over the tasks' own means: every task counts the same, however many runs it has. */
  overTasks: Figure;
  /** Over all runs, whatever their task. */
  overRuns: Figure;
}

export type Figures = Record<Measure, MeasureFigures>;

/** Some runs together: an arm, a domain of an arm, or a task of an arm. */
export interface Summary {
  runs: number;
  tasks: number;
  figures: Figures;
}

export interface ArmSummary extends Summary {
  /** Null: runs that were given no arm. */
  arm: string | null;
  /** What its runs were started with; several where they differ. */
  models: string[];
  taskHints: string[];
  humanHints: ('on' | 'off')[];
  byDomain: (Summary & { domain: string | null })[];
  byTask: (Summary & { task: string; title: string; domain: string | null })[];
}

/** A run's value of a measure, hours for times; null where it is not known. */
export function measured(run: ExperimentRun, measure: Measure): number | null {
  switch (measure) {
    case 'final':
    case 'best':
    case 'cost':
      return run[measure];
    case 'timeToBest':
      return run.timeToBestMs === null ? null : run.timeToBestMs / HOUR;
    case 'hours':
      return run.workingMs / HOUR;
  }
}

/** The arms of an experiment, by name; branches count in none. The order of the runs changes nothing. */
export function summariseArms(runs: readonly ExperimentRun[]): ArmSummary[] {
  const own = runs.filter(({ branch }) => !branch);
  return grouped(own, ({ arm }) => arm).map(([arm, inArm]) => ({
    arm,
    models: distinct(inArm.map(({ model }) => model)),
    taskHints: distinct(inArm.map(({ taskHint }) => taskHint)),
    humanHints: distinct(inArm.map(({ humanHints }) => (humanHints ? 'on' : 'off'))),
    ...summarise(inArm),
    byDomain: grouped(inArm, ({ task }) => task.domain).map(([domain, some]) => ({
      domain,
      ...summarise(some),
    })),
    byTask: grouped(inArm, ({ task }) => task.id).map(([task, some]) => ({
      task: task ?? '',
      title: some.map((run) => run.task.title).sort(byWord)[0] ?? '',
      domain: some.map((run) => run.task.domain).sort(byWord)[0] ?? null,
      ...summarise(some),
    })),
  }));
}

/** Money that nobody knows may be any amount; how many scores are missing stands beside the mean. */
export const unknownIn = (measure: Measure) => (measure === 'cost' ? 'spoils' : 'left out');

/** Figures of some runs. */
export function summarise(runs: readonly ExperimentRun[]): Summary {
  const tasks = grouped(runs, ({ task }) => task.id).map(([, some]) => some);
  const figures = Object.fromEntries(
    measures.map((measure) => {
      const unknown = unknownIn(measure);
      const of = (some: readonly ExperimentRun[]) =>
        figureOf(
          some.map((run) => measured(run, measure)),
          unknown,
        );
      const means = tasks.map((some) => of(some).mean);
      return [measure, { overTasks: figureOf(means, unknown), overRuns: of(runs) }];
    }),
  ) as Figures;
  return { runs: runs.length, tasks: tasks.length, figures };
}

function byWord(one: string | null, other: string | null): number {
  if (one === other) return 0;
  if (one === null || other === null) return one === null ? 1 : -1;
  return one < other ? -1 : 1;
}

function distinct<Word extends string>(words: readonly Word[]): Word[] {
  return [...new Set(words)].sort(byWord);
}

/** By key in the order of keys; what has none comes last. */
function grouped<Each>(all: readonly Each[], key: (each: Each) => string | null): [string | null, Each[]][] {
  const groups = new Map<string | null, Each[]>();
  for (const each of all) {
    const group = groups.get(key(each));
    if (group === undefined) groups.set(key(each), [each]);
    else group.push(each);
  }
  return [...groups].sort(([one], [other]) => byWord(one, other));
}
