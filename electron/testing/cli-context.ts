import type { CliContext } from '../cli/context';
import { TerminalPrompts } from '../cli/terminal-prompts';
import { takenEnvironment } from '../environment/taken-environment';
import { NamedAddresses } from '../named-addresses';
import type { EndpointsStand } from './endpoints-stand';
import { author } from './engine-stand';

/** The command line on the workspace of a stand; by default nobody sits there, and what it prints goes nowhere. */
export function cliContext(
  { store, engine, settings, folder }: EndpointsStand,
  {
    prompts = new TerminalPrompts({
      interactive: false,
      write: () => undefined,
      keys: () => () => undefined,
    }),
    terminal = { out: () => undefined, err: () => undefined, write: () => Promise.resolve(true) },
  }: Partial<Pick<CliContext, 'prompts' | 'terminal'>> = {},
): CliContext {
  return {
    folder,
    store,
    reader: store.reader,
    engine,
    settings,
    author,
    entry: '',
    resourcesDir: '',
    addresses: new NamedAddresses(folder),
    environment: takenEnvironment({}),
    prompts,
    terminal,
  };
}
