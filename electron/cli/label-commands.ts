import { WaymarkError } from '@shared/contract/errors';
import { partsOf, targetOf } from '@shared/contract/step-range';
import type { AnnotationOp, AnnotationTarget, Author } from '@shared/log/annotations';
import { adjudicateSteps, hardMasks } from '../review/adjudicate-steps';
import { checkCorrection } from '../review/check-correction';
import { type Arguments, oneOf, required, stepRange } from './arguments';
import type { CliContext } from './context';
import { meantCode } from './guideline-command';
import { judgeVotes } from './judge/judge-votes';
import { exportLabels } from './merge-commands';
import { type CommandResult, counted } from './output';
import { personNamed } from './person-named';
import { named } from './run-commands';

/** `label …`: decisions of people, votes of judges, and the log as a file. Durable before it returns. */
export function labelCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  switch (args.words[1]) {
    case 'adjudicate':
      return adjudicate(context, args);
    case 'correct':
      return correct(context, args);
    case 'judge':
      return judgeVotes(context, args);
    case 'undo':
      return undo(context, args);
    case 'export':
      return exportLabels(context, args);
    default:
      return label(context, args);
  }
}

/** `label RUN STEP[,STEP…] train|mask|clear`: one entry in the annotation log, also for steps that lie apart. */
async function label(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[1]);
  const target = await targetIn(context, run, args.words[2]);
  const value = oneOf(args.words[3], ['train', 'mask', 'clear'], 'train', 'The label');
  if (args.words[3] === undefined)
    throw new WaymarkError('bad_input', 'The label is missing: train, mask or clear.');
  const author = authorNamed(context, args.values.annotator);
  const reason = reasonOf(args);
  const unreasoned = value === 'train' && (reason ?? '').trim() === '';
  const staysMasked = unreasoned ? await hardMasks(context.reader, target) : [];
  const entry = await context.store.writer.annotate(author, target, { op: 'label', value, reason });
  return {
    json: { ...target, value, entry: entry.ulid, ...(staysMasked.length > 0 ? { staysMasked } : {}) },
    lines: [`${value.toUpperCase()} on ${stepsOf(target)} of run ${run}.`, ...staysMasked.map(maskedStill)],
    ...(staysMasked.length > 0 ? { exitCode: 1 as const } : {}),
  };
}

/** @throws WaymarkError bad_input for a slip of the pen in a code of the guideline */
function reasonOf({ values: { reason } }: Arguments): string | null {
  const meant = reason === undefined ? null : meantCode(reason);
  if (meant === null) return reason ?? null;
  throw new WaymarkError(
    'bad_input',
    `"${reason}" is not a reason code. Did you mean ${meant}? "waymark guideline" lists the codes; your own words are accepted as well.`,
  );
}

function maskedStill({ step, rule }: { step: number; rule: string }): string {
  return `Step ${step} stays masked by ${rule}. Lifting that rule takes a reason: repeat the command with --reason R.`;
}

/** `label adjudicate RUN STEP[,STEP…] train|mask`: settles what people or machines differ about. */
async function adjudicate(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[2]);
  const target = await targetIn(context, run, args.words[3]);
  const value = oneOf(required(args.words[4], 'The label'), ['train', 'mask'], 'train', 'The label');
  const author = authorNamed(context, args.values.annotator);
  const reason = reasonOf(args);
  const entry = await adjudicateSteps(context.store, author, target, { value, reason });
  return {
    json: { ...target, value, entry: entry.ulid },
    lines: [`Adjudicated: ${value.toUpperCase()} on ${stepsOf(target)} of run ${run}.`],
  };
}

/** `label correct RUN STEP --call NAME --arguments JSON`: what the model should have done, beside the original. */
async function correct(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[2]);
  const target = await targetIn(context, run, args.words[3]);
  const { values } = args;
  const correction = {
    text: values.thought ?? '',
    call: {
      name: required(values.call, '--call'),
      arguments: required(values.arguments, '--arguments'),
    },
    note: values.reason ?? '',
  };
  await checkCorrection(context.reader, run, target.from, correction);
  const author = authorNamed(context, values.annotator);
  const entry = await context.store.writer.annotate(author, target, { op: 'correct', correction });
  return {
    json: { run, step: target.from, entry: entry.ulid },
    lines: [`Stored the correction to step ${target.from} of run ${run}: ${correction.call.name}.`],
  };
}

/** `label undo RUN`: what the person did last in the run, whole, also where its steps were made in other runs. */
async function undo(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[2]);
  const author = authorNamed(context, args.values.annotator);
  const done = await context.store.writer.undo(run, author);
  if (done === null) {
    throw new WaymarkError('not_found', `There is nothing by ${author.name} to undo in run ${run}.`);
  }
  const { undid, unit, entry } = done;
  const parts = unit.flatMap(({ target }) => partsOf(target));
  const target = targetOf(run, parts) ?? undid.target;
  const what = undoneWords(undid.body);
  return {
    json: { ...target, undid: undid.ulid, op: undid.body.op, entry: entry.ulid },
    lines: [`Undid ${what} on ${stepsOf(target)} of run ${run}.`],
  };
}

/** As the object of "Undid". */
function undoneWords(body: AnnotationOp): string {
  switch (body.op) {
    case 'label':
      return body.value.toUpperCase();
    case 'adjudicate':
      return 'the settling of a disagreement';
    case 'correct':
      return 'the correction';
    case 'comment':
      return 'the comment';
    case 'judge':
      return 'the vote of a judge';
    case 'assign':
      return 'the assignment';
    case 'hint':
      return 'the verdict on a hint';
    default:
      return `"${body.op}"`;
  }
}

/** Steps as typed, which must be there. */
async function targetIn(
  context: CliContext,
  run: string,
  word: string | undefined,
): Promise<AnnotationTarget> {
  const pieces = required(word, 'The step')
    .split(',')
    .map((piece) => stepRange(piece.trim()));
  const target = targetOf(run, pieces);
  const { steps } = await context.reader.run(run);
  if (target === null || target.to > steps) {
    const last = target?.to ?? 0;
    throw new WaymarkError(
      'not_found',
      `Run ${run} has ${counted(steps, 'step')}; there is no step ${last}.`,
    );
  }
  return target;
}

function stepsOf(target: AnnotationTarget): string {
  const pieces = partsOf(target).map(({ from, to }) => (from === to ? `${from}` : `${from}-${to}`));
  return `${target.from === target.to ? 'step' : 'steps'} ${pieces.join(', ')}`;
}

/** Another name is another person. */
function authorNamed(context: CliContext, name: string | undefined): Author {
  return name === undefined || name === context.author.name ? context.author : personNamed(name);
}
