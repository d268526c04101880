import { join } from 'node:path';
import type { LinkHealth, OwnTerminal } from '@shared/contract/computers';
import { WaymarkError } from '@shared/contract/errors';
import type { OwnTerminalEvents } from '@shared/contract/ipc/own-terminal';
import type { TerminalPage } from '@shared/contract/ipc/terminals';
import { SerialQueue } from '../base/serial-queue';
import { ComputerUnavailable, SessionError } from '../computer/failures';
import type { HostComputer } from '../computer/hosts';
import type { Computer, SessionInfo } from '../computer/port';
import { type OwnHost, ownHost, reachHost } from './own-host';
import { type OwnEntry, OwnRecord } from './own-record';
import { OwnSession } from './own-session';

/** Changes are told gathered, ms. */
const changedMs = 200;
/** One write; a longer paste comes in several. */
const maxWriteBytes = 1024 * 1024;
/** Told to a session's shell (resources/sessions): a person types its lines, sees and edits them. */
const typedInto = { __WM_TYPED: '1' };
const unknownSize = { rows: 24, cols: 80 } as const;
/** Kept at the host for as long as clocks may differ; closed terminals leave nothing. */
const dayMs = 24 * 60 * 60 * 1000;

export interface OwnTerminalsOptions {
  /** `<workspace>/spools/own`. */
  folder: string;
  /** A computer whose sessions are the person's own; `local` always, an alias while it is among the added hosts. */
  computer(name: string): Computer | HostComputer | null;
  changed(): void;
  frame(frame: OwnTerminalEvents['live.own']): void;
  /** Something failed that nobody waits for. */
  failed(terminal: string, error: unknown): void;
}

export interface OpenOrder {
  computer: string;
  /** Starts here where the computer has it, else at home. */
  cwd: string | null;
  rows: number;
  cols: number;
}

/** The terminals of the person's own on all computers: found again after a restart, seen by no agent and in no run's record. */
export class OwnTerminals {
  private readonly options: OwnTerminalsOptions;
  private readonly record: OwnRecord;
  private readonly hosts = new Map<string, OwnHost>();
  private readonly sessions = new Map<string, { host: OwnHost; session: OwnSession }>();
  private readonly closing = new AbortController();
  private telling: NodeJS.Timeout | undefined;
  /** Openings happen one after the other, so that names do not collide. */
  private readonly openings = new SerialQueue();

  private constructor(options: OwnTerminalsOptions, record: OwnRecord) {
    this.options = options;
    this.record = record;
  }

  /** Finds what is on this computer; hosts that held terminals are asked in the background. */
  static async open(options: OwnTerminalsOptions): Promise<OwnTerminals> {
    const record = await OwnRecord.open(join(options.folder, '.terminals.json'));
    const own = new OwnTerminals(options, record);
    await own.find('local');
    const names = new Set(record.entries().map(({ computer }) => computer));
    for (const name of names) if (name !== 'local') void own.findWhenLinked(name);
    return own;
  }

  /** Sorted by computer and name; those on a host that was not reached yet are as they were recorded. */
  list(): OwnTerminal[] {
    const found = [...this.sessions.values()].map(({ session }) => session.view);
    const known = this.record.entries().filter(({ id }) => !this.sessions.has(id));
    return [...found, ...known.map((entry) => this.unreached(entry))].sort(
      (a, b) => order(a.computer, b.computer) || a.name.localeCompare(b.name, 'en', { numeric: true }),
    );
  }

  /** @throws WaymarkError not_found, ComputerUnavailable, SessionError */
  open(wanted: OpenOrder): Promise<OwnTerminal> {
    return this.openings.run(() => this.openNow(wanted));
  }

  /** @throws ComputerUnavailable, WaymarkError not_found */
  async read(id: string, offset: number, maxBytes: number, live: number | undefined): Promise<TerminalPage> {
    return this.need(id).session.read(offset, maxBytes, live);
  }

  /** Replaces the set of terminals the window looks at. */
  watch(ids: readonly string[]): void {
    for (const [id, { session }] of this.sessions) if (!ids.includes(id)) session.hide();
  }

  seen(id: string, offset: number): void {
    this.sessions.get(id)?.session.seen(offset);
  }

  /** Refused at once while the link is not up. @throws ComputerUnavailable, SessionError, WaymarkError */
  async write(id: string, bytes: Uint8Array): Promise<void> {
    const { host, session } = this.need(id);
    if (bytes.length > maxWriteBytes)
      throw new WaymarkError('bad_input', `At most ${maxWriteBytes} bytes are typed at once.`);
    const link = host.link();
    if (link !== 'good' && link !== 'degraded')
      throw new ComputerUnavailable(
        host.name,
        `${host.name} cannot be reached now: what you typed was not sent.`,
      );
    await session.write(bytes);
  }

  /** @throws ComputerUnavailable, SessionError, WaymarkError not_found */
  async resize(id: string, rows: number, cols: number): Promise<void> {
    const { host, session } = this.need(id);
    await session.resize(rows, cols);
    await this.record.put({ id, computer: host.name, name: session.name, rows, cols });
    this.changed();
  }

  /** Ends the shell and everything it started; its output is deleted. @throws ComputerUnavailable, WaymarkError not_found */
  async close(id: string): Promise<void> {
    const { host, session } = this.need(id);
    try {
      await host.computer.sessions.close(session.name);
    } catch (error) {
      if (!(error instanceof SessionError) || error.reason !== 'session_not_found') throw error;
    }
    await this.forget(id);
    await host.computer.sessions.discardClosed(Date.now() + dayMs);
  }

  /** The link of a host changed: what stands on it shows it. */
  linksChanged(changed: readonly LinkHealth[]): void {
    if (changed.some(({ alias }) => this.hosts.has(alias))) this.changed();
  }

  /** Lets go; the terminals live on. */
  async dispose(): Promise<void> {
    this.closing.abort();
    clearTimeout(this.telling);
    await Promise.all([...this.sessions.values()].map(({ session }) => session.dispose()));
    await Promise.all([...this.hosts.values()].map(({ computer }) => computer.dispose()));
    this.sessions.clear();
    this.hosts.clear();
  }

  private async openNow({ computer, cwd, rows, cols }: OpenOrder): Promise<OwnTerminal> {
    const host = this.host(computer);
    if (host === null)
      throw new WaymarkError(
        'not_found',
        `There is no computer "${computer}" here. Add it under Computers first.`,
      );
    await reachHost(host, this.closing.signal);
    const there = cwd !== null && (await host.computer.files.stat(cwd))?.kind === 'directory';
    const home = there ? cwd : (await host.computer.probe()).homeDir;
    await this.find(computer);
    const taken = new Set((await host.computer.sessions.list()).map(({ name }) => name));
    let number = 1;
    while (taken.has(`terminal-${number}`)) number += 1;
    const spec = { name: `terminal-${number}`, cwd: home, env: typedInto, rows, cols };
    const info = await host.computer.sessions.create(spec);
    await this.record.put({ id: info.id, computer, name: info.name, rows, cols });
    return this.add(host, info, { rows, cols }).view;
  }

  private host(name: string): OwnHost | null {
    const known = this.hosts.get(name);
    if (known !== undefined) return known;
    const computer = this.options.computer(name);
    if (computer === null) return null;
    const host = ownHost(computer);
    this.hosts.set(name, host);
    return host;
  }

  /** Takes over what the computer has and drops what it has not. @throws ComputerUnavailable */
  private async find(name: string): Promise<void> {
    const host = this.host(name);
    if (host === null) return;
    const infos = await host.computer.sessions.list();
    if (this.closing.signal.aborted) return;
    for (const info of infos) {
      if (!this.sessions.has(info.id)) this.add(host, info, this.record.get(info.id) ?? unknownSize);
    }
    const there = new Set(infos.map(({ id }) => id));
    const gone = this.record.entries().filter(({ id, computer }) => computer === name && !there.has(id));
    for (const { id } of gone) await this.forget(id);
  }

  private async findWhenLinked(name: string): Promise<void> {
    const { signal } = this.closing;
    try {
      for (;;) {
        await this.host(name)?.linked(signal);
        try {
          return await this.find(name);
        } catch (error) {
          if (!(error instanceof ComputerUnavailable)) throw error;
        }
      }
    } catch (error) {
      if (!signal.aborted) this.options.failed(name, error);
    }
  }

  private add(host: OwnHost, info: SessionInfo, size: { rows: number; cols: number }): OwnSession {
    const session = new OwnSession(host, info, size, {
      changed: () => this.changed(),
      frame: (frame) => this.options.frame(frame),
      gone: () => void this.forget(info.id).catch((error) => this.options.failed(info.name, error)),
      failed: (error) => this.options.failed(`${host.name}:${info.name}`, error),
    });
    this.sessions.set(info.id, { host, session });
    session.start();
    this.changed();
    return session;
  }

  private async forget(id: string): Promise<void> {
    const known = this.sessions.get(id);
    this.sessions.delete(id);
    this.changed();
    void known?.session.dispose();
    await this.record.remove(id);
    if (known === undefined || known.host.name === 'local') return;
    const stillUsed = this.list().some(({ computer }) => computer === known.host.name);
    if (stillUsed) return;
    // The link closes with the last one who needs it.
    this.hosts.delete(known.host.name);
    await known.host.computer.dispose();
  }

  private need(id: string): { host: OwnHost; session: OwnSession } {
    const found = this.sessions.get(id);
    if (found !== undefined) return found;
    const entry = this.record.get(id);
    if (entry !== undefined)
      throw new ComputerUnavailable(entry.computer, `${entry.computer} was not reached yet since the start.`);
    throw new WaymarkError('not_found', 'This terminal no longer exists.');
  }

  private unreached({ id, computer, name, rows, cols }: OwnEntry): OwnTerminal {
    const link = this.hosts.get(computer)?.link() ?? 'idle';
    return {
      id,
      computer,
      name,
      rows,
      cols,
      startOffset: 0,
      endOffset: 0,
      lastByteAt: null,
      state: 'unknown',
      link,
    };
  }

  private changed(): void {
    if (this.closing.signal.aborted) return;
    this.telling ??= setTimeout(() => {
      this.telling = undefined;
      this.options.changed();
    }, changedMs);
  }
}

/** This computer first, then by name. */
function order(a: string, b: string): number {
  if (a === b) return 0;
  if (a === 'local' || b === 'local') return a === 'local' ? -1 : 1;
  return a.localeCompare(b, 'en');
}
