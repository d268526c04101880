import { resolve } from 'node:path';
import { WaymarkError } from '@shared/errors';
import { addTask } from '../task/add';
import { type Arguments, required } from './arguments';
import type { CliContext } from './context';
import { type CommandResult, table } from './output';

/** `task add PATH` and `task list`. */
export async function taskCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, path] = args.words;
  if (verb === 'add') {
    const task = await addTask(context.store, resolve(required(path, 'The path of the task package')));
    return {
      json: { id: task.id, title: task.title, hash: task.hash },
      lines: [`Added task ${task.id}: ${task.title}`],
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
  throw new WaymarkError(
    'bad_input',
    `There is no command "task ${verb ?? ''}". Run "waymark --help" for the commands.`,
  );
}
