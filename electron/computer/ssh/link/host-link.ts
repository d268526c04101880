import type { LinkHealth } from '@shared/contract/computers';
import { BackOff, type BackOffOptions } from '../../../base/back-off';
import type { LinkClock } from '../../../clock';
import type { AgentClient } from '../../agent/agent-client';
import type { AgentLink } from '../../agent/agent-link';
import type { HelloFacts } from '../../agent/hello';
import { ComputerUnavailable } from '../../failures';
import { ConnectFailure } from '../transport';
import { type AgentConnection, ConnectAttempt, type ConnectOrder, closeConnection } from './connect-attempt';
import { LinkRecord } from './link-health';
import { LinkWaiters } from './link-waiters';
import * as words from './link-words';
import { LiveChannel } from './live-channel';

/** Waits between tries of a link: 0.5, 1, 2, 4 … 30 s, each ±20 % so that many links do not come back in step. */
export const linkPauses: BackOffOptions = { firstMs: 500, longestMs: 30_000, jitter: [0.8, 1.2] };

/** How long a closed channel may take to be gone before nobody waits for it any more, ms. */
const patienceMs = 3000;

/** What was closed and is on its way out, so that the end of a link can wait for it. */
class Leavings {
  private readonly leaving = new Set<Promise<void>>();

  constructor(private readonly clock: LinkClock) {}

  /** `gone` never rejects. */
  add(gone: Promise<unknown>): void {
    const leaving = new Promise<void>((resolve) => {
      const cancel = this.clock.after(patienceMs, resolve);
      gone.then(() => {
        cancel();
        resolve();
      });
    });
    this.leaving.add(leaving);
    leaving.then(() => this.leaving.delete(leaving));
  }

  async over(): Promise<void> {
    await Promise.all(this.leaving);
  }
}

/** A link that lived shorter than this does not start the waits between tries anew, ms. */
const steadyMs = 2000;
/** How long an unused link stays open, ms. */
const graceMs = 5000;
/** A try that is younger than this is not given up for a new one when the network changes, ms. */
const freshMs = 1000;

interface HostLinkParts extends Pick<ConnectOrder, 'alias' | 'transport' | 'helper' | 'prompts' | 'clock'> {
  /** As `Math.random`. */
  random: () => number;
  /** Called at every change of `health()`. */
  onHealth: () => void;
}

type Phase =
  | { kind: 'idle' | 'blocked' | 'closed' }
  | { kind: 'connecting'; attempt: ConnectAttempt; at: number }
  | { kind: 'waiting'; cancel: () => void }
  | { kind: 'up'; live: LiveChannel };

/**
 * The one link to a host, shared by all who use it. Opens when it is first needed, comes back by itself for as long as
 * anyone holds it, and closes a little after the last let go. When a person has to act first, it waits for the word.
 */
export class HostLink implements AgentLink {
  private phase: Phase = { kind: 'idle' };
  private readonly record: LinkRecord;
  private readonly backOff: BackOff;
  private readonly waiters = new LinkWaiters();
  private readonly leavings: Leavings;
  private users = 0;
  private cancelGrace: () => void = () => undefined;
  private lastFacts: HelloFacts | undefined;

  constructor(private readonly parts: HostLinkParts) {
    this.record = new LinkRecord(parts.alias, parts.clock, parts.onHealth);
    this.backOff = new BackOff(linkPauses, parts.random);
    this.leavings = new Leavings(parts.clock);
  }

  get host(): string {
    return this.parts.alias;
  }

  client(): AgentClient {
    if (this.phase.kind === 'up') return this.phase.live.client;
    if (this.phase.kind === 'idle' && this.users > 0) this.connect();
    throw this.unavailable();
  }

  async linked(signal: AbortSignal): Promise<AgentClient> {
    signal.throwIfAborted();
    if (this.phase.kind === 'up') return this.phase.live.client;
    if (this.phase.kind === 'closed') throw this.unavailable();
    const release = this.hold();
    try {
      const up = this.waiters.add(signal);
      if (this.phase.kind === 'idle') this.connect();
      return await up;
    } finally {
      release();
    }
  }

  typed(): void {
    if (this.phase.kind === 'up') this.phase.live.typed();
  }

  facts(): HelloFacts | undefined {
    return this.lastFacts;
  }

  health(): LinkHealth {
    return this.record.view();
  }

  /** Keeps the link wanted until the returned function is called. */
  hold(): () => void {
    this.users += 1;
    this.cancelGrace();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.users -= 1;
      if (this.users > 0 || this.phase.kind === 'closed') return;
      this.cancelGrace = this.parts.clock.after(graceMs, () => this.end('idle'));
    };
  }

  /**
   * Tries at once. `person`: somebody asks for it, which is what a blocked link waits for. `change`: the machine woke up or
   * its network is another one; a channel from before is not trusted.
   */
  retryNow(why: 'person' | 'change'): void {
    const { phase } = this;
    switch (phase.kind) {
      case 'up':
        phase.live.doubt();
        break;
      case 'waiting':
        this.tryAfresh();
        break;
      case 'connecting': {
        const fresh = this.parts.clock.monotonic() - phase.at < freshMs;
        // A try of before may wait for nothing. A person who is being asked keeps the question.
        if (why === 'change' && !fresh && !phase.attempt.asking) this.tryAfresh();
        break;
      }
      case 'blocked':
      case 'idle':
        if (why === 'person' && this.users > 0) this.tryAfresh();
        break;
      case 'closed':
        break;
    }
  }

  /** Ends everything and resolves once the channel is gone. */
  async dispose(): Promise<void> {
    this.cancelGrace();
    if (this.phase.kind !== 'closed') this.end('closed');
    await this.leavings.over();
  }

  private tryAfresh(): void {
    this.backOff.reset();
    this.connect();
  }

  private connect(): void {
    this.letGo('another try begins.');
    const { alias, transport, helper, prompts, clock } = this.parts;
    const onAsking = (asking: boolean) => {
      if (this.phase === phase) this.record.asking(asking);
    };
    const attempt = new ConnectAttempt({ alias, transport, helper, prompts, clock, onAsking });
    const phase: Phase = { kind: 'connecting', attempt, at: clock.monotonic() };
    this.phase = phase;
    this.record.connecting();
    attempt.connection.then(
      (connection) => {
        if (this.phase === phase) this.up(connection);
        else this.leavings.add(closeConnection(connection, 'it came too late.'));
      },
      (error: unknown) => {
        if (this.phase === phase) this.failed(error);
      },
    );
  }

  private up(connection: AgentConnection): void {
    this.lastFacts = connection.facts;
    const live = new LiveChannel(connection, this.record, this.parts.clock, (cause, lastWords) => {
      if (live.age >= steadyMs) this.backOff.reset();
      this.leavings.add(live.close(cause));
      this.record.lost();
      this.tryLater(cause);
      const waiting = this.phase;
      lastWords.then((words) => {
        if (words !== '' && this.phase === waiting) this.record.because(words);
      });
    });
    this.phase = { kind: 'up', live };
    this.record.up();
    this.waiters.resolve(live.client);
  }

  private failed(error: unknown): void {
    const cause = error instanceof Error ? error.message : String(error);
    if (error instanceof ConnectFailure && !error.passing) {
      this.phase = { kind: 'blocked' };
      this.record.blocked(cause);
    } else {
      this.tryLater(cause);
    }
  }

  /** Tries again after a while. */
  private tryLater(cause: string): void {
    const wait = this.backOff.next();
    this.phase = { kind: 'waiting', cancel: this.parts.clock.after(wait, () => this.connect()) };
    this.record.down(cause, wait);
  }

  private end(kind: 'idle' | 'closed'): void {
    this.letGo('nothing uses it any more.');
    this.phase = { kind };
    this.backOff.reset();
    this.record.idle();
    this.waiters.reject(this.unavailable());
  }

  /** Lets go of what the present phase holds. */
  private letGo(reason: string): void {
    const { phase } = this;
    if (phase.kind === 'waiting') phase.cancel();
    if (phase.kind === 'connecting') {
      phase.attempt.cancel(new ComputerUnavailable(this.host, words.closedWords(this.host)));
      this.leavings.add(phase.attempt.over);
    }
    if (phase.kind === 'up') this.leavings.add(phase.live.close(reason));
  }

  private unavailable(): ComputerUnavailable {
    return new ComputerUnavailable(this.host, this.record.view().message || words.closedWords(this.host));
  }
}
