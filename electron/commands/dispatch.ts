import { type Failure, type Result, toFailure, WaymarkError } from '@shared/contract/errors';
import { type CommandName, type CommandOutput, type CommandParsed, commands } from '@shared/contract/ipc';
import type { z } from 'zod';
import { checkInputSize } from './input-size';

/** One function per command; inputs are parsed, outputs typed. Expected failures are thrown as `WaymarkError`. */
export type Handlers = { [C in CommandName]: (input: CommandParsed<C>) => Promise<CommandOutput<C>> };

/** Those of one group of the contract. */
export type HandlersOf<Group> = Pick<Handlers, keyof Group & CommandName>;

/** Hears of every failure that is a bug. */
export type ReportBug = (command: string, failure: Failure) => void;

/** For messages. What is no text may not even be made one. */
export function calledBy(name: unknown): string {
  return typeof name === 'string' ? name.slice(0, 80) : typeof name;
}

/** Names and inputs of the commands that one page has. */
type Contract = Readonly<Record<string, { readonly input: z.ZodType }>>;
type Answers = Readonly<Record<string, unknown>>;

/**
 * Parses a command from a window or a channel and answers it; never throws. What is not in `handlers` is refused. The
 * detail of a bug goes to `report` and not to whoever asked.
 */
export function answerCommand(
  handlers: Partial<Handlers>,
  name: unknown,
  input: unknown,
  report: ReportBug,
): Promise<Result<unknown>> {
  return answerFrom(commands, handlers, name, input, report);
}

/** As `answerCommand`, for the contract of another page. */
export async function answerFrom(
  contract: Contract,
  handlers: Answers,
  name: unknown,
  input: unknown,
  report: ReportBug,
): Promise<Result<unknown>> {
  try {
    if (typeof name !== 'string' || !Object.hasOwn(contract, name))
      throw new WaymarkError('bad_input', 'There is no such command.', calledBy(name));
    return { ok: true, value: await dispatch(contract, handlers, name, input) };
  } catch (thrown) {
    const failure = toFailure(thrown);
    if (failure.code === 'bug') report(calledBy(name), failure);
    return { ok: false, error: failure.code === 'bug' ? { ...failure, detail: undefined } : failure };
  }
}

async function dispatch(
  contract: Contract,
  handlers: Answers,
  name: string,
  input: unknown,
): Promise<unknown> {
  checkInputSize(name, input);
  const parsed = contract[name]?.input.safeParse(input);
  if (parsed?.success !== true) {
    const first = parsed?.error.issues[0];
    throw new WaymarkError(
      'bad_input',
      `The input of ${name} is not valid at "${first?.path.join('.') ?? ''}": ${first?.message ?? 'unknown'}.`,
    );
  }
  if (!Object.hasOwn(handlers, name)) {
    throw new WaymarkError('unsupported', `The command ${name} is not answered over this channel.`);
  }
  // The table ties the parsed input to its handler; TypeScript cannot follow that through a union of names.
  const handle = handlers[name] as (input: unknown) => Promise<unknown>;
  return handle(parsed.data);
}
