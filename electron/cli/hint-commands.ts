import { WaymarkError } from '@shared/contract/errors';
import {
  type HintDelivery,
  type HintVerdict,
  type HintView,
  hintCategory,
  hintDelivery,
} from '@shared/log/outbox';
import { branchHints } from '../branches/branch-hints';
import { type Arguments, oneOf, positive, required } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, table } from './output';
import { named } from './run-commands';
import { branchHintLines } from './show-run';

const conditions =
  'next_step, wake, score_changes, session_idle[:COMPUTER[/SESSION]], gpu_idle[:COMPUTER]:MINUTES, error_streak:STEPS';

/** `hint …`: what people tell a run, also while another process drives it. */
export async function hintCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, word, ...rest] = args.words;
  if (verb === undefined || !Object.hasOwn(verbs, verb)) {
    throw new WaymarkError(
      'bad_input',
      `There is no command "hint ${verb ?? ''}". Run "waymark --help" for the commands.`,
    );
  }
  const run = await named(context, word);
  return verbs[verb as keyof typeof verbs](context, run, rest, args);
}

type Verb = (context: CliContext, run: string, rest: string[], args: Arguments) => Promise<CommandResult>;

const verbs = {
  send: async (context, run, rest, { values }) => {
    const text = required(rest.join(' '), 'The text of the hint');
    const deliver = whenOf(values.when, values.wake);
    const category = oneOf(values.category, hintCategory.options, 'other', '--category');
    const hint = await context.engine.hints.queue(run, context.author, { text, category, deliver });
    return done(run, hint, `Queued hint ${hint.number}. The agent reads it ${words(hint.deliver)}.`);
  },
  list: async (context, run) => {
    const { hints, waitsFor } = await context.reader.hints(run);
    const branch = await branchHints(context.reader, run);
    return {
      json: { run, hints, waitsFor, ...(branch === null ? {} : { branch }) },
      lines: [
        ...(branch === null ? [] : branchHintLines(branch)),
        ...(hints.length === 0
          ? [
              `No hints ${branch === null ? 'yet' : 'since it branched off'}. Send one with: hint send RUN TEXT`,
            ]
          : table(hints.map((hint) => [String(hint.number), stateWords(hint), hint.author, hint.text]))),
      ],
    };
  },
  edit: async (context, run, [number, ...rest], { values }) => {
    const hint = await numbered(context, run, number);
    const deliver = values.when !== undefined || values.wake ? whenOf(values.when, values.wake) : undefined;
    const category =
      values.category === undefined
        ? undefined
        : oneOf(values.category, hintCategory.options, 'other', '--category');
    const text = rest.join(' ') || hint.text;
    await context.engine.hints.edit(run, context.author, hint.id, { text, category, deliver });
    return done(run, hint, `Changed hint ${hint.number}.`);
  },
  move: async (context, run, [number, where]) => {
    const hint = await numbered(context, run, number);
    const before = where === 'last' ? null : await numbered(context, run, where);
    await context.engine.hints.move(run, context.author, hint.id, before?.id ?? null);
    const place = before === null ? 'to the end of the queue' : `before hint ${before.number}`;
    return done(run, hint, `Moved hint ${hint.number} ${place}.`);
  },
  withdraw: async (context, run, [number]) => {
    const hint = await numbered(context, run, number);
    await context.engine.hints.withdraw(run, context.author, hint.id);
    return done(run, hint, `Withdrew hint ${hint.number}.`);
  },
  verdict: async (context, run, [number, word]) => {
    const hint = await numbered(context, run, number);
    const known = ['acted-on', 'ignored', 'clear'] as const;
    const said = oneOf(required(word, 'The verdict'), known, 'clear', 'The verdict');
    const verdict: HintVerdict | null = said === 'clear' ? null : said === 'ignored' ? said : 'acted_on';
    await context.engine.hints.verdict(run, context.author, hint.id, verdict);
    return done(
      run,
      hint,
      said === 'clear' ? `Cleared your verdict on hint ${hint.number}.` : `Hint ${hint.number}: ${said}.`,
    );
  },
} as const satisfies Record<string, Verb>;

/** What a condition counts, where what stands behind its name is wrong; `name` as it was written. */
const boundsOf: Readonly<Partial<Record<string, (name: string) => string>>> = {
  error_streak: (name) => `${name} counts 2 to 100 steps in a row, as in ${name}:3`,
  gpu_idle: (name) => `${name} counts 1 to 1440 minutes, as in ${name}:30 or ${name}:gpu-03:30`,
};

/** What `--when` says; computers and sessions by name, empty = any. @throws WaymarkError bad_input */
export function whenOf(when: string | undefined, wake: boolean): HintDelivery {
  if (wake && when !== undefined && when !== 'wake') {
    throw new WaymarkError(
      'bad_input',
      '--wake and --when cannot be combined: a hint with a condition does not wake the agent. Leave one of them out.',
    );
  }
  const [word = '', first = '', second] = (wake ? 'wake' : (when ?? 'next_step')).split(':');
  const kind = word.replaceAll('-', '_');
  const [computer = '', session = ''] = first.split('/');
  const parsed = hintDelivery.safeParse({
    when: kind,
    ...(kind === 'session_idle' ? { computer, session } : {}),
    ...(kind === 'gpu_idle'
      ? { computer: second === undefined ? '' : first, minutes: Number(second ?? first) }
      : {}),
    ...(kind === 'error_streak' ? { steps: Number(first) } : {}),
  });
  if (parsed.success) return parsed.data;
  const bounds = boundsOf[kind]?.(word);
  throw new WaymarkError(
    'bad_input',
    bounds === undefined
      ? `--when is "${when}" but must be one of ${conditions}.`
      : `--when is "${when}", and ${bounds}.`,
  );
}

async function numbered(context: CliContext, run: string, word: string | undefined): Promise<HintView> {
  const number = positive(required(word, 'The number of the hint'), 'The number of the hint');
  const found = (await context.reader.hints(run)).hints.find((hint) => hint.number === number);
  if (found !== undefined) return found;
  throw new WaymarkError('not_found', `Run ${run} has no hint ${word}. "hint list" shows its hints.`);
}

function done(run: string, { id, number }: HintView, line: string): CommandResult {
  return { json: { run, hint: id, number }, lines: [line] };
}

function stateWords({ state, step, position, deliver, due, verdict }: HintView): string {
  if (state === 'queued') {
    const waits = due ?? (deliver.when === 'next_step' ? '' : words(deliver));
    return `queued, ${position}.${waits === '' ? '' : ` (${waits})`}`;
  }
  const at = step === null ? state : `${state} after step ${step}`;
  return verdict === null ? at : `${at}, ${verdict === 'ignored' ? verdict : 'acted on'}`;
}

function words(deliver: HintDelivery): string {
  switch (deliver.when) {
    case 'next_step':
      return 'with its next step';
    case 'wake':
      return 'with its next step, waking up for it if it sleeps';
    case 'score_changes':
      return 'once the score changes';
    case 'session_idle':
      return `once ${deliver.session || 'a session'}${deliver.computer === '' ? '' : ` on ${deliver.computer}`} is idle again`;
    case 'gpu_idle':
      return `once the GPUs${deliver.computer === '' ? '' : ` of ${deliver.computer}`} have been idle for ${deliver.minutes} min`;
    case 'error_streak':
      return `after ${deliver.steps} failed steps in a row`;
  }
}
