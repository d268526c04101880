import { WaymarkError } from '@shared/contract/errors';
import type { CommandInput } from '@shared/contract/ipc';
import type { Handlers } from '../commands/dispatch';

/** Commands that begin to drive a run. */
type Starting = {
  [C in keyof Handlers]: 'unisolated' extends keyof CommandInput<C> ? C : never;
}[keyof Handlers];

const starting: Record<Starting, true> = { 'runs.start': true, 'runs.resume': true, 'branches.create': true };

/**
 * The handlers, with a native question before a run works without isolation, here or on the server that the window shows: its
 * machine says `not_isolated`, and is asked once more when the person said yes. Whether somebody agreed is never the page's word.
 */
export function askUnisolated(handlers: Handlers, confirm: (why: string) => Promise<boolean>): Handlers {
  const asking = (name: Starting) => {
    const handle = handlers[name] as (input: object) => Promise<unknown>;
    return async (input: object): Promise<unknown> => {
      try {
        return await handle({ ...input, unisolated: false });
      } catch (thrown) {
        if (!(thrown instanceof WaymarkError) || thrown.code !== 'not_isolated') throw thrown;
        if (!(await confirm(thrown.detail ?? ''))) throw thrown;
      }
      return handle({ ...input, unisolated: true });
    };
  };
  const names = Object.keys(starting) as Starting[];
  // One function for each name of the table; TypeScript cannot follow that through `fromEntries`.
  return { ...handlers, ...Object.fromEntries(names.map((name) => [name, asking(name)])) };
}
