import { setTimeout as delay } from 'node:timers/promises';
import { modelText } from '@shared/terminal/model-text';
import { SessionError } from '../computer/failures';
import type { CommandOutcome, SessionHost, SessionInfo } from '../computer/port';
import { environmentTimeoutMs } from './local-site';
import type { Attempt, AttemptMemory } from './site';

/** The session in which a host's set-up commands run, one after another; it is closed before the agent begins. */
export const setupSession = 'setup';

export interface SetupSessionOptions {
  sessions: SessionHost;
  cwd: string;
  env: Readonly<Record<string, string>>;
  signal: AbortSignal;
  opened(info: SessionInfo): Promise<void>;
  closed(end: { id: string; exitCode: number | null; endOffset: number }): Promise<void>;
}

const terminal = { rows: 40, cols: 160 };
/** How long the shell may take to be ready for the next command, and how often to ask, ms. */
const readyMs = 15_000;
const askMs = 100;
/** A command whose session was lost is begun again this often: a host may restart during a set-up. */
const mostTries = 3;
const tailBytes = 16 * 1024;

/**
 * Runs set-up commands on a host in a durable session: a broken link or the end of the application does not end
 * them, and whoever comes back finds the command by its number instead of running it twice.
 */
export class SetupSession {
  constructor(private readonly options: SetupSessionOptions) {}

  /** Runs the line, or waits for it where it was handed over before. @throws Error with the end of its output */
  async run(line: string, memory: AttemptMemory): Promise<void> {
    for (let tries = 1; tries <= mostTries; tries += 1) {
      const known = memory.read();
      const attempt = known !== null && (await this.taken(known)) ? known : await this.send(line, memory);
      const outcome = await this.outcome(attempt.command);
      if (outcome.exitCode === 0) return;
      await memory.write(null);
      if (outcome.exitCode !== null) {
        throw new Error(`exit code ${outcome.exitCode}. ${await this.tail(outcome)}`);
      }
      // It never began, or its session was lost with the host: a set-up command may be run again.
    }
    throw new Error('its session was lost three times. Check the host.');
  }

  async close(): Promise<void> {
    const { sessions } = this.options;
    if (await sessions.find(setupSession)) await this.options.closed(await sessions.close(setupSession));
  }

  private async taken({ session, command }: Attempt): Promise<boolean> {
    const info = await this.options.sessions.find(setupSession);
    return info?.id === session && info.commandSeq >= command;
  }

  /** Written down before it is sent, so that a lost answer is no second command. */
  private async send(line: string, memory: AttemptMemory): Promise<Attempt> {
    const { sessions, signal } = this.options;
    const until = performance.now() + readyMs;
    for (;;) {
      const info = await this.open();
      const attempt = { session: info.id, command: info.commandSeq + 1 };
      await memory.write(attempt);
      try {
        await sessions.run(setupSession, line);
        return attempt;
      } catch (error) {
        const busy = error instanceof SessionError && error.reason === 'session_busy';
        if (!busy || performance.now() > until) throw error;
        await delay(askMs, undefined, { signal });
      }
    }
  }

  private async open(): Promise<SessionInfo> {
    const { sessions, cwd, env } = this.options;
    const found = await sessions.find(setupSession);
    if (found?.alive) {
      await this.options.opened(found);
      return found;
    }
    if (found) await this.close();
    const made = await sessions.create({ name: setupSession, cwd, env, ...terminal });
    await this.options.opened(made);
    return made;
  }

  private async outcome(command: number): Promise<CommandOutcome> {
    const { sessions, signal } = this.options;
    const outcome = await sessions.waitCommand(setupSession, command, {
      signal,
      timeoutMs: environmentTimeoutMs,
    });
    if (!outcome.timedOut) return outcome;
    await sessions.signal(setupSession, 'KILL');
    throw new Error(`it took longer than ${environmentTimeoutMs / 3_600_000} hours and was ended.`);
  }

  private async tail({ startOffset, endOffset }: CommandOutcome): Promise<string> {
    const from = Math.max(startOffset, endOffset - tailBytes);
    const { bytes } = await this.options.sessions.read(setupSession, from, endOffset - from);
    return modelText(bytes).trim().split('\n').slice(-5).join('\n');
  }
}
