import { wellFormed } from '@shared/base/clean-text';
import { WaymarkError } from '@shared/contract/errors';
import type { Author } from '@shared/log/annotations';
import type { Store } from '../../store/api';
import { refuseWithoutHints } from './hint-desk';

export interface ApprovalAnswer {
  approval: string;
  decision: 'allow' | 'deny';
  /** Everything of the kinds that the question names, for the rest of the run. */
  forRun: boolean;
  /** Of a refusal, told to the agent; '' = none. */
  reason?: string | undefined;
}

/**
 * A person's answer to what a run asks: an entry of the outbox, whoever drives the run and from wherever it is given. The first
 * answer counts. @throws WaymarkError not_found; refused: answered already, or a reason where people may send no hints
 */
export async function answerApproval(
  { reader, writer }: Pick<Store, 'reader' | 'writer'>,
  run: string,
  author: Author,
  { approval, decision, forRun, reason = '' }: ApprovalAnswer,
): Promise<void> {
  const said = wellFormed(reason).trim();
  if (said.length > 4_000) throw new WaymarkError('bad_input', 'A reason has at most 4000 characters.');
  if (said !== '') await refuseWithoutHints(reader, run);
  await writer.post(run, author, {
    op: 'approval.decided',
    approval,
    decision,
    ...(forRun ? { forRun } : {}),
    ...(decision === 'deny' && said !== '' ? { reason: said } : {}),
  });
}
