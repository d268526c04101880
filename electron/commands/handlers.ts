import type { CommandName, CommandOutput, CommandParsed } from '@shared/contract/ipc';

/** One function per command; inputs are parsed, outputs typed. Expected failures are thrown as `WaymarkError`. */
export type Handlers = { [C in CommandName]: (input: CommandParsed<C>) => Promise<CommandOutput<C>> };

/** Those of one group of the contract. */
export type HandlersOf<Group> = Pick<Handlers, keyof Group & CommandName>;
