import type { NewEvent } from '@shared/log/events';
import type { RunCall } from '@shared/runs/run-fold';
import type { Loop } from './loop-types';
import type { ParsedCall } from './ports';

/** `denied`: what a person said to that, for the agent; '' when nothing. */
type Approval = 'allowed' | 'halted' | { denied: string };

/**
 * Asks a human where approvals are on and the action calls for one. The question is in the log before the run
 * waits, so a resumed run waits for the same answer. Waiting for a human is not working time.
 */
export async function askApproval(loop: Loop, call: RunCall, parsed: ParsedCall): Promise<Approval> {
  const { ports, state, options } = loop;
  // An answer holds for its call, whatever a question would be by now.
  if (call.approval?.decision != null) {
    return approvalOf(call.approval.decision, call.approval.reason);
  }
  const withdrawn = ports.control.withdrawals();
  if (withdrawn.length > 0) {
    await ports.recorder.record(withdrawn.map((body): NewEvent => ({ kind: 'approval.withdrawn', body })));
  }
  const standing = { kinds: state.run.allowedKinds, wrote: state.run.wroteSinceAnswer };
  const question = options.approvals === 'on' ? (ports.actions.approval?.(parsed, standing) ?? null) : null;
  if (question === null) {
    return 'allowed';
  }
  const approval = call.approval?.id ?? ports.id();
  const asked: NewEvent[] =
    call.approval === null
      ? [{ kind: 'approval.asked', body: { step: state.run.step, call: call.index, approval, ...question } }]
      : [];
  await ports.recorder.record([
    ...asked,
    { kind: 'run.status', body: { status: 'waiting_human', reason: 'approval', message: question.what } },
  ]);
  ports.live.emit({ kind: 'state', state: 'waiting_human', until: null });
  const answer = await decision(loop, approval);
  if (answer === null) {
    return 'halted';
  }
  const { decision: decided, by, forRun, reason } = answer;
  // What the person read, not what would be asked now.
  const kinds = (call.approval?.kinds ?? question.kinds ?? []).slice();
  const allowed = forRun && decided === 'allow' && kinds.length > 0 ? { kinds } : {};
  const said = decided === 'deny' && reason !== undefined ? { reason } : {};
  await ports.recorder.record([
    { kind: 'approval.decided', body: { approval, decision: decided, by, ...allowed, ...said } },
    { kind: 'run.status', body: { status: 'running', reason: null, message: 'The question was answered.' } },
  ]);
  return approvalOf(decided, reason);
}

function approvalOf(decision: 'allow' | 'deny', reason = ''): Approval {
  return decision === 'allow' ? 'allowed' : { denied: reason };
}

async function decision({ ports }: Loop, approval: string) {
  const { haltThinking } = ports.control;
  try {
    return await ports.control.decision(approval, haltThinking);
  } catch (error) {
    if (haltThinking.aborted || ports.control.asked() !== null) {
      return null;
    }
    throw error;
  }
}
