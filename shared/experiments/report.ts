import { armsAgainst, baseArm } from './arms-compared';
import type { ExperimentRun } from './experiment-run';
import type { Figure } from './figures';
import { effectOfHints, effortOf } from './hints-and-effort';
import { scalingCurve } from './scaling-curve';
import {
  type ArmSummary,
  type Figures,
  type Measure,
  measures,
  type Summary,
  summariseArms,
} from './summary';

/** A table of an experiment: a title, a head, and rows of texts. */
export interface ReportTable {
  title: string;
  head: string[];
  rows: string[][];
}

const heads: Record<Measure, string> = {
  final: 'Final score',
  best: 'Best score',
  timeToBest: 'Hours to best',
  hours: 'Hours',
  cost: 'Cost',
};

/** What a report, and the command line, show of an experiment. */
export function reportTables(runs: readonly ExperimentRun[]): ReportTable[] {
  const arms = summariseArms(runs);
  const tables: ReportTable[] = [
    {
      title: 'Arms: means over tasks ± deviation over tasks',
      head: ['Arm', 'Models', 'Task hint', 'Human hints', 'Tasks', 'Runs', ...measureHeads],
      rows: arms.map((arm) => [
        ...[armName(arm.arm), arm.models.join(', '), arm.taskHints.join(', '), arm.humanHints.join(', ')],
        ...[String(arm.tasks), String(arm.runs), ...figureCells(arm.figures, 'overTasks')],
      ]),
    },
    {
      title: 'Arms: means over runs ± deviation over runs',
      head: ['Arm', 'Runs', ...measureHeads],
      rows: arms.map((arm) => [
        ...[armName(arm.arm), String(arm.runs), ...figureCells(arm.figures, 'overRuns')],
      ]),
    },
    {
      title: 'By domain: means over tasks ± deviation over tasks',
      head: ['Domain', 'Arm', 'Tasks', 'Runs', ...measureHeads],
      rows: sideBySide(
        arms,
        ({ byDomain }) => byDomain,
        ({ domain }) => domain ?? '(no domain)',
        'overTasks',
      ),
    },
    {
      title: 'By task: means over runs ± deviation over runs',
      head: ['Task', 'Arm', 'Runs', ...measureHeads],
      rows: sideBySide(
        arms,
        ({ byTask }) => byTask,
        ({ task }) => task,
        'overRuns',
      ),
    },
    differenceTable(arms),
    curveTable(arms, runs),
    ...hintTables(arms, runs),
  ];
  return tables.filter(({ rows }) => rows.length > 0);
}

/** What no table can say, in sentences. */
export function reportNotes(runs: readonly ExperimentRun[]): string[] {
  const branches = runs.filter(({ branch }) => branch).length;
  const going = runs.filter(({ ended, branch }) => !ended && !branch).length;
  return [
    'Hours are working time. A mean of scores leaves out runs without one and says how many; a mean of costs is unknown as soon as one cost is.',
    ...(going > 0 ? [`Not ended yet, so without a final score: ${going}.`] : []),
    ...(branches > 0 ? [`Branches, which count in no table: ${branches}.`] : []),
    'Watching counts the time a run was open in Watch with somebody in front of the window, since this is recorded. Whether and when an agent followed a hint is not known: the steps until better count to the first score above the last one before the hint.',
  ];
}

/** A report that can be pasted into a paper. */
export function reportMarkdown(name: string, runs: readonly ExperimentRun[]): string {
  const parts = reportTables(runs).map(({ title, head, rows }) =>
    [`## ${title}`, '', row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n'),
  );
  return [`# ${inMarkdown(name)}`, ...parts, ...reportNotes(runs)].join('\n\n');
}

const measureHeads = measures.map((measure) => heads[measure]);

function row(cells: readonly string[]): string {
  return `| ${cells.map(inMarkdown).join(' | ')} |`;
}

/** Names are other people's words: they neither end a cell or a line nor become markup. */
function inMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[\\|`*_[\]<>#]/g, '\\$&');
}

function armName(arm: string | null): string {
  return arm ?? '(no arm)';
}

/** "24.01 ± 3.20", with what is missing; "unknown" where there is no mean. */
export function figureText({ mean, deviation, unknown, n }: Figure): string {
  if (mean === null) return n + unknown === 0 ? '–' : 'unknown';
  const spread = deviation === null ? '' : ` ± ${deviation.toFixed(2)}`;
  return `${twoDigits(mean)}${spread}${unknown > 0 ? ` (n = ${n}, ${unknown} without)` : ''}`;
}

/** No zero below zero. */
function twoDigits(value: number): string {
  const digits = value.toFixed(2);
  return Number(digits) === 0 ? '0.00' : digits;
}

function figureCells(figures: Figures, over: 'overTasks' | 'overRuns'): string[] {
  return measures.map((measure) => figureText(figures[measure][over]));
}

/** The arms under one another for each key. */
function sideBySide<Part extends Summary>(
  arms: readonly ArmSummary[],
  partsOf: (arm: ArmSummary) => readonly Part[],
  keyOf: (part: Part) => string,
  over: 'overTasks' | 'overRuns',
): string[][] {
  const all = arms.flatMap((arm) => partsOf(arm).map((part) => ({ arm: arm.arm, part, key: keyOf(part) })));
  return [...new Set(all.map(({ key }) => key))].flatMap((key) =>
    all
      .filter((each) => each.key === key)
      .map(({ arm, part }) => [
        ...[key, armName(arm), ...(over === 'overTasks' ? [String(part.tasks)] : []), String(part.runs)],
        ...figureCells(part.figures, over),
      ]),
  );
}

function inArm(runs: readonly ExperimentRun[], arm: string | null): ExperimentRun[] {
  return runs.filter((run) => run.arm === arm && !run.branch);
}

function curveTable(arms: readonly ArmSummary[], runs: readonly ExperimentRun[]): ReportTable {
  return {
    title: 'Scaling: mean over tasks of the last score at or before the hour',
    head: ['Arm', 'Hour', 'Score', 'Tasks with a score'],
    rows: arms.flatMap(({ arm }) =>
      scalingCurve(inArm(runs, arm)).map(({ hour, score, tasks, of }) => [
        ...[armName(arm), String(hour), score === null ? '–' : score.toFixed(2), `${tasks} of ${of}`],
      ]),
    ),
  };
}

/** Paired by task: the arms with hints against the one without, or whichever is the first. */
function differenceTable(arms: readonly ArmSummary[]): ReportTable {
  const base = baseArm(arms)?.arm ?? null;
  return {
    title: `Against ${armName(base)}: means over the tasks of both ± deviation over tasks`,
    head: ['Arm', 'Tasks of both', ...measureHeads, 'Final better, worse, same'],
    rows: armsAgainst(arms, base).map(({ arm, tasks, figures, better, worse, same }) => [
      ...[armName(arm), String(tasks)],
      ...measures.map((measure) => signed(figures[measure])),
      `${better}, ${worse}, ${same}`,
    ]),
  };
}

function signed(figure: Figure): string {
  return figure.mean !== null && Number(figure.mean.toFixed(2)) > 0
    ? `+${figureText(figure)}`
    : figureText(figure);
}

function hintTables(arms: readonly ArmSummary[], runs: readonly ExperimentRun[]): ReportTable[] {
  return [
    {
      title: 'Hints: scores before and after, by category',
      head: ['Arm', 'Category', 'Hints', 'Before', 'After', 'Change', 'Better later', 'Steps until better'],
      rows: arms.flatMap(({ arm }) =>
        effectOfHints(inArm(runs, arm)).map(({ category, hints, before, after, change, ...then }) => [
          ...[armName(arm), category, String(hints), ...[before, after, change].map(figureText)],
          ...[`${then.better} of ${hints}`, figureText(then.stepsToBetter)],
        ]),
      ),
    },
    {
      title: "Effort of people, and the runs' cost",
      head: [
        ...['Arm', 'Hints', 'Words', 'Minutes watched', 'Looks per hour', 'Minutes in review'],
        ...['Steps reviewed', 'Labels per minute', 'Human minutes per run', 'Cost of a run'],
      ],
      rows: arms.map(({ arm, figures }) => {
        const effort = effortOf(inArm(runs, arm));
        const { reviewMinutes, reviewedSteps } = effort;
        const kept = (value: number | null) => (reviewMinutes === null ? 'withheld' : decimal(value));
        return [
          ...[armName(arm), String(effort.hints), String(effort.words), decimal(effort.watchMinutes)],
          ...[decimal(effort.looksPerHour), kept(reviewMinutes), reviewedSteps?.toString() ?? 'withheld'],
          ...[kept(effort.labelsPerMinute), kept(effort.minutesPerRun), figureText(figures.cost.overRuns)],
        ];
      }),
    },
  ];
}

function decimal(value: number | null): string {
  return value?.toFixed(1) ?? '–';
}
