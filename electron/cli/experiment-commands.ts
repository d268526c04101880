import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { armsAgainst, baseArm } from '@shared/experiments/arms-compared';
import type { ExperimentRun } from '@shared/experiments/experiment-run';
import { effectOfHints, effortOf } from '@shared/experiments/hints-and-effort';
import { reportMarkdown, reportNotes, reportTables } from '@shared/experiments/report';
import { runsCsv } from '@shared/experiments/runs-csv';
import { scalingCurve } from '@shared/experiments/scaling-curve';
import { summariseArms } from '@shared/experiments/summary';
import type { OverlapKind } from '@shared/experiments/task-overlap';
import { DatasetRegistry } from '../dataset/past/dataset-registry';
import { datasetTasks, experimentTasks } from '../dataset/past/task-sets';
import { type Arguments, oneOf, required } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, counted, table } from './output';

/** `experiment …`: which there are, and what their runs came to. */
export async function experimentCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, name] = args.words;
  switch (verb) {
    case 'list':
      return list(context);
    case 'show':
      return showExperiment(context, required(name, 'The experiment'), args.values.format);
    case 'overlap':
      return overlap(context, required(name, 'The experiment'), args);
    default:
      throw new WaymarkError(
        'bad_input',
        `There is no command "experiment ${verb ?? ''}". Run "waymark --help" for the commands.`,
      );
  }
}

async function list({ reader }: CliContext): Promise<CommandResult> {
  const experiments = await reader.experiments();
  return {
    json: { experiments },
    lines:
      experiments.length === 0
        ? ['No run names an experiment. Start runs with --experiment NAME --arm NAME.']
        : table([
            ['experiment', 'arms', 'tasks', 'runs', 'ended'],
            ...experiments.map(({ name, arms, tasks, runs, ended }) => [
              ...[name, String(arms), String(tasks), String(runs), String(ended)],
            ]),
          ]),
  };
}

/** `experiment overlap`: exit code 1 when a task is in the other set as well, so that a script can stop there. */
async function overlap(
  { reader, folder }: CliContext,
  name: string,
  { values }: Arguments,
): Promise<CommandResult> {
  const { with: experiment, dataset } = values;
  if ((experiment === undefined) === (dataset === undefined)) {
    throw new WaymarkError(
      'bad_input',
      'Say what to compare the experiment with: either --with EXPERIMENT or --dataset DIR.',
    );
  }
  const ones = await experimentTasks(reader, name);
  const others =
    experiment === undefined
      ? await tasksOfFolder(folder, dataset ?? '')
      : await experimentTasks(reader, experiment);
  const overlaps = await reader.taskOverlap(ones, others);
  return {
    json: { experiment: name, ...(experiment === undefined ? { dataset } : { with: experiment }), overlaps },
    lines:
      overlaps.length === 0
        ? ['No task is in both, and no description shares passages with another.']
        : table([
            ['task', 'found as', 'how', 'shared passages'],
            ...overlaps.map(({ task, other, kind, shared }) => [
              ...[task, other, overlapWords[kind], `${Math.round(shared * 100)} %`],
            ]),
          ]),
    ...(overlaps.length === 0 ? {} : { exitCode: 1 as const }),
  };
}

const overlapWords: Readonly<Record<OverlapKind, string>> = {
  package: 'same package',
  task: 'same task, other version',
  text: 'same description',
  passages: 'similar description',
};

/** A past export by its folder, or by the beginning of its id as `export list` prints it. */
async function tasksOfFolder(workspace: string, wanted: string) {
  const folder = resolve(wanted);
  const list = await new DatasetRegistry(workspace).list();
  const found = list.find(({ id, folders }) => folders.includes(folder) || id.startsWith(wanted));
  const tasks = found === undefined ? undefined : await datasetTasks(workspace, found.id);
  if (tasks == null) {
    throw new WaymarkError(
      'not_found',
      found === undefined
        ? `No export of this workspace is "${wanted}". "export list" shows the exports.`
        : `The export "${wanted}" does not say which tasks it is made of. Export it again.`,
    );
  }
  return tasks;
}

/** An experiment as tables, as CSV with a line a run, or as a Markdown report. */
export async function showExperiment(
  { reader }: CliContext,
  name: string,
  format: string | undefined,
): Promise<CommandResult> {
  const as = oneOf(format, ['tables', 'csv', 'markdown'], 'tables', '--format');
  const runs = await reader.experiment(name);
  return { json: documentOf(name, runs), lines: linesOf(name, runs, as) };
}

function documentOf(experiment: string, runs: readonly ExperimentRun[]) {
  const inArm = (arm: string | null) => runs.filter((run) => run.arm === arm && !run.branch);
  const arms = summariseArms(runs);
  return {
    experiment,
    arms: arms.map((summary) => {
      const own = inArm(summary.arm);
      return { ...summary, curve: scalingCurve(own), hints: effectOfHints(own), effort: effortOf(own) };
    }),
    differences: armsAgainst(arms, baseArm(arms)?.arm ?? null),
    runs,
  };
}

function linesOf(
  name: string,
  runs: readonly ExperimentRun[],
  format: 'tables' | 'csv' | 'markdown',
): string[] {
  if (format === 'csv') return runsCsv(runs).trimEnd().split('\n');
  if (format === 'markdown') return reportMarkdown(name, runs).split('\n');
  return [
    `${name}: ${counted(runs.length, 'run')}`,
    ...reportTables(runs).flatMap(({ title, head, rows }) => [
      '',
      title,
      ...table([head, ...rows]).map((line) => `  ${line}`),
    ]),
    '',
    ...reportNotes(runs),
  ];
}
