import { createHash } from 'node:crypto';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { TransportKind } from '@shared/contract/computers';
import { assertNever, toFailure, WaymarkError } from '@shared/contract/errors';
import {
  type CommandName,
  type CommandParsed,
  commands,
  type EventName,
  type WorkspaceCommand,
} from '@shared/contract/ipc';
import { eventPlaces } from '@shared/contract/ipc/event-places';
import type { CommandRow } from '@shared/contract/ipc/parts';
import { type RemoteStatus, remoteCommands } from '@shared/contract/ipc/remote';
import type { Settings } from '@shared/contract/settings';
import { SerialQueue } from '../base/serial-queue';
import { shellQuote } from '../base/shell-quote';
import { systemLinkClock } from '../clock';
import type { Handlers } from '../commands/dispatch';
import type { Hosts } from '../computer/hosts';
import { networkFingerprint } from '../computer/ssh/link/network-watch';
import { ConnectFailure, type HostTransport, type PromptPort } from '../computer/ssh/transport';
import { removeFile } from '../files/remove';
import type { Publisher } from '../ipc/publish';
import { protocolVersion } from '../serve/protocol';
import { LateWrites } from './late-writes';
import { RemoteWorkspace } from './remote-workspace';

type Afterwards = NonNullable<Extract<CommandRow, { place: 'window' }>['afterwards']>;

export type RemotePlace = CommandParsed<'remote.open'>;

export interface RemoteDeskParts {
  /** The application's data folder: what is kept for servers lies in `remote` below. */
  data: string;
  /** Of this program. */
  version: string;
  settings: { readonly current: Settings };
  hosts: Pick<Hosts, 'resolve'>;
  transport(alias: string, kind: TransportKind): HostTransport;
  prompts: PromptPort;
  /** To the window, not held back by `letsPass`. */
  publisher: Publisher;
  log: { error(message: string, facts?: Record<string, unknown>): void };
}

/**
 * Which workspace the window shows: the one of this machine, or one on a server. While a server's is shown, commands about
 * the workspace go there and events of this machine's workspace are held back; its runs go on.
 */
export class RemoteDesk {
  private readonly parts: RemoteDeskParts;
  private opened: { place: RemotePlace; workspace: RemoteWorkspace } | null = null;
  private opening: { workspace: RemoteWorkspace; cancelled: boolean } | null = null;
  private local: Handlers | null = null;
  /** Opening and closing happen one after the other. */
  private readonly turns = new SerialQueue();

  constructor(parts: RemoteDeskParts) {
    this.parts = parts;
  }

  get current(): RemoteWorkspace | null {
    return this.opened?.workspace ?? null;
  }

  status(): RemoteStatus | null {
    return (this.opening ?? this.opened)?.workspace.status() ?? null;
  }

  /**
   * Shows a workspace of a server. A server that cannot be reached now is shown as away and tried again; what it or its way
   * refuses is thrown, and what was shown stays. @throws WaymarkError
   */
  open(place: RemotePlace): Promise<RemoteStatus> {
    return this.turns.run(async () => {
      if (this.opened && sameLink(this.opened.place, place)) {
        this.opened.workspace.retryNow('person');
        return this.opened.workspace.status();
      }
      const workspace = await this.make(place);
      const opening = { workspace, cancelled: false };
      this.opening = opening;
      let failure: unknown;
      try {
        failure = await workspace.connect();
      } finally {
        this.opening = null;
      }
      if (failure !== null && !(failure instanceof ConnectFailure && failure.passing)) {
        await workspace.close();
        this.tellStatus();
        if (opening.cancelled)
          throw new WaymarkError('cancelled', `Connecting to ${place.alias} was called off.`);
        throw refusal(place, failure);
      }
      await this.show(place, workspace);
      return workspace.status();
    });
  }

  /**
   * Takes up the server the window showed when the application ended, if any; waits for no connection. Never rejects: what
   * cannot be taken up leaves the window with this machine's workspace.
   */
  async reopen(): Promise<void> {
    try {
      await this.turns.run(() => this.reopenNow());
    } catch (thrown) {
      this.parts.log.error('The workspace on a server could not be taken up again', {
        ...toFailure(thrown),
      });
    }
  }

  /** Back to the workspace of this machine. */
  close(): Promise<void> {
    // A try that waits, perhaps for a person, must not hold this up.
    const opening = this.callOff();
    return this.turns.run(async () => {
      await opening;
      const before = this.opened;
      this.opened = null;
      await before?.workspace.close();
      removeFile(dirname(this.shownFile), basename(this.shownFile));
      if (before === null) return;
      this.tellStatus();
      const { publisher } = this.parts;
      const status = await this.local?.['workspace.status'](undefined);
      if (status) publisher.publish('workspace.changed', status);
      publisher.publish('run.listChanged', {});
    });
  }

  /** The application ends; the server is shown again at its next start. */
  async dispose(): Promise<void> {
    const opening = this.callOff();
    await this.turns.run(async () => {
      await opening;
      await this.opened?.workspace.close();
    });
  }

  /** The machine woke up, its network changed, or a person asks. */
  retryNow(alias?: string): void {
    if (alias !== undefined && alias !== this.opened?.place.alias) return;
    this.opened?.workspace.retryNow(alias === undefined ? 'change' : 'person');
  }

  dismiss(id: string): Promise<void> {
    if (this.opened) return this.opened.workspace.dismiss(id);
    throw new WaymarkError('refused', 'No workspace of a server is open.');
  }

  /** Handlers that answer for whichever workspace is shown. */
  route(local: Handlers): Handlers {
    this.local = local;
    const names = Object.keys(local) as CommandName[];
    const routed = names.map((name) => [name, (input: unknown) => this.answer(local, name, input)]);
    // One function for every name of the table; TypeScript cannot follow that through `fromEntries`.
    return Object.fromEntries(routed) as Handlers;
  }

  /** False for what this machine's own workspace has to say while another one is shown. */
  letsPass(event: EventName): boolean {
    return this.opened === null || eventPlaces[event] === 'window';
  }

  private async answer(local: Handlers, name: CommandName, input: unknown): Promise<unknown> {
    const handle = local[name] as (input: unknown) => Promise<unknown>;
    const row: CommandRow = commands[name];
    if (this.opened && row.place === 'workspace')
      return this.opened.workspace.ask(name as WorkspaceCommand, input);
    if (this.opened && row.place === 'disk') throw needsDisk(name, row.there, this.opened.workspace.status());
    const value = await handle(input);
    if (row.place === 'window' && row.afterwards !== undefined && value !== null)
      await this.afterwards(row.afterwards, input);
    return value;
  }

  private async afterwards(what: Afterwards, input: unknown): Promise<void> {
    switch (what) {
      case 'retries the server':
        // Of one host where the input names it.
        this.retryNow((input as { alias: string } | undefined)?.alias);
        return;
      // Whoever opens a folder of this machine wants to see it.
      case "shows this machine's workspace":
        await this.close();
        return;
      default:
        assertNever(what, 'what follows a command');
    }
  }

  private async reopenNow(): Promise<void> {
    const text = await readFile(this.shownFile, 'utf8').catch((error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return null;
      throw error;
    });
    if (text === null) return;
    const place = remoteCommands['remote.open'].input.parse(JSON.parse(text));
    const workspace = await this.make(place);
    void workspace.connect();
    await this.show(place, workspace);
  }

  private async make(place: RemotePlace): Promise<RemoteWorkspace> {
    const { data, version, settings, transport, prompts, publisher, log } = this.parts;
    const { alias, folder, command } = place;
    const writes = await LateWrites.open(join(data, 'remote', `${fileName(place)}.jsonl`));
    const workspace: RemoteWorkspace = new RemoteWorkspace({
      alias,
      folder,
      writes,
      prompts,
      publisher,
      log,
      command: `${command} serve --stdio${folder === '' ? '' : ` --workspace ${shellQuote(folder)}`}`,
      transport: transport(alias, await this.kind(alias)),
      hello: () => {
        const { annotator, device, endpoints } = settings.current;
        return { kind: 'hello', protocol: protocolVersion, version, author: annotator, device, endpoints };
      },
      writer: () => ({ author: settings.current.annotator, device: settings.current.device }),
      clock: systemLinkClock,
      random: () => Math.random(),
      networks: networkFingerprint,
      changed: () => {
        const shown = (this.opening ?? this.opened)?.workspace;
        if (shown === workspace) publisher.publish('remote.changed', { status: workspace.status() });
      },
    });
    return workspace;
  }

  private async kind(alias: string): Promise<TransportKind> {
    const { settings, hosts } = this.parts;
    const added = settings.current.computers.find((each) => each.alias === alias)?.transport;
    return added ?? ((await hosts.resolve(alias)).needsOpenSsh.length > 0 ? 'openssh' : 'ssh2');
  }

  private async show(place: RemotePlace, workspace: RemoteWorkspace): Promise<void> {
    const { publisher, data } = this.parts;
    const before = this.opened;
    this.opened = { place, workspace };
    await before?.workspace.close();
    await mkdir(join(data, 'remote'), { recursive: true });
    await writeFile(this.shownFile, `${JSON.stringify(place)}\n`, { mode: 0o600 });
    this.tellStatus();
    publisher.publish('workspace.changed', await workspace.workspaceStatus());
    publisher.publish('run.listChanged', {});
  }

  private async callOff(): Promise<void> {
    if (this.opening === null) return;
    this.opening.cancelled = true;
    await this.opening.workspace.close();
  }

  private tellStatus(): void {
    this.parts.publisher.publish('remote.changed', { status: this.status() });
  }

  private get shownFile(): string {
    return join(this.parts.data, 'remote', 'shown.json');
  }
}

function sameLink(one: RemotePlace, other: RemotePlace): boolean {
  return one.alias === other.alias && one.folder === other.folder && one.command === other.command;
}

/** The file of late writes belongs to the workspace, however the program there is started. */
function fileName({ alias, folder }: RemotePlace): string {
  return createHash('sha256').update(`${alias}\n${folder}`).digest('hex').slice(0, 24);
}

function refusal({ alias, command }: RemotePlace, failure: unknown): unknown {
  if (failure instanceof WaymarkError) return failure;
  return new WaymarkError(
    'computer_unavailable',
    `Waymark on ${alias} did not start: ${failure instanceof Error ? failure.message : String(failure)} Check that "${command}" starts it there.`,
  );
}

function needsDisk(name: CommandName, there: string, { alias, folder }: RemoteStatus): WaymarkError {
  const refused = (why: string) =>
    new WaymarkError('unsupported', `${why} Run it there: waymark ${there} --workspace ${folder}`);
  if (name === 'workspace.trust') return refused(`The workspace on ${alias} is trusted on that machine.`);
  return refused(`A folder of this machine cannot be used with the workspace on ${alias}.`);
}
