import type {
  HostReport,
  HostResolution,
  LinkHealth,
  StageView,
  TransportKind,
} from '@shared/contract/computers';
import type { LinkClock } from '../../../clock';
import type { ComputerOrder, HostComputer, Hosts } from '../../hosts';
import { testHost } from '../host-test';
import type { HostTransport, PromptPort } from '../transport';
import type { HelperStarter } from './connect-attempt';
import { HostLink } from './host-link';
import { neverUsed } from './link-health';
import { NetworkWatch } from './network-watch';

/** Changes of health within this time are told together, ms. */
const togetherMs = 50;

/** States in which another network may help. */
const away: ReadonlySet<LinkHealth['state']> = new Set(['connecting', 'stalled', 'down']);

export interface HostPoolParts {
  transport(alias: string, kind: TransportKind): HostTransport;
  /** Makes the computer over the link; its `dispose` calls `release`. */
  computer(order: ComputerOrder, link: HostLink, release: () => void): HostComputer;
  helper: HelperStarter;
  prompts: PromptPort;
  resolve(alias: string): Promise<HostResolution>;
  candidates(): Promise<string[]>;
  clock: LinkClock;
  /** As `Math.random`. */
  random: () => number;
  /** As `networkFingerprint`. */
  networks: () => string;
}

/** The hosts of one process; see `Hosts`. */
export class HostPool implements Hosts {
  /** By alias; the link that was asked for last comes last. One for each transport at most. */
  private readonly links = new Map<string, { transport: TransportKind; link: HostLink }[]>();
  private readonly listeners = new Set<(changed: LinkHealth[]) => void>();
  private readonly changed = new Set<string>();
  private readonly network: NetworkWatch;
  private readonly madeAt: number;
  private cancelTelling: (() => void) | undefined;
  private disposed = false;

  constructor(private readonly parts: HostPoolParts) {
    this.madeAt = parts.clock.now();
    this.network = new NetworkWatch(parts.clock, parts.networks, () => this.retryNow());
  }

  computer(order: ComputerOrder): HostComputer {
    const link = this.link(order.alias, order.transport);
    return this.parts.computer(order, link, link.hold());
  }

  health(alias: string): LinkHealth {
    const links = (this.links.get(alias) ?? []).map(({ link }) => link.health()).reverse();
    return links.find(({ state }) => state !== 'idle') ?? links[0] ?? neverUsed(alias, this.madeAt);
  }

  allHealth(): LinkHealth[] {
    return [...this.links.keys()].map((alias) => this.health(alias));
  }

  onHealth(listener: (changed: LinkHealth[]) => void): () => void {
    this.listeners.add(listener);
    return () => {
      this.listeners.delete(listener);
    };
  }

  retryNow(alias?: string): void {
    const why = alias === undefined ? 'change' : 'person';
    const entries = alias === undefined ? [...this.links.values()].flat() : (this.links.get(alias) ?? []);
    for (const { link } of entries) link.retryNow(why);
  }

  resolve(alias: string): Promise<HostResolution> {
    return this.parts.resolve(alias);
  }

  candidates(): Promise<string[]> {
    return this.parts.candidates();
  }

  test(
    alias: string,
    transport: TransportKind,
    onStages: (stages: StageView[]) => void,
    signal: AbortSignal,
  ): Promise<HostReport> {
    const { helper, prompts, clock } = this.parts;
    const channel = this.parts.transport(alias, transport);
    return testHost({ alias, kind: transport, transport: channel, helper, prompts, clock, onStages, signal });
  }

  async dispose(): Promise<void> {
    this.disposed = true;
    this.network.want(false);
    this.listeners.clear();
    this.cancelTelling?.();
    await Promise.all([...this.links.values()].flat().map(({ link }) => link.dispose()));
  }

  private link(alias: string, transport: TransportKind): HostLink {
    const links = this.links.get(alias) ?? [];
    const { clock, helper, prompts, random } = this.parts;
    const entry = links.find((other) => other.transport === transport) ?? {
      transport,
      link: new HostLink({
        alias,
        transport: this.parts.transport(alias, transport),
        helper,
        prompts,
        clock,
        random,
        onHealth: () => this.healthChanged(alias),
      }),
    };
    this.links.set(alias, [...links.filter((other) => other !== entry), entry]);
    return entry.link;
  }

  private healthChanged(alias: string): void {
    if (this.disposed) return;
    this.network.want([...this.links.values()].flat().some(({ link }) => away.has(link.health().state)));
    this.changed.add(alias);
    this.cancelTelling ??= this.parts.clock.after(togetherMs, () => {
      this.cancelTelling = undefined;
      const changed = [...this.changed].map((each) => this.health(each));
      this.changed.clear();
      for (const listener of [...this.listeners]) listener(changed);
    });
  }
}
