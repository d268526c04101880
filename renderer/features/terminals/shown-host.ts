import type { LinkHealth } from '@shared/contract/computers';
import type { RunSummary } from '@shared/contract/views';
import { useComputers } from '../../state/computers';
import { hostsOf } from '../../state/computers-of-run';
import { useCurrentRun } from '../../state/run/runs';
import type { Shown } from './sessions-shown';

export interface ShownHost {
  /** What the terminal's computer is called where it stands. */
  name: string;
  /** Null for this computer. */
  alias: string | null;
  health: LinkHealth | undefined;
}

/** The computer behind a terminal and how its link is. */
export function hostOf(
  shown: Shown,
  run: Pick<RunSummary, 'computers'> | undefined,
  health: Readonly<Record<string, LinkHealth>>,
): ShownHost {
  if (shown.kind === 'own') {
    const { computer } = shown.terminal;
    return computer === 'local'
      ? { name: computer, alias: null, health: undefined }
      : { name: computer, alias: computer, health: health[computer] };
  }
  const { computer } = shown.session;
  const known = run === undefined ? [] : hostsOf(run, health);
  return known.find(({ name }) => name === computer) ?? { name: computer, alias: null, health: undefined };
}

export function useShownHost(shown: Shown): ShownHost {
  const run = useCurrentRun();
  const health = useComputers((state) => state.health);
  return hostOf(shown, run, health);
}

/** No bytes can come from it now. `idle` is no trouble: the link opens when it is needed. */
export function isAway(health: LinkHealth | undefined): boolean {
  const state = health?.state;
  return state === 'connecting' || state === 'stalled' || state === 'down' || state === 'blocked';
}

/** GPU use of a computer as its last look found it: percent busy over all, and when; null when nothing is known. */
export function useGpuUse(alias: string | null): { busy: number; at: number } | null {
  const report = useComputers((state) => state.rows.find((row) => row.alias === alias)?.report);
  const busy = (report?.facts?.gpus ?? [])
    .map(({ utilization }) => utilization)
    .filter((one) => one !== null);
  if (report == null || busy.length === 0) return null;
  return { busy: Math.round(busy.reduce((sum, one) => sum + one, 0) / busy.length), at: report.at };
}
