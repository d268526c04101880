import { type Failure, type Result, toFailure, WaymarkError } from '@shared/errors';
import { type CommandName, type CommandOutput, commands } from '@shared/ipc';
import { checkInputSize } from './input-size';
import type { Handlers } from './register';

/** Hears of every failure that is a bug. */
export type ReportBug = (command: string, failure: Failure) => void;

/** For messages. What is no text may not even be made one. */
export function calledBy(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, 80) : typeof name;
}

/**
 * Parses a command from a window or a channel and answers it; never throws. What is not in `handlers` is refused. The
 * detail of a bug goes to `report` and not to whoever asked.
 */
export async function answerCommand(
  handlers: Partial<Handlers>,
  name: unknown,
  input: unknown,
  report: ReportBug,
): Promise<Result<unknown>> {
  try {
    if (!isCommand(name)) throw new WaymarkError('bad_input', 'There is no such command.', calledBy(name));
    return { ok: true, value: await dispatch(handlers, name, input) };
  } catch (thrown) {
    const failure = toFailure(thrown);
    if (failure.code === 'bug') report(calledBy(name), failure);
    return { ok: false, error: failure.code === 'bug' ? { ...failure, detail: undefined } : failure };
  }
}

export function isCommand(name: unknown): name is CommandName {
  return typeof name === 'string' && Object.hasOwn(commands, name);
}

async function dispatch<C extends CommandName>(
  handlers: Partial<Handlers>,
  name: C,
  input: unknown,
): Promise<CommandOutput<C>> {
  checkInputSize(name, input);
  const parsed = commands[name].input.safeParse(input);
  if (!parsed.success) {
    const first = parsed.error.issues[0];
    throw new WaymarkError(
      'bad_input',
      `The input of ${name} is not valid at "${first?.path.join('.') ?? ''}": ${first?.message ?? 'unknown'}.`,
    );
  }
  if (!Object.hasOwn(handlers, name)) {
    throw new WaymarkError('unsupported', `The command ${name} is not answered over this channel.`);
  }
  // The table ties the parsed input to its handler; TypeScript cannot follow that through a union of names.
  const handle = handlers[name] as (input: unknown) => Promise<CommandOutput<C>>;
  return handle(parsed.data);
}
