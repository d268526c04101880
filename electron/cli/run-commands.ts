import { toFailure, WaymarkError } from '@shared/errors';
import { runStatus } from '@shared/run-status';
import { type TaskSpec, taskSpecSchema } from '@shared/task';
import type { RunSummary } from '@shared/views';
import { refuseImport } from '../runs/refuse-import';
import { removeRun } from '../runs/remove-run';
import { startRunner } from '../serve/start-runner';
import { type Arguments, oneOf, required } from './arguments';
import type { CliContext } from './context';
import { counted } from './counted';
import { endpointFor } from './endpoint-for';
import { type CommandResult, table } from './output';
import { changeLimits, changeModel, startLimits, steer } from './run-steering';
import { budgetLine, budgetsOf, statusLine, statusWords } from './status-words';

/** `run …`: create, drive, look at, steer and remove runs. */
export async function runCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, ...rest] = args.words;
  switch (verb) {
    case 'start':
      return start(context, args);
    case 'list':
      return list(await context.reader.runs());
    case 'resume':
      return args.values.all && rest[0] === undefined
        ? resumeAll(context, args.values.wait)
        : resume(context, await named(context, rest[0]), args.values.wait);
    case 'show':
      return show(context, await named(context, rest[0]));
    case 'pause':
    case 'stop':
      return steer(context, verb, await named(context, rest[0]), args.values.now);
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
  return context.reader.resolveRun(required(word, 'The run'));
}

async function start(context: CliContext, args: Arguments): Promise<CommandResult> {
  const { values } = args;
  const task = required(values.task, '--task');
  const spec = taskSpecSchema.parse((await context.reader.task(task)).spec);
  const run = await context.engine.startRun({
    task,
    title: values.title ?? null,
    endpoint: endpointFor(context, values),
    // More names may follow the option: `--computer one=a two=b`.
    computers: placesFor(spec, [...(values.computer ?? []), ...args.words.slice(2)]),
    approvals: oneOf(values.approvals, ['on', 'off'], 'off', '--approvals'),
    isolated: values.isolated,
    humanHints: true,
    experiment: values.experiment ?? null,
    ...startLimits(values),
    author: context.author,
  });
  if (!values.wait)
    return { json: { run }, lines: [`Created run ${run}.`, `Drive it with: run resume ${run} --wait`] };
  return drive(context, run);
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
      throw new WaymarkError('bad_input', `--computer says twice where ${name} is.`);
    }
    places[name] = named ? after.join('=') : word;
  }
  return places;
}

async function drive(context: CliContext, run: string): Promise<CommandResult> {
  await context.engine.resumeRun(run);
  await context.engine.waitRun(run);
  const summary = await context.reader.run(run);
  return {
    json: { run },
    lines: [`Run ${run}: ${statusLine(summary)}`],
    ...(summary.state === 'finished' || summary.state === 'stopped' ? {} : { exitCode: 1 as const }),
  };
}

async function resume(context: CliContext, run: string, wait: boolean): Promise<CommandResult> {
  if (wait) return drive(context, run);
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
  });
  return {
    json: { run, pid },
    lines: [`Process ${pid} drives run ${run}. Its log is ${log}.`],
  };
}

const atRest: readonly string[] = ['finished', 'stopped', 'failed', 'importing', 'import_broken'];

/** Every run that can go on and that nobody drives; with `wait` all in this process, until all have come to rest. */
async function resumeAll(context: CliContext, wait: boolean): Promise<CommandResult> {
  const going = (await context.reader.runs()).filter(({ state }) => !atRest.includes(state));
  await Promise.all(going.map(({ id }) => context.engine.untilLetGo(id)));
  const runs = going.filter(({ id }) => !context.store.isDriven(id));
  const results = await Promise.all(
    runs.map(async ({ id }) => {
      try {
        return await resume(context, id, wait);
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
    lines: runs.length === 0 ? ['No run waits to be driven.'] : results.flatMap(({ lines }) => lines),
    ...(bad.includes(true) ? { exitCode: 1 as const } : {}),
  };
}

async function show(context: CliContext, run: string): Promise<CommandResult> {
  const [summary, hints] = await Promise.all([context.reader.run(run), context.reader.hints(run)]);
  const { best, final, tries } = summary.scores;
  const status = runStatus(summary);
  return {
    json: {
      id: run,
      status: status.word,
      until: status.until,
      runningOn: summary.runningOn,
      reason: summary.reason,
      steps: summary.steps,
      taken: summary.taken,
      segments: summary.segments,
      checkpoints: summary.checkpoints,
      parent: summary.parent,
      events: summary.events,
      hints: hints.hints.map(({ id, text, state, step }) => ({ id, text, state, step })),
      scores: { best, final, tries },
      evaluatorIsolated: summary.evaluatorIsolated,
      model: { endpoint: summary.endpoint, model: summary.model },
      budgets: budgetsOf(summary),
      computers: summary.computers,
    },
    lines: [
      `${summary.title} (${run})`,
      `Status   ${statusLine(summary)}`,
      `On       ${summary.computers.map(computerWords).join(', ')}`,
      `Model    ${summary.model} at ${summary.endpoint}`,
      `Steps    ${summary.steps}, events ${summary.events}`,
      `Budgets  ${budgetLine(summary)}`,
      `Scores   best ${best ?? '–'}, final ${final ?? '–'}, ${tries} of ${summary.scores.maxTries} evaluations${summary.evaluatorIsolated ? '' : ' (evaluator not isolated)'}`,
      `Labels   train ${summary.labels.train}, mask ${summary.labels.mask}, undecided ${summary.labels.undecided}`,
      ...hints.hints.map(
        (each) =>
          `Hint ${each.number}   ${each.state}${each.step === null ? '' : ` after step ${each.step}`}: ${each.text}`,
      ),
    ],
  };
}

function computerWords({ name, kind, host = name, isolation }: RunSummary['computers'][number]): string {
  if (kind === 'local') {
    const apart = isolation === undefined ? 'not isolated' : `isolated by ${isolation}`;
    return name === 'local' ? `local, ${apart}` : `${name} (local, ${apart})`;
  }
  return host === name ? host : `${name} (${host})`;
}

function list(runs: RunSummary[]): CommandResult {
  return {
    json: {
      runs: runs.map((each) => {
        const { id, title, task, steps } = each;
        return { id, title, task: task.id, status: runStatus(each).word, steps };
      }),
    },
    lines:
      runs.length === 0
        ? ['No runs yet. Start one with: run start --task ID']
        : table(runs.map((each) => [each.id, statusWords(each), counted(each.steps, 'step'), each.title])),
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
