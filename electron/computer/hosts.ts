import type {
  HostReport,
  HostResolution,
  LinkHealth,
  StageView,
  TransportKind,
} from '@shared/contract/computers';
import { SessionError } from './failures';
import type { Computer, ComputerFacts } from './port';

/**
 * The hosts of one process: one link and one channel per alias, whoever uses it. Runs, the person's own terminals and
 * tests get `Computer`s from here. Links open when first needed, come back by themselves, and close when the last
 * computer of the host is disposed. Implemented in `ssh/host-pool.ts`.
 */
export interface Hosts {
  /**
   * A view of one host whose sessions live apart under `namespace` (a run's id, or `own`). Nothing is connected
   * before the first call. Several computers may share a link.
   */
  computer(order: ComputerOrder): HostComputer;
  health(alias: string): LinkHealth;
  /** Health of every host that was ever asked for in this process. */
  allHealth(): LinkHealth[];
  /** Called with the hosts whose health changed; returns how to stop. */
  onHealth(listener: (changed: LinkHealth[]) => void): () => void;
  /**
   * Tries at once. With alias: because a person says so, which is what a blocked host waits for. Without: all hosts that are
   * not blocked, after wake or a change of network; a channel from before is not trusted.
   */
  retryNow(alias?: string): void;
  /** How the user's configuration resolves, and from where. @throws ConnectFailure config, unsupported */
  resolve(alias: string): Promise<HostResolution>;
  /** Aliases the user's configuration names literally (no patterns), in its order. */
  candidates(): Promise<string[]>;
  /** A connection of its own, looked at stage by stage; never throws for what a stage found. */
  test(
    alias: string,
    transport: TransportKind,
    onStages: (stages: StageView[]) => void,
    signal: AbortSignal,
  ): Promise<HostReport>;
  dispose(): Promise<void>;
}

export interface ComputerOrder {
  /** The name the agent uses. */
  name: string;
  alias: string;
  transport: TransportKind;
  namespace: string;
}

/** A `Computer` over SSH, with what only a distant one has. */
export interface HostComputer extends Computer {
  readonly alias: string;
  health(): LinkHealth;
  /** Resolves once the link is up; never before a person acted when the link is blocked. Rejects with the signal's reason. */
  linked(signal: AbortSignal): Promise<void>;
  probe(): Promise<ComputerFacts & { sessionsDir: string; limits: string[] }>;
  /** Runs a short script outside any session; for probes, never for what may take long. @throws ComputerUnavailable */
  exec(
    script: string,
    options: { cwd?: string; timeoutMs: number; env?: Readonly<Record<string, string>> },
  ): Promise<{
    exitCode: number | null;
    output: string;
  }>;
}

/** Computers over SSH are the ones that can be away. */
export const isHost = (computer: Computer): computer is HostComputer => computer.kind === 'ssh';

/** Whether asking the host now makes sense; a stalled link answers late or never. */
export function isUp(host: HostComputer): boolean {
  const { state } = host.health();
  return state === 'good' || state === 'degraded';
}

/** Whether a command runs in one of the run's sessions on a computer, as it says now; of one that is away: no. */
export async function runsSomething(computer: Computer): Promise<boolean> {
  if (isHost(computer) && computer.health().state !== 'good' && computer.health().state !== 'degraded')
    return false;
  const alive = (await computer.sessions.list()).filter((session) => session.alive);
  const states = await Promise.all(
    alive.map(async ({ name }) => {
      try {
        return await computer.sessions.state(name);
      } catch (error) {
        // Closed between the two looks.
        if (error instanceof SessionError) return undefined;
        throw error;
      }
    }),
  );
  return states.some((state) => state?.command !== undefined);
}
