import type { Settings } from '@shared/contract/settings';
import type { RetryOptions } from '../agent/loop-types';
import type { Clock } from '../clock';
import type { Hosts } from '../computer/hosts';
import type { Isolation } from '../computer/local/sandbox/bubblewrap';
import { BoundKey } from '../model/bound-key';
import type { NamedAddresses } from '../named-addresses';
import type { SecretScanner } from '../secrets/scanner';
import type { Store } from '../store/api';

export interface EngineLog {
  info(message: string, facts?: Record<string, unknown>): void;
  error(message: string, facts?: Record<string, unknown>): void;
}

export interface EngineOptions {
  store: Store;
  /** Read when it is needed, so that a change holds from then on. */
  settings: { readonly current: Settings };
  /**
   * The key in that environment variable, for `origin`, or the one kept under an endpoint's name, for the origin that it was
   * given for; null = there is none. A variable is read only after `isNamed` said that it may go to that origin.
   */
  findKey(endpoint: string, environmentVariable: string, origin: string): BoundKey | null;
  /** What the person named beside the settings; absent: nothing. */
  addresses?: Pick<NamedAddresses, 'has'> | undefined;
  /** Whether an endpoint's key is kept behind a passphrase that nobody has given yet. */
  isKeyLocked?: ((endpoint: string) => boolean) | undefined;
  /** Where an endpoint that this process serves itself (the demo's recording) is now; null = as the run says. */
  baseUrlOf?: (endpoint: string) => Promise<string | null>;
  /** Knows the keys that this process holds; absent: only formats of known services are found in observations. */
  scanner?: SecretScanner | undefined;
  clock: Clock;
  /** Computers reached over SSH; shared with whoever else in this process uses them, and not closed by the engine. */
  hosts: Hosts;
  /** The application's `resources` folder. */
  resourcesDir: string;
  /** Sessions of each run live in a folder of their own below; on a local disk. */
  sessionsDir: string;
  appVersion: string;
  /**
   * Has runs driven by another process; resolves when one does. Absent: this process drives them. `agreed`: a person agreed here
   * that the run goes on without isolation, which the other process cannot ask.
   */
  driveApart?: ((run: string, agreed: boolean) => Promise<void>) | undefined;
  log: EngineLog;
  /** What keeps local sessions apart on this machine; default: looks. */
  findIsolation?: (() => Promise<Isolation>) | undefined;
  /** Default: about an hour of tries. */
  retry?: RetryOptions;
  /** How long an action may end, and a disk may come back, when the application closes; default 15 s. */
  quitGraceMs?: number;
}

/** Keys of the command line, which has no store of its own: what a named variable holds, for the origin it was named for. */
export function environmentKey(
  environment: Readonly<Record<string, string | undefined>>,
): EngineOptions['findKey'] {
  return (_endpoint, variable, origin) => {
    const key = variable === '' ? undefined : environment[variable];
    return key ? new BoundKey(key, origin) : null;
  };
}
