import { type ErrorCode, WaymarkError } from '@shared/contract/errors';
import {
  type CommandOutput,
  type EventPayloads,
  isLate,
  type LateCommand,
  type WorkspaceCommand,
} from '@shared/contract/ipc';
import type { WorkspaceStatus } from '@shared/contract/ipc/application';
import { eventPlaces, type WorkspaceEvent } from '@shared/contract/ipc/event-places';
import type { RefusedWrite, RemoteStatus } from '@shared/contract/ipc/remote';
import { newUlid } from '../base/new-ulid';
import type { Publisher } from '../ipc/publish';
import { Delivery } from './delivery';
import { FollowedSessions } from './followed-sessions';
import { keptAnswer, type Writer } from './kept-answer';
import type { LateWrites } from './late-writes';
import { RemoteLink, type RemoteLinkParts } from './remote-link';
import { type ServeClient, ServeLost, type Welcome } from './serve-client';
import { answerOf, eventOf } from './server-words';

/** Runs whose changes are told anew after a reconnection: those the window asked about last. */
const mostRuns = 20;
const textShown = 200;

export interface RemoteWorkspaceParts extends Omit<RemoteLinkParts, 'changed' | 'onEvent' | 'up'> {
  /** As it was asked for; empty = the default one there. */
  folder: string;
  writes: LateWrites;
  writer(): Writer;
  /** To the window, past everything that is of this machine's workspace. */
  publisher: Publisher;
  changed(): void;
  log: { error(message: string, facts?: Record<string, unknown>): void };
}

/**
 * A workspace on a server as the window has it: reads go there and fail while it is away; what people write is kept here
 * first and gets there, now or later. What the server tells is passed to the window once it was parsed (`server-words.ts`).
 */
export class RemoteWorkspace {
  private readonly parts: RemoteWorkspaceParts;
  private readonly link: RemoteLink;
  private readonly delivery: Delivery;
  private readonly sessions = new FollowedSessions();
  private readonly runs = new Set<string>();
  private readonly misunderstood = new Set<WorkspaceEvent>();
  private welcome: Welcome | null = null;
  private space: WorkspaceStatus | null = null;

  constructor(parts: RemoteWorkspaceParts) {
    this.parts = parts;
    this.link = new RemoteLink({
      ...parts,
      changed: () => this.linkChanged(),
      onEvent: (name, payload) => this.event(name, payload),
      up: (client, welcome) => this.up(client, welcome),
    });
    this.delivery = new Delivery({
      writes: parts.writes,
      client: () => this.link.client,
      clock: parts.clock,
      changed: parts.changed,
      failed: (error) => parts.log.error('Writes for a server could not be kept', { error: String(error) }),
    });
  }

  /** Begins to connect; resolves with why the first try failed, null when it did not. */
  connect(): Promise<unknown> {
    return this.link.open();
  }

  status(): RemoteStatus {
    const { alias, folder, writes } = this.parts;
    return {
      alias,
      folder: this.welcome?.folder ?? folder,
      state: this.link.state,
      message: this.link.message,
      waiting: this.delivery.waiting,
      refused: writes.refused.map(shown),
      version: this.welcome?.version ?? null,
    };
  }

  /** @throws WaymarkError computer_unavailable while the server is away (but for what is kept), or what the server said */
  async ask(command: WorkspaceCommand, input: unknown): Promise<unknown> {
    this.note(input);
    if (command === 'workspace.status') return this.workspaceStatus();
    if (isLate(command)) return this.write(command, input as Record<string, unknown>);
    if (command === 'sessions.watch')
      this.sessions.watched(input as Parameters<FollowedSessions['watched']>[0]);
    if (command !== 'sessions.read') return this.read(command, input);
    const page = await this.read(command, input);
    this.sessions.read(input as Parameters<FollowedSessions['read']>[0], page);
    return page;
  }

  /** Known also while the server is away: then hints and labels are still taken. */
  async workspaceStatus(): Promise<WorkspaceStatus> {
    const { alias, folder } = this.parts;
    if (this.link.client !== null) {
      this.space = await this.read('workspace.status', undefined);
    }
    const known = this.space ?? {
      folder,
      defaultFolder: folder,
      freeBytes: null,
      problem: null,
      unreadable: [],
      isReadOnly: false,
    };
    const problem = this.link.client === null ? null : known.problem;
    return { ...known, folder: `${alias}:${this.welcome?.folder ?? folder}`, problem };
  }

  /** @throws WaymarkError not_found */
  async dismiss(id: string): Promise<void> {
    const { writes, changed } = this.parts;
    if (!writes.refused.some(({ write }) => write.id === id))
      throw new WaymarkError('not_found', 'This write is no longer on the list.');
    await writes.done(id);
    changed();
  }

  retryNow(why: 'person' | 'change'): void {
    this.link.retryNow(why);
  }

  /** What was not delivered stays in its file. */
  async close(): Promise<void> {
    this.link.close();
    this.delivery.stop();
    await this.parts.writes.close();
  }

  private async read<C extends WorkspaceCommand>(command: C, input: unknown): Promise<CommandOutput<C>> {
    const { client } = this.link;
    if (client === null) throw this.away();
    try {
      const answer = await client.ask(command, input);
      if (answer.ok) return answerOf(this.parts.alias, command, answer.value);
      throw failed(answer.error);
    } catch (thrown) {
      throw thrown instanceof ServeLost ? this.unanswered() : thrown;
    }
  }

  private async write(command: LateCommand, input: Record<string, unknown>): Promise<unknown> {
    // The hint's id is chosen here, so that what is edited or withdrawn meanwhile has a name.
    const whole = command === 'hints.queue' ? { hint: newUlid(), ...input } : input;
    const { write, result } = await this.delivery.make(command, whole);
    if (result === 'kept') return keptAnswer(write, this.parts.writer());
    if (result.ok) return answerOf(this.parts.alias, command, result.value);
    throw failed(result.error);
  }

  private away(): WaymarkError {
    const { alias } = this.parts;
    return new WaymarkError('computer_unavailable', this.link.message || `${alias} is not connected.`);
  }

  private unanswered(): WaymarkError {
    const { alias } = this.parts;
    return new WaymarkError(
      'computer_unavailable',
      `The link to ${alias} broke before the answer came. When it is back, check whether it was done.`,
    );
  }

  private note(input: unknown): void {
    if (typeof input !== 'object' || input === null || !('run' in input)) return;
    const run = String(input.run);
    this.runs.delete(run);
    this.runs.add(run);
    for (const oldest of this.runs) {
      if (this.runs.size <= mostRuns) break;
      this.runs.delete(oldest);
    }
  }

  private linkChanged(): void {
    if (this.link.client === null) this.delivery.lost();
    this.parts.changed();
  }

  private up(client: ServeClient, welcome: Welcome): void {
    const again = this.welcome !== null;
    this.welcome = welcome;
    this.delivery.deliver();
    this.parts.changed();
    if (again) {
      this.tellAnew(client).catch((error: unknown) => {
        // The next channel tells it all again.
        if (!(error instanceof ServeLost))
          this.parts.log.error('A server could not be read again', { error: String(error) });
      });
    }
  }

  /** What the window may have missed while there was no channel: it reads anew what it shows. */
  private async tellAnew(client: ServeClient): Promise<void> {
    const { publisher, alias } = this.parts;
    publisher.publish('run.listChanged', {});
    publisher.publish('attention.changed', {});
    await this.sessions.goOn(alias, client, (frame) => publisher.publish('live.session', frame));
    for (const run of this.runs) {
      const answer = await client.ask('runs.summary', { run });
      if (!answer.ok) continue;
      const { seq, steps } = answerOf(alias, 'runs.summary', answer.value);
      publisher.publish('run.changed', { run, seq, steps });
      publisher.publish('labels.changed', { run, from: 1, to: Math.max(1, steps) });
      publisher.publish('hints.changed', { run });
      publisher.publish('session.changed', { run });
    }
  }

  /** What is no event of the contract changes nothing here; the log names it, once per kind. */
  private event(name: string, payload: unknown): void {
    if (!isWorkspaceEvent(name)) return;
    try {
      this.tell(name, eventOf(this.parts.alias, name, payload));
    } catch (thrown) {
      if (!(thrown instanceof WaymarkError)) throw thrown;
      if (this.misunderstood.has(name)) return;
      this.misunderstood.add(name);
      this.parts.log.error(thrown.message, { detail: thrown.detail });
    }
  }

  private tell<E extends WorkspaceEvent>(name: E, payload: EventPayloads[E]): void {
    if (name === 'live.session') this.sessions.frame(payload as EventPayloads['live.session']);
    this.parts.publisher.publish(name, payload);
  }
}

function isWorkspaceEvent(name: string): name is WorkspaceEvent {
  return Object.hasOwn(eventPlaces, name) && eventPlaces[name as keyof typeof eventPlaces] === 'workspace';
}

function failed({
  code,
  message,
  detail,
}: {
  code: ErrorCode;
  message: string;
  detail?: string | undefined;
}) {
  return new WaymarkError(code, message, detail);
}

function shown({ write, failure }: RemoteWorkspaceParts['writes']['refused'][number]): RefusedWrite {
  const { id, command, input, at } = write;
  const text = 'text' in input ? String(input.text).slice(0, textShown) : '';
  return { id, command, run: String(input.run), text, at, failure };
}
