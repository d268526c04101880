import { WaymarkError } from '@shared/contract/errors';
import { armsAgainst, baseArm } from '@shared/experiments/arms-compared';
import type { ExperimentRun } from '@shared/experiments/experiment-run';
import { effectOfHints, effortOf } from '@shared/experiments/hints-and-effort';
import { reportMarkdown, reportNotes, reportTables } from '@shared/experiments/report';
import { runsCsv } from '@shared/experiments/runs-csv';
import { scalingCurve } from '@shared/experiments/scaling-curve';
import { summariseArms } from '@shared/experiments/summary';
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
