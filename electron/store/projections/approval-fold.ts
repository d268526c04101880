import type { EventKind, RunEvent } from '@shared/log/events';
import { hasEnded } from '@shared/runs/run-status';
import type { OpenApproval } from '../log/run-state';

/** The kinds that open or close a question to a person. */
export const approvalKinds: readonly EventKind[] = [
  'approval.asked',
  'approval.decided',
  'action.observed',
  'run.status',
];

/** Questions that are open after an event; undefined when there is none, so that most states say nothing of them. */
export function foldApprovals(
  open: readonly OpenApproval[] | undefined,
  event: RunEvent,
): OpenApproval[] | undefined {
  if (open === undefined && event.kind !== 'approval.asked') return undefined;
  const left = (open ?? []).filter((asked) => !closes(event, asked));
  if (event.kind === 'approval.asked') {
    const { approval, step, call } = event.body;
    left.push({ approval, step, call, seq: event.seq });
  }
  return left.length === 0 ? undefined : left;
}

/** Kinds that run unasked after an event, oldest first; undefined when there is none. */
export function foldKinds(kinds: readonly string[] | undefined, event: RunEvent): string[] | undefined {
  const now = new Set(kinds);
  if (event.kind === 'approval.decided') for (const kind of event.body.kinds ?? []) now.add(kind);
  else if (event.kind === 'approval.withdrawn') now.delete(event.body.kind);
  return now.size === 0 ? undefined : [...now];
}

/** A question is over with its answer, with its call, and with its run. One that is asked again is asked there. */
function closes(event: RunEvent, asked: OpenApproval): boolean {
  switch (event.kind) {
    case 'approval.asked':
    case 'approval.decided':
      return event.body.approval === asked.approval;
    case 'action.observed':
      return event.body.step === asked.step && event.body.call === asked.call;
    case 'run.status':
      return hasEnded(event.body.status);
    default:
      return false;
  }
}
