import { randomBytes } from 'node:crypto';
import { WaymarkError } from '@shared/contract/errors';
import { ComputerUnavailable, SessionError } from '../failures';
import type { CommandOutcome, SessionInfo } from '../port';
import type { CommandOrder, SessionLook } from './backend';
import { commandEcho, commandLine, whyNoCommand } from './layout';
import { type BackedSession, SessionReplaced } from './session';

/** The user's own prompt command may take its time. */
const promptMs = 2000;

/** A command whose answer was lost with the link: it may have been sent. */
interface Doubt {
  command: string;
  order: CommandOrder;
  offset: number;
}

/** Running commands in one session, and waiting for them. */
export class SessionCommands {
  private readonly session: BackedSession;
  private doubt: Doubt | undefined;
  /** The command that was sent last, and what the watch had heard before: nothing it does is heard earlier. */
  private sent: { commandSeq: number; heard: number } | undefined;

  constructor(session: BackedSession) {
    this.session = session;
  }

  /**
   * Whoever looks at the session learns whether a command in doubt was sent; the same text afterwards is a new command. Without
   * such a look it is the same call again.
   */
  seen(): void {
    this.doubt = undefined;
  }

  /** See `SessionHost.run`. */
  run(command: string, found?: (info: SessionInfo) => void): Promise<{ commandSeq: number; offset: number }> {
    return this.session.inTurn(() => this.runNow(command, found));
  }

  private async runNow(
    command: string,
    found: ((info: SessionInfo) => void) | undefined,
  ): Promise<{ commandSeq: number; offset: number }> {
    const session = this.session;
    const why = whyNoCommand(command);
    if (why !== null) throw new SessionError('invalid_command', session.name, why);
    if (found) this.seen();
    const again = this.doubt?.command === command ? this.doubt : undefined;
    if (again) {
      // The name may be another session's by now.
      await session.mustLook();
    }
    const doubt = again ?? (await this.prepared(command, found));
    if ((await this.send(doubt)) === 'taken') throw session.busy('Another command has just begun.');
    return place(doubt);
  }

  /** @throws SessionError session_busy, session_ended, session_lost */
  private async prepared(command: string, found?: (info: SessionInfo) => void): Promise<Doubt> {
    const session = this.session;
    const { state: judged, look } = await session.judge();
    found?.(session.infoFrom(look));
    const { state, reason, endOffset } = judged;
    if (state === 'ended' || state === 'lost') {
      throw new SessionError(
        state === 'ended' ? 'session_ended' : 'session_lost',
        session.name,
        `Session "${session.name}" cannot run commands: ${reason} Close it and create it again.`,
      );
    }
    if (state !== 'idle') throw session.busy(reason);
    const commandSeq = Math.max(look.commandSeq, session.index.lastCommand) + 1;
    const order: CommandOrder = {
      commandSeq,
      token: randomBytes(8).toString('hex'),
      echo: commandEcho(command),
      text: command,
      line: commandLine(commandSeq),
    };
    return { command, order, offset: endOffset };
  }

  private async send(doubt: Doubt): Promise<'sent' | 'taken'> {
    const { backend, name, directory } = this.session;
    const heard = this.session.heardNow();
    this.sent = undefined;
    try {
      const answer = await backend.command(name, directory, doubt.order);
      this.doubt = undefined;
      if (heard !== undefined) this.sent = { commandSeq: doubt.order.commandSeq, heard };
      return answer;
    } catch (error) {
      this.doubt = error instanceof ComputerUnavailable ? doubt : undefined;
      throw error;
    }
  }

  /** See `SessionHost.waitCommand`. */
  async wait(
    commandSeq: number,
    options: { signal?: AbortSignal; timeoutMs?: number },
    disposed: AbortSignal,
  ): Promise<CommandOutcome> {
    // Whoever gives up is answered at once, also while a look is on its way over a dead link; time that is up only ends the
    // waiting between two looks.
    const halt = new AbortController();
    const wake = new AbortController();
    const stop = () => {
      halt.abort();
      wake.abort();
    };
    options.signal?.addEventListener('abort', stop, { once: true });
    disposed.addEventListener('abort', stop, { once: true });
    if (options.signal?.aborted || disposed.aborted) stop();
    const timer =
      options.timeoutMs === undefined ? undefined : setTimeout(() => wake.abort(), options.timeoutMs);
    const deadline = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY);
    try {
      let last: SessionLook | undefined;
      // One that was only just sent has not ended before something is heard of its session.
      if (this.sent?.commandSeq === commandSeq) await this.session.changed(wake.signal, this.sent.heard);
      for (;;) {
        const look: SessionLook | 'halted' | undefined = await unlessHalted(
          last === undefined ? this.session.mustLook() : this.session.look(),
          halt.signal,
        );
        if (look === 'halted') {
          options.signal?.throwIfAborted();
          throw new WaymarkError('cancelled', 'The computer was let go while a command ran.');
        }
        // Closed meanwhile: what it ran is over, and how it ended was not seen.
        last = look ?? (last && { ...last, life: 'lost', exitCode: undefined });
        if (!last) throw new SessionReplaced(this.session.name);
        const outcome = this.outcome(commandSeq, last);
        if (!outcome.timedOut) {
          const { life } = await this.backAtPrompt(last, wake.signal);
          return { ...outcome, atPrompt: life === 'alive' && this.session.index.atPrompt };
        }
        if (performance.now() >= deadline) return outcome;
        await this.session.changed(wake.signal, last);
      }
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', stop);
      disposed.removeEventListener('abort', stop);
    }
  }

  /**
   * Between the end of a command and the prompt lie some milliseconds in which the session takes no command. Returns how
   * the last look found the session.
   */
  private async backAtPrompt(ended: SessionLook, signal: AbortSignal): Promise<Pick<SessionLook, 'life'>> {
    const deadline = performance.now() + promptMs;
    let last: SessionLook = ended;
    while (this.session.index.ending && !signal.aborted && performance.now() < deadline) {
      await this.session.changed(signal, last);
      const look = await this.session.look();
      if (look?.life !== 'alive') return look ?? { life: 'lost' };
      last = look;
    }
    return last;
  }

  /** How the command stands at that look; `timedOut` while it is not over. */
  private outcome(commandSeq: number, look: SessionLook): CommandOutcome {
    const { name, index } = this.session;
    const { life, exitCode, size } = look;
    const command = index.command(commandSeq);
    if (!command) {
      if (this.session.pendingCommand(look) === commandSeq) return nothingYet(size, true);
      const known = Math.max(look.commandSeq, index.lastCommand);
      if (commandSeq >= 1 && commandSeq <= known) return nothingYet(size, false);
      throw new SessionError(
        'command_unknown',
        name,
        `Session "${name}" has no command number ${commandSeq}.`,
      );
    }
    const over = command.endOffset !== undefined || life !== 'alive';
    return {
      timedOut: !over,
      exitCode: command.exitCode ?? (over && command.exitCode === undefined ? (exitCode ?? null) : null),
      startOffset: command.startOffset,
      endOffset: command.endOffset ?? size,
      startedAt: command.startedAt,
      endedAt: command.endedAt,
      atPrompt: false,
    };
  }
}

/** The work goes on unheard once `signal` aborts. */
function unlessHalted<T>(work: Promise<T>, signal: AbortSignal): Promise<T | 'halted'> {
  return new Promise((resolve, reject) => {
    const stop = () => resolve('halted');
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

function place({ order, offset }: Doubt): { commandSeq: number; offset: number } {
  return { commandSeq: order.commandSeq, offset };
}

function nothingYet(offset: number, timedOut: boolean): CommandOutcome {
  return {
    timedOut,
    exitCode: null,
    startOffset: offset,
    endOffset: offset,
    startedAt: undefined,
    endedAt: undefined,
    atPrompt: false,
  };
}
