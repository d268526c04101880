import { ComputerUnavailable, SessionError } from '../failures';
import type { SessionBackend } from './backend';
import { encodeSessionName } from './layout';
import { BackedSession, SessionReplaced } from './session';
import { SessionCommands } from './session-commands';

export interface OpenSession {
  session: BackedSession;
  commands: SessionCommands;
}

export interface OpenSessionsOptions {
  backend: SessionBackend;
  /** The computer's name, for messages. */
  computer: string;
  keptBytes: number;
}

/** Nobody closes and makes a session again this often while one question is asked. */
const maxReplaced = 20;

/** The sessions this process has looked at. Whether a name is still the same session's is seen at its next look. */
export class OpenSessions {
  private readonly options: OpenSessionsOptions;
  private readonly byName = new Map<string, OpenSession>();
  private root: string | undefined;

  constructor(options: OpenSessionsOptions) {
    this.options = options;
  }

  /** Does it with the session that has the name now. `work` may throw `SessionReplaced` before it changed anything. */
  async use<T>(name: string, work: (opened: OpenSession) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries += 1) {
      const opened = await this.find(name);
      if (!opened) {
        const where = `on the computer ${this.options.computer}`;
        throw new SessionError('session_not_found', name, `There is no session "${name}" ${where}.`);
      }
      try {
        return await work(opened);
      } catch (error) {
        if (!(error instanceof SessionReplaced)) throw error;
        this.forget(opened);
        if (tries < maxReplaced) continue;
        const { computer } = this.options;
        const message = `${computer} reports a different session "${name}" each time. Wait, or check the host itself.`;
        throw new ComputerUnavailable(computer, message);
      }
    }
  }

  /** Those that have been looked at, whether or not they are still there. */
  names(): string[] {
    return [...this.byName.keys()];
  }

  async find(name: string): Promise<OpenSession | undefined> {
    const known = this.byName.get(name);
    if (known) return known;
    const { backend, keptBytes } = this.options;
    const directory = await this.directory(name);
    const identity = await backend.identify(directory);
    if (!identity) return undefined;
    // Somebody else may have opened it meanwhile.
    const first = this.byName.get(name);
    if (first) return first;
    const session = new BackedSession({ backend, name, directory, identity, keptBytes });
    const opened = { session, commands: new SessionCommands(session) };
    this.byName.set(name, opened);
    return opened;
  }

  forget(opened: OpenSession): void {
    const { name } = opened.session;
    if (this.byName.get(name) === opened) this.byName.delete(name);
    opened.session.dispose();
  }

  /** `make`: also when the directory of all sessions was made before; it may be gone. @throws SessionError invalid_name */
  async directory(name: string, make = false): Promise<string> {
    const encoded = encodeSessionName(name);
    if (make || this.root === undefined) this.root = await this.options.backend.prepareRoot();
    return `${this.root}/${encoded}`;
  }

  dispose(): void {
    for (const { session } of this.byName.values()) session.dispose();
    this.byName.clear();
  }
}
