import { WaymarkError } from '@shared/contract/errors';
import type { RunStats } from '@shared/runs/run-stats';
import { type Arguments, filled, required } from './arguments';
import type { CliContext } from './context';
import { showExperiment } from './experiment-commands';
import { type CommandResult, counted, section } from './output';
import { named } from './run-commands';

/** `stats RUN`: what the plots show, as figures; `stats --experiment NAME`: an experiment's. */
export async function statsCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const experiment = filled(args.values.experiment, '--experiment');
  if (experiment !== null) {
    if (args.words[1] !== undefined) {
      throw new WaymarkError(
        'bad_input',
        'Name a run or --experiment, not both: an experiment always covers all its runs.',
      );
    }
    return showExperiment(context, experiment, args.values.format);
  }
  if (args.values.format !== undefined) {
    throw new WaymarkError('bad_input', '--format is for --experiment. For one run, use --json.');
  }
  const run = await named(context, required(args.words[1], 'The run'));
  const stats = await context.reader.stats(run);
  return { json: stats, lines: linesOf(stats) };
}

function linesOf(stats: RunStats): string[] {
  const last = stats.points.at(-1);
  const hours =
    stats.workingMs === null
      ? 'working time unknown'
      : `${(stats.workingMs / 3_600_000).toFixed(1)} working hours`;
  const cost = last?.cost == null ? 'cost unknown' : `cost ${last.cost.toFixed(2)}`;
  const tokens = `${last?.input ?? 0} tokens in, ${last?.output ?? 0} out`;
  return [
    `${stats.title}: ${counted(stats.steps, 'step')} in ${counted(stats.segments.length, 'segment')}, ${hours}, ${tokens}, ${cost}`,
    ...section('Evaluations', [
      ...stats.evaluations.map(({ step, attempt, score, forced }) => [
        `step ${step}`,
        forced ? 'final' : `try ${attempt ?? '-'}`,
        score === null ? 'unavailable' : score.toFixed(2),
      ]),
    ]),
    ...section(
      'Labels',
      stats.masks.map(({ value, source, reason, steps }) => [String(steps), value, source, reason]),
    ),
    ...section(
      'Rules',
      stats.rules.map(({ rule, effect, steps }) => [String(steps), effect, rule]),
    ),
    ...section(
      'Actions',
      stats.tools.map(({ tool, calls, errors, ms }) => [
        ...[String(calls), tool, `${errors} failed`],
        `${Math.round(ms / 1000)} s`,
      ]),
    ),
    ...section(
      'People',
      stats.people.map(({ name, decided }) => [String(decided), name]),
    ),
  ];
}
