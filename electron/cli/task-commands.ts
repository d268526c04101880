import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { addTask } from '../task/add';
import { parseSpec } from '../task/stored-spec';
import { type Arguments, required } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, counted, table } from './output';

/** `task add PATH`, `task list` and `task show ID`. */
export async function taskCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, path] = args.words;
  if (verb === 'add') {
    const folder = resolve(required(path, 'The path of the task package'));
    const task = await addTask(context.store, folder);
    // As `addTask`: other commands do not wait for the parser of task files.
    const [{ loadTaskPackage }, { taskWarnings, warningWords }] = await Promise.all([
      import('../task/load'),
      import('../task/task-warnings'),
    ]);
    const warnings = (await taskWarnings(await loadTaskPackage(folder))).map(warningWords);
    return {
      json: { id: task.id, title: task.title, hash: task.hash, warnings },
      lines: [`Added task ${task.id}: ${task.title}`, ...warnings.map((warning) => `Warning: ${warning}`)],
    };
  }
  if (verb === 'list') {
    const tasks = await context.reader.tasks();
    return {
      json: { tasks: tasks.map(({ id, title }) => ({ id, title })) },
      lines:
        tasks.length === 0
          ? ['No tasks yet. Add one with: task add PATH']
          : table(tasks.map(({ id, title }) => [id, title])),
    };
  }
  if (verb === 'show') return show(context, required(path, 'The id of the task'));
  throw new WaymarkError(
    'bad_input',
    `There is no command "task ${verb ?? ''}". Run "waymark --help" for the commands.`,
  );
}

/** What a run of the task begins with when nobody chooses otherwise. */
async function show(context: CliContext, id: string): Promise<CommandResult> {
  const task = await context.reader.task(id);
  const { limits, computers, task_hint: hint, evaluation } = parseSpec(task.spec, task.title);
  const training = limits.max_training_time;
  return {
    json: {
      id,
      title: task.title,
      hash: task.hash,
      limits,
      taskHint: hint.mode,
      taskHintPenalty: hint.penalty,
      maxScore: evaluation.max_score,
      computers: computers.map(({ name, host, type, gpus, internet, setup }) => ({
        name,
        host,
        type,
        gpus,
        internet,
        eachSession: setup.each_session,
      })),
    },
    lines: [
      `${task.title} (${id})`,
      `Limits     ${limits.max_steps} steps, ${limits.max_working_time} of working time, ${counted(limits.max_eval_num, 'evaluation')}${training === null ? '' : `, ${training} for one training`}`,
      `Task hint  ${hint.text === '' ? 'none' : hint.mode}${hint.text === '' || hint.penalty === 0 ? '' : `, ${hint.penalty} points off${hint.penalty_upfront ? '' : ' once the agent asked for it'}`}`,
      `Points     ${evaluation.max_score} at most, ${evaluation.success_at} for a success`,
      ...computers.flatMap(({ name, host, type, gpus, setup }) => [
        `Computer   ${name}: ${type}${host === name ? '' : ` on ${host}`}${gpus === null ? '' : `, ${counted(gpus.count, 'GPU')} with ${gpus.memory_gb} GB`}`,
        ...setup.each_session.map((line) => `           each session begins with: ${line}`),
      ]),
    ],
  };
}
