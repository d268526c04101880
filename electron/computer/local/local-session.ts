import { stat, unlink, writeFile } from 'node:fs/promises';
import { WaymarkError } from '@shared/errors';
import { SessionError } from '../failures';
import type { CommandOutcome, CommandRecord, SessionInfo, SessionState } from '../port';
import { classify, type SessionFacts } from '../sessions/classify';
import { commandEcho, commandLine, lastCommandFile, readInbox, type SessionMeta } from '../sessions/layout';
import type { ProcessTable } from './process-table';
import { absentIsUndefined, type SessionFiles } from './session-files';
import { queueInput } from './session-input';
import { SessionLog } from './session-log';
import { SessionProcesses } from './session-processes';

/** A command whose typed line was lost on its way (Ctrl-C at that moment, a crash) is given up after this long. */
const lostCommandMs = 5000;
/** The user's own prompt command may take its time. */
const promptMs = 2000;
const maxCommandBytes = 4 * 1024 * 1024;

/** One life of one session. */
export class LocalSession {
  readonly name: string;
  readonly files: SessionFiles;
  readonly meta: SessionMeta;
  readonly log: SessionLog;
  readonly processes: SessionProcesses;
  #turn: Promise<unknown> = Promise.resolve();

  constructor(name: string, files: SessionFiles, meta: SessionMeta, nonce: string, table: ProcessTable) {
    this.name = name;
    this.files = files;
    this.meta = meta;
    this.log = new SessionLog(files, nonce);
    this.processes = new SessionProcesses(table, meta);
  }

  async info(): Promise<SessionInfo> {
    const [{ life }, { size }, inbox, commands] = await Promise.all([
      this.files.life(),
      this.files.log(),
      this.files.inbox(),
      this.files.commandFiles(),
    ]);
    return {
      name: this.name,
      id: this.meta.id,
      alive: life === 'alive',
      cwd: this.meta.cwd,
      createdAt: this.meta.createdAt,
      endOffset: size,
      inputSeq: readInbox(inbox).accepted,
      commandSeq: lastCommandFile(commands),
    };
  }

  async state(): Promise<SessionState> {
    const { life, exitCode } = await this.files.life();
    await this.log.catchUp();
    const { index } = this.log;
    const pending = life === 'alive' && (await this.#pendingCommand()) !== undefined;
    // At a prompt a look at the shell is enough; whoever else may run is in the background.
    const foreground = life === 'alive' ? await this.processes.foreground() : [];
    const terminal =
      life === 'alive' && !index.atPrompt && !index.starting ? await this.processes.terminal() : undefined;
    // What the markers say may have changed while the processes were looked at.
    await this.log.catchUp();
    const facts: SessionFacts = {
      life,
      starting: index.starting,
      atPrompt: index.atPrompt,
      ending: index.ending,
      pending,
      foreground,
      terminal,
    };
    const { size, mtimeMs } = await this.files.log();
    return {
      ...classify(facts),
      foreground: foreground
        .filter((process) => !process.isShell)
        .map(({ pid, stat: state, command }) => ({ pid, stat: state, command })),
      echo: terminal?.echo,
      exitCode: exitCode ?? undefined,
      endOffset: size,
      lastByteAt: mtimeMs,
      command: life === 'alive' ? index.running : undefined,
      diskFull: life === 'alive' && (await this.files.diskFull()),
    };
  }

  /** The number of a command that was sent and has not begun. */
  async #pendingCommand(): Promise<number | undefined> {
    const last = lastCommandFile(await this.files.commandFiles());
    if (last <= this.log.index.lastCommand) return undefined;
    const sent = await absentIsUndefined(stat(this.files.path('cmd', String(last))));
    if (!sent) return undefined;
    const { pending } = readInbox(await this.files.inbox());
    const lost = pending.length === 0 && Date.now() - sent.mtimeMs > lostCommandMs && this.log.index.atPrompt;
    return lost ? undefined : last;
  }

  write(bytes: Uint8Array, inputSeq: number | undefined): Promise<{ inputSeq: number; delivered: boolean }> {
    return this.#inTurn(() => queueInput(this.name, this.files, bytes, inputSeq));
  }

  run(command: string): Promise<{ commandSeq: number; offset: number }> {
    return this.#inTurn(() => this.#run(command));
  }

  async #run(command: string): Promise<{ commandSeq: number; offset: number }> {
    if (command.includes('\0') || Buffer.byteLength(command) > maxCommandBytes) {
      throw new SessionError(
        'invalid_command',
        this.name,
        `A command has no NUL character and at most ${maxCommandBytes} bytes. Put more into a file and run that.`,
      );
    }
    // Listed before the state is looked at: whoever takes the same number in between makes the other one fail.
    const known = lastCommandFile(await this.files.commandFiles());
    const { state, reason, endOffset } = await this.state();
    if (state === 'ended' || state === 'lost') {
      throw new SessionError(
        state === 'ended' ? 'session_ended' : 'session_lost',
        this.name,
        `Session "${this.name}" cannot run commands: ${reason} Close it and create it again.`,
      );
    }
    if (state !== 'idle') throw this.#busy(reason);
    const commandSeq = Math.max(known, this.log.index.lastCommand) + 1;
    const file = this.files.path('cmd', String(commandSeq));
    await writeFile(`${file}.echo`, commandEcho(command), { mode: 0o600 });
    try {
      // The number can be taken once, so of two processes one is told that the session is busy.
      await writeFile(file, command, { flag: 'wx', mode: 0o600 });
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST')
        throw this.#busy('Another command has just begun.');
      throw error;
    }
    try {
      await queueInput(this.name, this.files, Buffer.from(commandLine(commandSeq)), undefined);
    } catch (error) {
      await unlink(file);
      throw error;
    }
    await this.#forget(commandSeq - 1);
    return { commandSeq, offset: endOffset };
  }

  #busy(reason: string): SessionError {
    return new SessionError('session_busy', this.name, `Session "${this.name}" is busy. ${reason}`);
  }

  /** The text of a finished command is not needed any more. */
  async #forget(commandSeq: number): Promise<void> {
    const file = this.files.path('cmd', String(commandSeq));
    await absentIsUndefined(unlink(file));
    await absentIsUndefined(unlink(`${file}.echo`));
  }

  async waitCommand(
    commandSeq: number,
    options: { signal?: AbortSignal; timeoutMs?: number },
    disposed: AbortSignal,
  ): Promise<CommandOutcome> {
    const stop = new AbortController();
    const abort = () => stop.abort();
    options.signal?.addEventListener('abort', abort, { once: true });
    disposed.addEventListener('abort', abort, { once: true });
    const timer = options.timeoutMs === undefined ? undefined : setTimeout(abort, options.timeoutMs);
    const deadline = performance.now() + (options.timeoutMs ?? Number.POSITIVE_INFINITY);
    try {
      for (;;) {
        const outcome = await this.#outcome(commandSeq);
        if (!outcome.timedOut) {
          await this.#backAtPrompt(stop.signal);
          return outcome;
        }
        options.signal?.throwIfAborted();
        if (disposed.aborted)
          throw new WaymarkError('cancelled', 'The computer was let go while a command ran.');
        if (performance.now() >= deadline) return outcome;
        await this.log.changed(stop.signal);
      }
    } finally {
      clearTimeout(timer);
      options.signal?.removeEventListener('abort', abort);
      disposed.removeEventListener('abort', abort);
    }
  }

  /** Between the end of a command and the prompt lie some milliseconds in which the session takes no command. */
  async #backAtPrompt(signal: AbortSignal): Promise<void> {
    const deadline = performance.now() + promptMs;
    while (this.log.index.ending && !signal.aborted && performance.now() < deadline) {
      if ((await this.files.life()).life !== 'alive') return;
      await this.log.changed(signal);
      await this.log.catchUp();
    }
  }

  /** How the command stands now; `timedOut` while it is not over. */
  async #outcome(commandSeq: number): Promise<CommandOutcome> {
    // Life first: a shell that ended has written all it had to say.
    const { life, exitCode } = await this.files.life();
    await this.log.catchUp();
    const { size } = await this.files.log();
    const command = this.log.index.command(commandSeq);
    if (!command) {
      const pending = await this.#pendingCommand();
      if (pending === commandSeq && life === 'alive') return outcomeAt(size, { timedOut: true });
      const known = Math.max(lastCommandFile(await this.files.commandFiles()), this.log.index.lastCommand);
      if (commandSeq >= 1 && commandSeq <= known) return outcomeAt(size, { timedOut: false });
      throw new SessionError(
        'command_unknown',
        this.name,
        `Session "${this.name}" has no command number ${commandSeq}.`,
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
    };
  }

  async commands(): Promise<CommandRecord[]> {
    const { life, exitCode } = await this.files.life();
    await this.log.catchUp();
    const { size, mtimeMs } = await this.files.log();
    return this.log.index
      .commands()
      .map((command) =>
        command.endOffset === undefined && life !== 'alive'
          ? { ...command, endOffset: size, endedAt: mtimeMs, exitCode: exitCode ?? null }
          : { ...command },
      );
  }

  async #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const mine = this.#turn.then(work, work);
    this.#turn = mine;
    return mine;
  }

  async dispose(): Promise<void> {
    await this.log.close();
  }
}

function outcomeAt(offset: number, { timedOut }: { timedOut: boolean }): CommandOutcome {
  return {
    timedOut,
    exitCode: null,
    startOffset: offset,
    endOffset: offset,
    startedAt: undefined,
    endedAt: undefined,
  };
}
