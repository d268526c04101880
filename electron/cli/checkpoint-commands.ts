import { mostTitle } from '@shared/base/clean-text';
import type { CheckpointView } from '@shared/contract/checkpoint-views';
import { WaymarkError } from '@shared/contract/errors';
import { namedEndpoint } from '@shared/contract/settings';
import { type Arguments, filled, positive, required } from './arguments';
import { refuseIsolated, unlessUnisolated } from './ask-unisolated';
import type { CliContext } from './context';
import { type CommandResult, counted, table } from './output';
import { named } from './run-commands';

/** `checkpoint make|list RUN`. */
export async function checkpointCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, word, ...rest] = args.words;
  switch (verb) {
    case 'make':
      return make(context, await named(context, word), rest.join(' '));
    case 'list':
      return list(context, await named(context, word));
    default:
      throw new WaymarkError(
        'bad_input',
        `There is no command "checkpoint ${verb ?? ''}". Run "waymark --help" for the commands.`,
      );
  }
}

async function make(context: CliContext, run: string, note: string): Promise<CommandResult> {
  const { engine, store, author } = context;
  const before = (await engine.checkpoints.list(run)).length;
  await engine.checkpoints.make(run, author, note);
  const made = (await engine.checkpoints.list(run)).slice(before);
  return {
    json: { run, checkpoints: made.map(asJson) },
    lines:
      made.length === 0 && store.isDriven(run)
        ? [`Run ${run} makes a checkpoint after its current step.`]
        : table(made.map(asRow)),
  };
}

async function list(context: CliContext, run: string): Promise<CommandResult> {
  const all = await context.engine.checkpoints.list(run);
  return {
    json: { run, checkpoints: all.map(asJson) },
    lines:
      all.length === 0 ? ['No checkpoints yet. Make one with: checkpoint make RUN'] : table(all.map(asRow)),
  };
}

function asJson(checkpoint: CheckpointView) {
  const { checkpoint: id, step, at, why, note, workspace, message } = checkpoint;
  return { id, step, at, why, note, workspace, message };
}

function asRow({ step, at, why, note, workspace, message }: CheckpointView): string[] {
  const size =
    workspace === null
      ? 'no files'
      : `${counted(workspace.files, 'file')}, ${counted(workspace.bytes, 'byte')}`;
  const fresh = workspace === null ? '' : `${workspace.newBytes} new`;
  return [
    `step ${step}`,
    new Date(at).toISOString(),
    why,
    size,
    fresh,
    [note, message].filter(Boolean).join(' '),
  ];
}

/** `branch RUN --step N`: a run that goes on after that step. */
export async function branchCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const { engine, reader, settings } = context;
  const { values } = args;
  const parent = await named(context, args.words[1]);
  const step = positive(required(values.step, '--step'), '--step') ?? 1;
  const add = (values.add ?? []).map((text) => required(text.trim() && text, 'The text of --add'));
  const plan = await engine.branches.plan(parent, step);
  const drop = (values.drop ?? []).map((word) => {
    const hint = plan.hints.find(({ id, number }) => id === word || String(number) === word);
    if (hint !== undefined) return hint.id;
    throw new WaymarkError('bad_input', `Hint ${word} is not in the context after step ${step}.`);
  });
  const order = {
    run: parent,
    step,
    drop,
    add,
    title:
      filled(values.title, '--title', mostTitle) ?? `${(await reader.run(parent)).title} (from step ${step})`,
    endpoint: values.endpoint === undefined ? null : namedEndpoint(settings, values.endpoint),
  };
  await refuseIsolated(context, args, parent);
  const run = await unlessUnisolated(context, args, ({ agreed }) =>
    engine.branches.create({ ...order, agreed: agreed !== undefined }),
  );
  const files =
    plan.checkpoint === null
      ? "Its files are the task's own: there is no checkpoint before that step."
      : `Its files are those of the checkpoint after step ${plan.checkpoint.step}.`;
  return {
    json: { run, parent: plan.run, step, checkpoint: plan.checkpoint?.checkpoint ?? null },
    lines: [`Created run ${run}. ${files}`, `Drive it with: run resume ${run} --wait`],
  };
}
