import { SerialQueue } from '../base/serial-queue';
import { type ProcessTable, processTable } from '../computer/local/process-table';
import type { HostKeyAlarm, PromptPort, SshAnswer, SshQuestion } from '../computer/ssh/transport';
import { shortLine, shortText } from '../computer/ssh/untrusted-text';

/** More ancestors than any process has that a person started. */
const mostAncestors = 200;

/**
 * Why nobody at this terminal may answer for a person, as the end of a sentence; null: whoever types is taken for one. What an agent runs is
 * no person, though its sessions are terminals too. An aid: an unisolated agent that hides where it comes from can do all that
 * its person can.
 */
export async function whyNoPerson(
  table: ProcessTable = processTable(),
  self = process.pid,
): Promise<string | null> {
  let row = await table.one(self);
  // Who reads from a terminal in the background is stopped by it.
  if (row !== undefined && row.foreground !== row.group) return 'this process is in the background';
  for (let depth = 0; row !== undefined && depth < mostAncestors; depth += 1) {
    if (await table.startedIn(row)) return 'this terminal belongs to a session of Waymark';
    row = row.parent > 1 ? await table.one(row.parent) : undefined;
  }
  return null;
}

/** The part of a terminal that questions need. */
export interface PromptTerminal {
  /** A person can read and answer here. */
  readonly interactive: boolean;
  /** Writes text as it is, where it does not mix with a command's output. */
  write(text: string): void;
  /** Keys as they are typed, until the returned function is called; nothing is echoed meanwhile. */
  keys(onKeys: (text: string) => void): () => void;
}

/** Shows the prompt and takes what is typed up to Enter. */
export type AskLine = (prompt: string) => Promise<string | null>;

const ended = /[\r\n]/;

/**
 * Asks a person at the terminal: one question at a time, each with the host's name; secrets are not shown while they
 * are typed. Where nobody can answer, everything is declined and said. What a host sends is shown without control
 * characters.
 */
export class TerminalPrompts implements PromptPort {
  private readonly turns = new SerialQueue();

  constructor(
    private readonly terminal: PromptTerminal,
    private readonly noPerson: () => Promise<string | null> = whyNoPerson,
  ) {}

  ask(question: SshQuestion, signal: AbortSignal): Promise<SshAnswer | null> {
    return this.turns.run(() => {
      signal.throwIfAborted();
      return this.askInTurn(question, signal);
    });
  }

  /**
   * Whether a person says yes; `null`: nobody can be asked here. Enter says no. `question`: called when its turn has come. Rejects
   * with the signal's reason once it aborts.
   */
  confirm(
    question: () => string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<boolean | null> {
    if (!this.terminal.interactive) return Promise.resolve(null);
    return this.turns.run(async () => {
      signal.throwIfAborted();
      const answer = await this.line(`${question()} (y/N) `, true, signal);
      return answer !== null && /^y(?:es)?$/i.test(answer.trim());
    });
  }

  /** Why nobody here may answer what only a person may, as the end of a sentence; null: somebody may. */
  async whyNobody(): Promise<string | null> {
    return this.terminal.interactive ? this.noPerson() : 'this is not a terminal';
  }

  /**
   * Questions that belong together, with no other one between them. A line is null when the person gave it up with Ctrl-C or
   * Ctrl-D. Rejects with the signal's reason once it aborts.
   */
  inTurn<T>(talk: (line: AskLine) => Promise<T>, signal: AbortSignal): Promise<T> {
    return this.turns.run(() => {
      signal.throwIfAborted();
      return talk((prompt) => this.line(prompt, true, signal));
    });
  }

  alarm(alarm: HostKeyAlarm): void {
    const where = `${shortLine(alarm.file)}, line ${alarm.line}`;
    const lines =
      alarm.kind === 'revoked'
        ? [
            `DANGER: ${named(alarm)} showed a key that is marked as revoked.`,
            `  shown    ${alarm.keyType} ${alarm.presentedSha256}`,
            `  revoked  in ${where}`,
            'Nothing was sent, and nothing will be.',
          ]
        : [
            `DANGER: the key of ${named(alarm)} has changed. Somebody may be listening in.`,
            `  known    ${alarm.expected ? `${alarm.expected.type} ${alarm.expected.sha256}` : 'another one'}`,
            `  shown    ${alarm.keyType} ${alarm.presentedSha256}`,
            `  known in ${where}`,
            'Nothing was sent. If the host really was reinstalled, remove the old key from that line and try again.',
          ];
    this.terminal.write(`${lines.join('\n')}\n`);
  }

  private async askInTurn(question: SshQuestion, signal: AbortSignal): Promise<SshAnswer | null> {
    if (!this.terminal.interactive) {
      this.terminal.write(
        `${named(question)} asks for ${whatFor(question)}, and nobody can answer here. Run this in a terminal, or set up a key in your ssh agent for this host.\n`,
      );
      return null;
    }
    switch (question.kind) {
      case 'password': {
        const again = question.attempt > 1 ? 'That was not accepted. ' : '';
        return this.texts([{ prompt: `${again}Password for ${named(question)}: `, echo: false }], signal);
      }
      case 'passphrase': {
        const again = question.attempt > 1 ? 'That was not accepted. ' : '';
        const key = shortLine(question.keyFile);
        return this.texts(
          [{ prompt: `${again}Passphrase of the key ${key} (for ${named(question)}): `, echo: false }],
          signal,
        );
      }
      case 'keyboard':
        return this.keyboard(question, signal);
      case 'unknown_host_key':
        return this.trust(question, signal);
    }
  }

  private async keyboard(
    question: Extract<SshQuestion, { kind: 'keyboard' }>,
    signal: AbortSignal,
  ): Promise<SshAnswer | null> {
    const said = [shortLine(question.name), shortText(question.instructions)].filter((text) => text !== '');
    this.terminal.write(`${named(question)} asks:\n${said.map((text) => `${text}\n`).join('')}`);
    const fields = question.fields.map(({ prompt, echo }) => ({ prompt: `${shortLine(prompt)} `, echo }));
    return this.texts(fields, signal);
  }

  private async trust(
    question: Extract<SshQuestion, { kind: 'unknown_host_key' }>,
    signal: AbortSignal,
  ): Promise<SshAnswer | null> {
    this.terminal.write(
      [
        `The key of ${named(question)} is unknown:`,
        `  ${question.keyType} ${question.sha256}`,
        'Compare it with the key shown on the host itself, or ask the owner of the host.',
        '',
      ].join('\n'),
    );
    const prompt = `Trust it and save it in ${shortLine(question.file)}? (yes/no) `;
    for (;;) {
      const answer = await this.line(prompt, true, signal);
      if (answer === null || /^no?$/i.test(answer.trim())) return null;
      if (/^yes$/i.test(answer.trim())) return { trust: true };
      this.terminal.write('Please type yes or no.\n');
    }
  }

  private async texts(
    fields: readonly { prompt: string; echo: boolean }[],
    signal: AbortSignal,
  ): Promise<SshAnswer | null> {
    const texts: string[] = [];
    for (const { prompt, echo } of fields) {
      const text = await this.line(prompt, echo, signal);
      if (text === null) return null;
      texts.push(text);
    }
    return { texts };
  }

  /** One line as it was typed; null when it was given up with Ctrl-C or Ctrl-D. */
  private line(prompt: string, echo: boolean, signal: AbortSignal): Promise<string | null> {
    const { terminal } = this;
    return new Promise((resolve, reject) => {
      let typed: string[] = [];
      const finish = (end: () => void) => {
        stop();
        signal.removeEventListener('abort', withdraw);
        terminal.write('\n');
        end();
      };
      const withdraw = () => finish(() => reject(signal.reason));
      const stop = terminal.keys((text) => {
        for (const key of text) {
          if (key === '\u0003' || (key === '\u0004' && typed.length === 0))
            return finish(() => resolve(null));
          if (ended.test(key)) return finish(() => resolve(typed.join('')));
          if (key === '\u007f' || key === '\b') {
            if (typed.pop() !== undefined && echo) terminal.write('\b \b');
          } else if (key === '\u0015') {
            if (echo) terminal.write('\b \b'.repeat(typed.length));
            typed = [];
          } else if (key >= ' ') {
            typed.push(key);
            if (echo) terminal.write(key);
          }
        }
      });
      signal.addEventListener('abort', withdraw, { once: true });
      // Last: who answers the moment it shows must find the terminal silent.
      terminal.write(prompt);
    });
  }
}

/** The alias, and who is really being talked to; a jump host under its own name. */
function named({ alias, via, target }: { alias: string; via?: string | undefined; target: string }): string {
  const who = via === undefined ? alias : `${via} (on the way to ${alias})`;
  return shortLine(`${who} [${target}]`);
}

function whatFor(question: SshQuestion): string {
  switch (question.kind) {
    case 'password':
      return 'a password';
    case 'passphrase':
      return `the passphrase of ${shortLine(question.keyFile)}`;
    case 'keyboard':
      return 'answers to its questions';
    case 'unknown_host_key':
      return 'a decision about its unknown key';
  }
}

/** The terminal this process was started from. Questions go to standard error: output stays what it is. */
export function processTerminal(): PromptTerminal {
  const { stdin, stderr } = process;
  return {
    interactive: stdin.isTTY === true && stderr.isTTY === true,
    write: (text) => void stderr.write(text),
    keys: (onKeys) => {
      const take = (piece: Buffer) => onKeys(piece.toString('utf8'));
      stdin.setRawMode(true);
      stdin.on('data', take);
      stdin.resume();
      return () => {
        stdin.off('data', take);
        stdin.setRawMode(false);
        stdin.pause();
      };
    },
  };
}
