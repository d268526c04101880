import { lstatSync } from 'node:fs';
import { resolve } from 'node:path';
import { lineChanges } from '@shared/base/line-diff';
import { WaymarkError } from '@shared/contract/errors';
import type { RubricView } from '@shared/contract/rubric-views';
import type { RubricKind } from '@shared/judging/rubric-text';
import type { RubricTrial } from '@shared/judging/rubric-trial';
import { outputFailure, writeOutput } from '../../files/output-file';
import { keepRubric, readRubricView, readTrial } from '../../judging/kept-rubric';
import { readRubricFile, rubricsWith } from '../../judging/rubric';
import { type Arguments, required } from '../arguments';
import type { CliContext } from '../context';
import { setOff } from '../fold-quoted';
import { type CommandResult, counted, section } from '../output';
import { named } from '../run-commands';
import { driftCells } from './drift-words';
import { tryRubric } from './judge-run';

/** Lines around a change of a rubric. */
const AROUND = 2;

/**
 * `judge rubric show|set|reset|diff|try`: what the steps of a task's runs are judged by (`--summaries`: their summaries), and what
 * another text would change.
 */
export async function rubricCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, , verb, file, ...more] = args.words;
  if (more.length === 0) {
    if (verb === 'show' && file === undefined) return show(context, args);
    if (verb === 'set') return set(context, args, await readRubricFile(fileOf(file), kindOf(args)));
    if (verb === 'reset' && file === undefined) return set(context, args, null);
    if (verb === 'diff') return diff(context, args, file);
    if (verb === 'try' && kindOf(args) === 'summaries') throw trialOfSummaries();
    if (verb === 'try') return tried(context, args, await readRubricFile(fileOf(file)));
  }
  throw new WaymarkError(
    'bad_input',
    'Write "judge rubric show --task T", "judge rubric set FILE --task T", "judge rubric reset --task T", "judge rubric diff [FILE] --task T" or "judge rubric try FILE --run RUN". With --summaries, show, set, reset and diff are about the rubric for summaries.',
  );
}

const kindOf = ({ values }: Arguments): RubricKind => (values.summaries ? 'summaries' : 'steps');

const trialOfSummaries = () =>
  new WaymarkError(
    'bad_input',
    'A rubric for summaries cannot be tried: a run has too few summaries to compare. Keep it with "judge rubric set FILE --task T --summaries", and judge the summaries again with "judge run --steps changed".',
  );

const fileOf = (word: string | undefined) => resolve(required(word, 'The file of the rubric'));

async function show(context: CliContext, args: Arguments): Promise<CommandResult> {
  const view = await viewOf(context, args);
  const text = view.kept?.text ?? view.builtIn;
  const json = { ...jsonOf(view), text };
  if (args.values.out === undefined) return { json, lines: [standing(view), '', ...setOff(text.trimEnd())] };
  const file = resolve(required(args.values.out, '--out'));
  await writeNew(file, text);
  return { json: { ...json, file }, lines: [standing(view), `Its text is in ${file}.`] };
}

async function set(context: CliContext, args: Arguments, text: string | null): Promise<CommandResult> {
  const before = await viewOf(context, args);
  const { task, kind } = before;
  const { store, resourcesDir, author } = context;
  const view = await keepRubric(store, resourcesDir, { task, kind, text }, author);
  const { adopted } = view;
  if (before.kept === null && text === null)
    return {
      json: { ...jsonOf(view), adopted },
      lines: [
        kind === 'steps'
          ? `Task ${task} has no rubric of its own: it is judged by the built-in one, ${view.version}.`
          : `Task ${task} has no rubric of its own for summaries: they are judged by the built-in one, ${view.version}.`,
      ],
    };
  return {
    json: { ...jsonOf(view), adopted },
    lines: [
      standing(view),
      ...(adopted === 0
        ? []
        : [`${counted(adopted, 'verdict')} of trials by this text count as votes from now on.`]),
      ...(before.version === view.version
        ? []
        : [
            `${kind === 'steps' ? 'Steps' : 'Summaries'} that were judged by another text keep their votes until they are judged again: "judge run --steps changed".`,
          ]),
    ],
  };
}

/** What the kept text (or a file) has other than the built-in (or the kept) one. */
async function diff(context: CliContext, args: Arguments, file: string | undefined): Promise<CommandResult> {
  const view = await viewOf(context, args);
  const standingText = view.kept?.text ?? view.builtIn;
  const [before, after] =
    file === undefined
      ? [view.builtIn, standingText]
      : [standingText, await readRubricFile(fileOf(file), view.kind)];
  const lines = changedLines(before.trimEnd(), after.trimEnd());
  const [one, other] = file === undefined ? ['the built-in text', rubricOf(view)] : [rubricOf(view), file];
  return {
    json: { ...jsonOf(view), changes: lineChanges(before.trimEnd(), after.trimEnd()) },
    lines:
      lines.length === 0
        ? [`There is no difference between ${one} and ${other}.`]
        : [`- ${one}`, `+ ${other}`, '', ...setOff(lines.join('\n'))],
  };
}

function changedLines(before: string, after: string): string[] {
  const changes = lineChanges(before, after);
  if (changes.every(({ kind }) => kind === 'same')) return [];
  return changes.flatMap(({ kind, lines }, at) => {
    if (kind !== 'same') return lines.map((line) => `${kind === 'added' ? '+' : '-'} ${line}`);
    const first = at === 0 ? [] : lines.slice(0, AROUND);
    const last = at === changes.length - 1 ? [] : lines.slice(Math.max(first.length, lines.length - AROUND));
    const left = lines.length - first.length - last.length;
    return [
      ...first.map((line) => `  ${line}`),
      ...(left === 0 ? [] : [`  … ${counted(left, 'line')}`]),
      ...last.map((line) => `  ${line}`),
    ];
  });
}

async function tried(context: CliContext, args: Arguments, text: string): Promise<CommandResult> {
  const [word, ...others] = args.values.run ?? [];
  if (word === undefined || others.length > 0)
    throw new WaymarkError('bad_input', 'Name the one run that the rubric is tried on: --run RUN.');
  const run = await named(context, word);
  const { judge, result } = await tryRubric(context, args, run, text);
  const { steps } = await rubricsWith(context.resourcesDir, text);
  const trial = await readTrial(context.store, run, judge, steps.version);
  const { id: task } = (await context.reader.run(run)).task;
  const { asked, votes } = result.json as { asked: number; votes: number };
  const isKept = (await readRubricView(context.store, context.resourcesDir, task)).version === steps.version;
  return {
    ...result,
    json: { ...(result.json as Record<string, unknown>), trial },
    lines: [
      ...result.lines,
      ...(trial.tried > 0 || !isKept || (asked > 0 && votes === 0)
        ? trialLines(trial)
        : [keptMeanwhile(task, votes > 0)]),
    ],
  };
}

const keptMeanwhile = (task: string, wasJudged: boolean) =>
  wasJudged
    ? `Task ${task} was given this text in the meantime, so these verdicts are votes now.`
    : `Task ${task} is judged by this text already, so there is nothing to compare.`;

/** @throws WaymarkError already_exists: what is there may be somebody's work; as `writeOutput` */
async function writeNew(file: string, text: string): Promise<void> {
  if (isTaken(file))
    throw new WaymarkError(
      'already_exists',
      `${file} already exists, and nothing was written. Give --out the name of a new file.`,
    );
  await writeOutput(file, text);
}

/** A link that leads nowhere is somebody's too. @throws WaymarkError as `outputFailure` */
function isTaken(file: string): boolean {
  try {
    return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  } catch (thrown) {
    throw outputFailure(thrown, file);
  }
}

function trialLines(trial: RubricTrial): string[] {
  const { judge, before, after, tried: steps, compared, toMask, toKeep, labelled, changes } = trial;
  if (steps === 0) return [`${judge} has no verdict by this text on the run.`];
  const title =
    compared === 0
      ? `${judge} by ${after}: ${counted(steps, 'step')}, none of which it has judged by another rubric`
      : `${judge} by ${after} instead of ${before.join(' and ')}, on ${counted(compared, 'step')}`;
  return [
    ...section(title, [
      ...(compared === 0 ? [] : [['changed', `${toMask} from KEEP to MASK, ${toKeep} from MASK to KEEP`]]),
      ...(labelled === 0
        ? [['none of these steps has a label that people agree on', '']]
        : driftCells(trial)),
    ]),
    ...section(
      'Steps that change',
      changes.map(({ step, before: was, after: is, people, reason, why }) => [
        String(step),
        `${was.toUpperCase()} → ${is.toUpperCase()}`,
        people === null ? 'no label' : `people ${people.toUpperCase()}`,
        `${reason}${why === '' ? '' : `: ${why}`}`,
      ]),
    ),
    '',
    'The votes are as they were. "judge rubric set FILE --task T" keeps the text and makes these verdicts votes.',
  ];
}

const rubricOf = ({ task, kind }: RubricView) =>
  kind === 'steps' ? `the rubric of task ${task}` : `the rubric for summaries of task ${task}`;

function jsonOf({ task, kind, kept, version, builtInVersion }: RubricView) {
  return {
    task,
    kind,
    version,
    builtInVersion,
    kept: kept === null ? null : { at: kept.at, author: kept.author },
  };
}

function standing({ task, kind, kept, version }: RubricView): string {
  const what = kind === 'steps' ? `Task ${task} is` : `The summaries of task ${task} are`;
  if (kept === null) return `${what} judged by the built-in rubric, ${version}.`;
  const day = new Date(kept.at).toISOString().slice(0, 16);
  const own = kind === 'steps' ? 'its' : 'their';
  return `${what} judged by a rubric of ${own} own, ${version}, saved by ${kept.author} on ${day}.`;
}

/** @throws WaymarkError bad_input, not_found: a slip of the pen must not be stored as the rubric of nothing */
async function viewOf({ reader, store, resourcesDir }: CliContext, args: Arguments): Promise<RubricView> {
  const task = required(args.values.task, 'The task (--task ID)');
  const view = await readRubricView(store, resourcesDir, task, kindOf(args));
  if (view.kept !== null) return view;
  const isKnown =
    (await reader.tasks()).some(({ id }) => id === task) ||
    (await reader.runs()).some((run) => run.task.id === task);
  if (isKnown) return view;
  throw new WaymarkError(
    'not_found',
    `There is no task "${task}" in this workspace, and no run of it. "waymark task list" and "waymark run list --json" list the tasks there are.`,
  );
}
