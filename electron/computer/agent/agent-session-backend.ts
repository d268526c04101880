import { posix } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { ComputerUnavailable, SessionError } from '../failures';
import type { SessionChunk } from '../port';
import type {
  CommandOrder,
  LookOrder,
  SessionBackend,
  SessionIdentity,
  SessionLook,
  SessionWatch,
  ShellProcess,
  StartedProcess,
  StartOrder,
} from '../sessions/backend';
import { decodeSessionName, parseMeta, type SessionMeta } from '../sessions/layout';
import type { AgentAnswer, AgentClient } from './agent-client';
import { AgentRefusal, asRefusedSession } from './agent-failures';
import { type AgentLink, overLink } from './agent-link';
import { AgentWatch } from './agent-watch';
import { processNumber, wholeNumber } from './answer-numbers';
import { parseDirectories, parseLook, parseProcesses } from './session-answers';
import { readLog, staged } from './session-bytes';
import type { SessionResources } from './session-resources';
import { TransferPace } from './transfer-pace';

export interface AgentSessionsOptions {
  link: AgentLink;
  /** The computer's name, for messages. */
  computer: string;
  /** Directory below the host's base: sessions of different namespaces do not see each other. */
  namespace: string;
  resources: SessionResources;
}

/** Sessions of a distant host: every call is one request to its helper. Asking again after a loss is safe. */
export class AgentSessionBackend implements SessionBackend {
  private readonly options: AgentSessionsOptions;
  private readonly pace = new TransferPace();

  constructor(options: AgentSessionsOptions) {
    this.options = options;
  }

  async prepareRoot(): Promise<string> {
    return this.on('', async (client) => {
      const root = this.root();
      await client.request('mkroot', [root]);
      return root;
    });
  }

  /** Known once a channel was up. @throws ComputerUnavailable; WaymarkError unsupported, when the host has no place */
  private root(): string {
    const { link, computer, namespace } = this.options;
    const facts = link.facts();
    if (facts?.base) return posix.join(facts.base, namespace);
    if (facts) {
      throw new WaymarkError(
        'unsupported',
        `The computer ${computer} has no place where sessions could be kept. ${facts.baseWhy}`,
      );
    }
    // Nobody has reached the host yet; this asks for a connection, and says what is known of it.
    link.client();
    throw new ComputerUnavailable(link.host, `${link.host} has not been reached yet. Wait until it is.`);
  }

  async start(order: StartOrder): Promise<'started' | 'exists'> {
    const { directory, id, nonce, cwd, rows, cols, profile, limitBytes } = order;
    return this.on(
      directory,
      async (client) => {
        const { startFile, kinds } = await this.options.resources.putOn(client);
        const args = [directory, id, nonce, startFile, rows, cols, cwd, profile ? 1 : 0, limitBytes, kinds];
        const environment = Object.entries(order.env).map(([name, value]) => `${name}=${value}`);
        const { fields } = await client.request('start', [...args.map(String), ...environment]);
        return fields[0] === 'exists' ? 'exists' : 'started';
      },
      { session: order.name, cwd },
    );
  }

  async clearUnfinished(directory: string): Promise<boolean> {
    return this.ask(directory, 'clear', [directory], ({ fields }) => fields[0] === '1');
  }

  async directories(): Promise<string[]> {
    return this.ask('', 'directories', [this.root()], parseDirectories);
  }

  async identify(directory: string): Promise<SessionIdentity | undefined> {
    return unlessMissing(
      this.ask(directory, 'identify', [directory], ({ fields, body }) => {
        const meta = parseMeta(Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8'));
        return meta && { meta, nonce: fields[0] ?? '' };
      }),
    );
  }

  async look(directory: string, { marksFrom, processes }: LookOrder): Promise<SessionLook | undefined> {
    const args = [directory, String(marksFrom), processes ? '1' : '0'];
    return unlessMissing(this.ask(directory, 'look', args, parseLook));
  }

  async read(
    directory: string,
    offset: number,
    maxBytes: number,
  ): Promise<{ bytes: Uint8Array; endOffset: number; dropped: number }> {
    return this.on(directory, (client) => readLog(client, directory, offset, maxBytes, this.pace));
  }

  async follow(
    directory: string,
    offset: number,
    onChunk: (chunk: SessionChunk) => void | Promise<void>,
    signal: AbortSignal,
    onGap?: (gap: { from: number; to: number }) => void | Promise<void>,
  ): Promise<{ reason: 'ended' | 'aborted'; offset: number }> {
    if (signal.aborted) return { reason: 'aborted', offset };
    return this.on(directory, (client) => client.follow(directory, offset, { onChunk, onGap, signal }));
  }

  watch(directory: string): SessionWatch {
    const { link } = this.options;
    return new AgentWatch(link, directory);
  }

  async input(
    session: string,
    directory: string,
    bytes: Uint8Array,
    wanted: number | undefined,
  ): Promise<{ inputSeq: number; delivered: boolean }> {
    const { link } = this.options;
    return this.on(
      directory,
      async (client) => {
        link.typed();
        const { key, body } = await staged(client, bytes);
        const { fields } = await client.request('input', [directory, String(wanted ?? 0), key], { body });
        return {
          inputSeq: wholeNumber(fields[0], 'the number of an input'),
          delivered: fields[1] === '1',
        };
      },
      { session },
    );
  }

  async command(session: string, directory: string, order: CommandOrder): Promise<'sent' | 'taken'> {
    const echo = Buffer.from(order.echo);
    const whole = Buffer.concat([echo, Buffer.from(order.text)]);
    const { commandSeq, token, line } = order;
    return this.on(
      directory,
      async (client) => {
        const { key, body } = await staged(client, whole);
        const args = [directory, String(commandSeq), token, line, String(echo.length), key];
        try {
          await client.request('command', args, { body });
          return 'sent';
        } catch (error) {
          if (error instanceof AgentRefusal && error.code === 'taken') return 'taken';
          throw error;
        }
      },
      { session },
    );
  }

  async resize(directory: string, tty: string, rows: number, cols: number): Promise<void> {
    await this.ask(directory, 'resize', [tty, String(rows), String(cols)], nothing);
  }

  /** Numbers of processes from before a restart mean others now. */
  private beforeBoot(meta: SessionMeta): boolean {
    const boot = this.options.link.facts()?.boot ?? '';
    return boot !== '' && meta.boot !== '' && boot !== meta.boot;
  }

  async started(meta: SessionMeta): Promise<StartedProcess[]> {
    if (this.beforeBoot(meta)) return [];
    const args = [meta.id, String(meta.shell), String(meta.supervisor), meta.shellStart];
    return this.ask('', 'started', args, parseProcesses);
  }

  async holders(meta: SessionMeta): Promise<{ shell: ShellProcess | undefined; supervisor: boolean }> {
    if (this.beforeBoot(meta)) return { shell: undefined, supervisor: false };
    const { shell, shellStart, supervisor, supervisorStart } = meta;
    const args = [String(shell), shellStart, String(supervisor), supervisorStart];
    return this.ask('', 'holders', args, ({ fields }) => {
      const [shellAlive, foreground, group, stat = '', supervisorAlive] = fields;
      return {
        shell:
          shellAlive === '1'
            ? {
                pid: shell,
                group: processNumber(group),
                foreground: processNumber(foreground),
                stat,
                command: '',
              }
            : undefined,
        supervisor: supervisorAlive === '1',
      };
    });
  }

  async kill(
    targets: readonly { pid: number; signal: 'INT' | 'HUP' | 'TERM' | 'KILL' | 'CONT' }[],
  ): Promise<void> {
    if (targets.length === 0) return;
    await this.ask(
      '',
      'kill',
      targets.flatMap(({ pid, signal }) => [signal, String(pid)]),
      nothing,
    );
  }

  async archive(directory: string, id: string): Promise<void> {
    await this.ask(directory, 'archive', [directory, this.root(), id], nothing);
  }

  async discardArchived(before: number): Promise<number> {
    return this.ask('', 'discard', [this.root(), String(before)], ({ fields }) =>
      wholeNumber(fields[0], 'the number of sessions'),
    );
  }

  async drop(directory: string, upTo: number): Promise<{ dropped: number }> {
    return this.ask(directory, 'drop', [directory, String(upTo)], ({ fields }) => ({
      dropped: wholeNumber(fields[0], 'the beginning of a log'),
    }));
  }

  private ask<T>(
    directory: string,
    op: string,
    args: readonly string[],
    read: (answer: AgentAnswer) => T,
  ): Promise<T> {
    return this.on(directory, async (client) => read(await client.request(op, args)));
  }

  private async on<T>(
    directory: string,
    work: (client: AgentClient) => Promise<T>,
    more: { session?: string; cwd?: string } = {},
  ): Promise<T> {
    const { link, computer } = this.options;
    try {
      return await overLink(link, work);
    } catch (error) {
      const session = more.session ?? decodeSessionName(posix.basename(directory)) ?? directory;
      throw asRefusedSession(error, { computer, directory, session, cwd: more.cwd });
    }
  }
}

const nothing = () => undefined;

/** No session is an answer. */
async function unlessMissing<T>(asking: Promise<T>): Promise<T | undefined> {
  try {
    return await asking;
  } catch (error) {
    if (error instanceof SessionError && error.reason === 'session_not_found') return undefined;
    throw error;
  }
}
