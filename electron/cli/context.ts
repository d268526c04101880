import type { Settings } from '@shared/contract/settings';
import type { Author } from '@shared/log/annotations';
import type { TakenEnvironment } from '../environment/taken-environment';
import type { NamedAddresses } from '../named-addresses';
import type { Engine } from '../runs/engine';
import type { Store, StoreReader } from '../store/api';
import type { Terminal } from './output';
import type { TerminalPrompts } from './terminal-prompts';

/** What every command gets: an open workspace and who types. */
export interface CliContext {
  folder: string;
  store: Store;
  reader: StoreReader;
  engine: Engine;
  settings: Settings;
  /** Of models, named on the command line here. */
  addresses: NamedAddresses;
  author: Author;
  terminal: Terminal;
  /** Questions to the person at the terminal. */
  prompts: TerminalPrompts;
  /** The script to start a background driver with. */
  entry: string;
  resourcesDir: string;
  /** Keys that were given by environment variables, which this process has no more. */
  environment: TakenEnvironment;
}
