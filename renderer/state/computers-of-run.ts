import type { LinkHealth, LinkState } from '@shared/contract/computers';
import type { RunSummary } from '@shared/contract/views';
import { waitsForModel } from '@shared/runs/run-status';

/** A computer of a run as the strip shows it. */
export interface RunHost {
  /** What the agent calls it. */
  name: string;
  /** Null for this computer. */
  alias: string | null;
  /** Undefined while nothing is known. */
  health: LinkHealth | undefined;
}

const urgency: Record<LinkState, number> = {
  blocked: 0,
  down: 1,
  stalled: 2,
  degraded: 3,
  connecting: 4,
  good: 5,
  idle: 6,
};

/** The run's computers, those in trouble first, else in the task's order. */
export function hostsOf(
  run: Pick<RunSummary, 'computers'>,
  health: Readonly<Record<string, LinkHealth>>,
): RunHost[] {
  return run.computers
    .map(({ name, kind, host }) => {
      const alias = kind === 'local' ? null : (host ?? name);
      return { name, alias, health: alias === null ? undefined : health[alias] };
    })
    .map((host, index) => ({ host, index, rank: troubled(host) ? urgency[host.health?.state ?? 'idle'] : 9 }))
    .sort((a, b) => a.rank - b.rank || a.index - b.index)
    .map(({ host }) => host);
}

/** Hosts that keep a waiting run from going on: those without a link, else those whose link does not answer. */
export function waitsFor(
  run: Pick<RunSummary, 'computers' | 'state' | 'reason'>,
  health: Readonly<Record<string, LinkHealth>>,
): RunHost[] {
  if (run.state !== 'waiting_host' || waitsForModel(run)) return [];
  const hosts = hostsOf(run, health);
  const gone = hosts.filter((host) => host.health?.state === 'down' || host.health?.state === 'blocked');
  if (gone.length > 0) return gone;
  return hosts.filter((host) => host.health?.state === 'stalled' || host.health?.state === 'connecting');
}

function troubled(host: RunHost): boolean {
  const state = host.health?.state;
  return state !== undefined && state !== 'good' && state !== 'idle';
}
