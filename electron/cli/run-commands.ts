import { mostTitle } from '@shared/base/clean-text';
import { toFailure, WaymarkError } from '@shared/contract/errors';
import { mostSample } from '@shared/contract/ipc/runs';
import type { TaskSpec } from '@shared/contract/task';
import type { RunState } from '@shared/contract/views';
import { hasEnded, runStatus } from '@shared/runs/run-status';
import { refuseImport } from '../runs/drive/load-run';
import { removeRun } from '../runs/remove-run';
import { startRunner } from '../serve/start-runner';
import { parseSpec } from '../task/stored-spec';
import { answer } from './approval-commands';
import { ApprovalWatch } from './approval-watch';
import { approvalLines } from './approval-words';
import { type Arguments, filled, oneOf, required, wholeNumber } from './arguments';
import { agreedToGoOn, unlessUnisolated } from './ask-unisolated';
import type { CliContext } from './context';
import { endpointFor } from './endpoint-for';
import { type CommandResult, counted, table } from './output';
import { changeLimits, changeModel, startLimits, steer } from './run-steering';
import { showRun } from './show-run';
import { shownFolder } from './shown-folder';
import { statusLine, statusWords } from './status-words';

/** `run …`: create, drive, look at, steer and remove runs. */
export async function runCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, ...rest] = args.words;
  switch (verb) {
    case 'start':
      return start(context, args);
    case 'list':
      return list(context);
    case 'resume':
      return args.values.all && rest[0] === undefined
        ? resumeAll(context, args)
        : resumeOne(context, args, await named(context, rest[0]));
    case 'show':
      return showRun(context, await named(context, rest[0]));
    case 'pause':
    case 'stop':
      return steer(context, verb, await named(context, rest[0]), args.values.now);
    case 'approve':
    case 'refuse':
      return answer(context, args, verb, await named(context, rest[0]));
    case 'model':
      return changeModel(context, await named(context, rest[0]), args, rest[1]);
    case 'limits':
      return changeLimits(context, await named(context, rest[0]), args);
    case 'remove':
    case 'purge':
      return remove(context, verb, await named(context, rest[0]));
    case 'hint':
      return hint(
        context,
        await named(context, rest[0]),
        required(rest.slice(1).join(' '), 'The text of the hint'),
      );
    default:
      throw new WaymarkError(
        'bad_input',
        `There is no command "run ${verb ?? ''}". Run "waymark --help" for the commands.`,
      );
  }
}

/** Full run id for what was typed. */
export async function named(context: CliContext, word: string | undefined): Promise<string> {
  if (word === undefined || word === '')
    throw new WaymarkError(
      'bad_input',
      'No run was named. Add its id, or the beginning of its id, after the command; "run list" shows the ids.',
    );
  return context.reader.resolveRun(word);
}

async function start(context: CliContext, args: Arguments): Promise<CommandResult> {
  const { values } = args;
  const task = required(values.task, '--task');
  const called = {
    title: filled(values.title, '--title', mostTitle),
    experiment: filled(values.experiment, '--experiment'),
    arm: filled(values.arm, '--arm'),
    group: filled(values.group, '--group'),
  };
  const stored = await context.reader.task(task);
  const spec = parseSpec(stored.spec, stored.title);
  const order = {
    task,
    endpoint: endpointFor(context, values),
    // More names may follow the option: `--computer one=a two=b`.
    computers: placesFor(spec, [...(values.computer ?? []), ...args.words.slice(2)]),
    approvals: oneOf(values.approvals, ['on', 'off', 'task'], 'task', '--approvals'),
    show: (values.show ?? []).map(shownFolder),
    humanHints: oneOf(values['human-hints'], ['on', 'off'], 'on', '--human-hints') === 'on',
    taskHint:
      values['task-hint'] === undefined
        ? null
        : oneOf(values['task-hint'], ['off', 'tool', 'upfront'], 'off', '--task-hint'),
    ...called,
    sample: wholeNumber(values.sample, '--sample', mostSample),
    seed: wholeNumber(values.seed, '--seed'),
    ...startLimits(values),
    author: context.author,
  };
  const run = await unlessUnisolated(context, args, (consent) =>
    context.engine.startRun({ ...order, ...consent }),
  );
  if (!values.wait)
    return { json: { run }, lines: [`Created run ${run}.`, `Drive it with: run resume ${run} --wait`] };
  return drive(context, args, run, false);
}

/** Task computer → where it is, from `HOST` (a task with one computer) or `NAME=HOST`. */
export function placesFor(spec: TaskSpec, words: readonly string[]): Record<string, string> {
  const usable = spec.computers.filter(({ evaluator }) => !evaluator).map(({ name }) => name);
  const names = spec.computers.map(({ name }) => name);
  const places: Record<string, string> = {};
  for (const word of words) {
    const [before = '', ...after] = word.split('=');
    const [only] = usable;
    const named = after.length > 0 && names.includes(before);
    if (!named && (usable.length !== 1 || only === undefined)) {
      throw new WaymarkError(
        'bad_input',
        `Task ${spec.id} has several computers (${usable.join(', ')}). Say which one "${word}" is, for example --computer ${usable[0]}=${after.at(-1) ?? word}.`,
      );
    }
    const name = named ? before : (only ?? '');
    if (places[name] !== undefined) {
      throw new WaymarkError('bad_input', `--computer names ${name} twice. Give it one place only.`);
    }
    places[name] = named ? after.join('=') : word;
  }
  return places;
}

async function drive(
  context: CliContext,
  args: Arguments,
  run: string,
  agreed: boolean,
): Promise<CommandResult> {
  const watch = new ApprovalWatch(context, run, args.values.json);
  try {
    await context.engine.resumeRun(run, agreed);
    await context.engine.waitRun(run);
  } finally {
    await watch.end();
  }
  const summary = await context.reader.run(run);
  return {
    json: { run },
    lines: [`Run ${run}: ${statusLine(summary)}`],
    ...(summary.state === 'finished' || summary.state === 'stopped' ? {} : { exitCode: 1 as const }),
  };
}

async function resumeOne(context: CliContext, args: Arguments, run: string): Promise<CommandResult> {
  const agreed = await agreedToGoOn(context, args, run);
  if (args.values.wait) return drive(context, args, run, agreed);
  const summary = await context.reader.run(run);
  refuseImport(run, summary.state);
  if (['finished', 'stopped'].includes(summary.state)) {
    throw new WaymarkError('run_ended', `Run ${run} has ended (${summary.state}). Start a new one instead.`);
  }
  await context.engine.untilLetGo(run);
  if (context.store.isDriven(run)) {
    throw new WaymarkError('run_driven_elsewhere', `Run ${run} is already driven by another process.`);
  }
  const { pid, log } = await startRunner(run, {
    entry: context.entry,
    folder: context.folder,
    isDriven: (each) => context.store.isDriven(each),
    keys: context.environment.taken(),
    agreed,
  });
  return {
    json: { run, pid },
    lines: [
      `Process ${pid} is driving run ${run}. Its log is ${log}.`,
      ...(await context.reader.openApprovals(run)).flatMap(approvalLines),
    ],
  };
}

function isAtRest(state: RunState): boolean {
  return hasEnded(state) || state === 'importing' || state === 'import_broken';
}

/** Every run that can go on and that nobody drives; with `wait` all in this process, until all have come to rest. */
async function resumeAll(context: CliContext, args: Arguments): Promise<CommandResult> {
  const { wait } = args.values;
  const going = (await context.reader.runs()).filter(({ state }) => !isAtRest(state));
  await Promise.all(going.map(({ id }) => context.engine.untilLetGo(id)));
  const runs = going.filter(({ id }) => !context.store.isDriven(id));
  const results = await Promise.all(
    runs.map(async ({ id }) => {
      try {
        return await resumeOne(context, args, id);
      } catch (thrown) {
        // One that cannot be driven must not keep the others from it.
        const { code, message } = toFailure(thrown);
        return { json: { run: id, error: { code, message } }, lines: [`${code}: ${message}`], refused: true };
      }
    }),
  );
  const failed = async (run: string) => wait && (await context.reader.run(run)).state === 'failed';
  const bad = await Promise.all(
    runs.map(async ({ id }, at) => 'refused' in (results[at] ?? {}) || (await failed(id))),
  );
  return {
    json: { runs: results.map(({ json }) => json) },
    lines: runs.length === 0 ? ['No run needs to be resumed.'] : results.flatMap(({ lines }) => lines),
    ...(bad.includes(true) ? { exitCode: 1 as const } : {}),
  };
}

async function list({ reader }: CliContext): Promise<CommandResult> {
  const runs = await reader.runs();
  const asked = await Promise.all(
    runs.map(({ id, state }) => (isAtRest(state) ? [] : reader.openApprovals(id))),
  );
  return {
    json: {
      runs: runs.map((each, index) => {
        const { id, title, task, steps } = each;
        const approvals = asked[index]?.length ?? 0;
        return { id, title, task: task.id, status: runStatus(each).word, steps, approvals };
      }),
    },
    lines:
      runs.length === 0
        ? ['No runs yet. Start one with: run start --task ID']
        : table(
            runs.map((each, index) => [
              each.id,
              statusWords(each, asked[index]),
              counted(each.steps, 'step'),
              each.title,
            ]),
          ),
  };
}

async function remove(context: CliContext, verb: 'remove' | 'purge', run: string): Promise<CommandResult> {
  await removeRun(context, run, verb === 'remove' ? 'run' : 'text', context.author);
  const what = verb === 'remove' ? 'Removed' : 'Removed the texts of';
  return { json: { run }, lines: [`${what} run ${run}. A tombstone keeps its counts and hashes.`] };
}

async function hint(context: CliContext, run: string, text: string): Promise<CommandResult> {
  const id = await context.engine.hint(run, context.author, text, 'other');
  return { json: { run, hint: id }, lines: [`Queued hint ${id}. The agent reads it with its next step.`] };
}
