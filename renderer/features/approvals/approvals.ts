import type { EventPayloads } from '@shared/contract/ipc';
import { create } from 'zustand';
import { call } from '../../api';

export type Approval = EventPayloads['approval.asked'];

interface ApprovalState {
  open: Approval[];
}

/** Actions that wait for a person's word, oldest first. */
export const useApprovals = create<ApprovalState>()(() => ({ open: [] }));

export function addApproval(asked: Approval): void {
  useApprovals.setState((state) =>
    state.open.some(({ approval }) => approval === asked.approval) ? state : { open: [...state.open, asked] },
  );
}

/** Drops what a run no longer waits for (decided elsewhere, or the run ended). */
export function dropApprovals(run: string): void {
  useApprovals.setState((state) =>
    state.open.some((asked) => asked.run === run)
      ? { open: state.open.filter((asked) => asked.run !== run) }
      : state,
  );
}

/** Reads what a run already waits for: asked before this window was there. */
export async function loadApprovals(run: string): Promise<void> {
  for (const asked of await call('runs.openApprovals', { run })) addApproval(asked);
}

/** `forRun`: what the question names as kinds runs unasked for the rest of the run, until somebody takes it back. */
export async function decideApproval(
  asked: Approval,
  decision: 'allow' | 'deny',
  forRun = false,
): Promise<void> {
  const { run, approval } = asked;
  try {
    await call('runs.decideApproval', { run, approval, decision, forRun });
  } catch (thrown) {
    // Somebody may have been first: what is answered asks no more.
    dropApprovals(run);
    await loadApprovals(run);
    throw thrown;
  }
  useApprovals.setState((state) => ({
    open: state.open.filter((other) => other.approval !== asked.approval),
  }));
}

/** From its next action on the run asks about these kinds again. */
export async function takeBack(run: string, kinds: readonly string[]): Promise<void> {
  for (const kind of kinds) await call('runs.withdrawKind', { run, kind });
}
