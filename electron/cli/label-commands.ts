import type { Author } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import type { RuleVerdict } from '@shared/labels';
import { annotateSteps } from '../runs/annotate-steps';
import { type Arguments, oneOf, required, stepRange } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, table } from './output';
import { named } from './run-commands';

const pageSize = 200;

/** `label RUN STEP train|mask|clear`: one entry in the annotation log, durable before this returns. */
export async function labelCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[1]);
  const { from, to } = stepRange(required(args.words[2], 'The step'));
  const value = oneOf(args.words[3], ['train', 'mask', 'clear'], 'train', 'The label');
  if (args.words[3] === undefined)
    throw new WaymarkError('bad_input', 'The label is missing: train, mask or clear.');
  const { steps } = await context.reader.run(run);
  if (to > steps)
    throw new WaymarkError('not_found', `Run ${run} has ${steps} steps; there is no step ${to}.`);
  const entry = await annotateSteps(
    context.store,
    authorNamed(context, args.values.annotator),
    { run, from, to },
    {
      op: 'label',
      value,
      reason: args.values.reason ?? null,
    },
  );
  const which = from === to ? `step ${from}` : `steps ${from}-${to}`;
  return {
    json: { run, from, to, value, entry: entry.ulid },
    lines: [`${value.toUpperCase()} on ${which} of run ${run}.`],
  };
}

/** Another name is another person: its identity is derived from the name, so that repeated calls agree. */
function authorNamed(context: CliContext, name: string | undefined): Author {
  return name === undefined || name === context.author.name ? context.author : { uuid: `name:${name}`, name };
}

/** `rules RUN`: every verdict of the rules in force, by step. */
export async function rulesCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[1]);
  const { steps } = await context.reader.run(run);
  const verdicts: { step: number; verdict: RuleVerdict }[] = [];
  for (let from = 1; from <= steps; from += pageSize) {
    const heads = await context.reader.heads(run, from, Math.min(steps, from + pageSize - 1));
    for (const head of heads.filter((each) => each.rules.length > 0)) {
      const detail = await context.reader.step(run, head.step);
      verdicts.push(...detail.labels.rules.map((verdict) => ({ step: head.step, verdict })));
    }
  }
  return {
    json: { run, verdicts: verdicts.map(({ step, verdict }) => ({ step, ...verdict })) },
    lines:
      verdicts.length === 0
        ? ['No rule says anything about this run.']
        : table(
            verdicts.map(({ step, verdict }) => [
              String(step),
              verdict.effect + (verdict.hard ? ' (hard)' : ''),
              verdict.rule,
              verdict.why,
            ]),
          ),
  };
}
