import { WaymarkError } from '@shared/contract/errors';
import type { ApprovalAsked } from '@shared/contract/ipc/runs';
import { answerApproval } from '../runs/steer/answer-approval';
import { questionLines } from './approval-words';
import type { Arguments } from './arguments';
import type { CliContext } from './context';
import type { CommandResult } from './output';

/** `run approve`, `run refuse`: a person's answer to what the run waits for. @throws WaymarkError bad_input, refused, cancelled */
export async function answer(
  context: CliContext,
  { values }: Arguments,
  verb: 'approve' | 'refuse',
  run: string,
): Promise<CommandResult> {
  const nobody = await context.prompts.whyNobody();
  if (nobody !== null) {
    throw new WaymarkError(
      'refused',
      `Only a person can answer an approval: in the window, or by typing "run ${verb} ${run}" in a terminal. Nobody can answer here, because ${nobody}.`,
    );
  }
  const asked = await openOne(context, run);
  if (verb === 'approve') await confirm(context, asked, values.kind);
  const decision = verb === 'approve' ? 'allow' : 'deny';
  await answerApproval(context.store, run, context.author, {
    approval: asked.approval,
    decision,
    forRun: values.kind && verb === 'approve',
    reason: values.reason,
  });
  const goesOn = context.store.isDriven(run)
    ? ''
    : ` No process is driving it; continue it with: run resume ${run}`;
  return {
    json: { run, approval: asked.approval, decision },
    lines: [`${verb === 'approve' ? 'Approved' : 'Refused'} step ${asked.step} of run ${run}.${goesOn}`],
  };
}

/** What is approved is what was read: a question that took the place of this one is not answered with it. */
async function confirm(context: CliContext, asked: ApprovalAsked, kind: boolean): Promise<void> {
  const { kinds = [] } = asked;
  if (kind && kinds.length === 0) {
    throw new WaymarkError(
      'refused',
      'This question names no kind that could be allowed for the rest of the run. Leave --kind out.',
    );
  }
  const said = await whileOpen(context, asked, (signal) =>
    context.prompts.confirm(() => {
      for (const line of questionLines(asked)) context.terminal.err(line);
      return kind ? 'Approve it and everything of this kind in this run?' : 'Approve it?';
    }, signal),
  );
  if (said !== true) throw new WaymarkError('cancelled', 'Nothing was approved. The run is still waiting.');
  if ((await openOne(context, asked.run)).approval !== asked.approval) {
    throw new WaymarkError('refused', 'It has been answered meanwhile, and the run now asks something else.');
  }
}

/** The prompt ends with why once the question was answered elsewhere, and does not stand there for nothing. */
async function whileOpen<T>(
  { reader, store }: CliContext,
  { run, approval }: ApprovalAsked,
  ask: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const asking = new AbortController();
  const look = async () => {
    const open = await reader.openApprovals(run);
    if (open.some((each) => each.approval === approval)) return;
    throw new WaymarkError(
      'refused',
      `This was answered elsewhere first, so nothing was approved here. See the state of the run with: run show ${run}`,
    );
  };
  const stop = store.subscribe((notice) => {
    if ((notice.kind !== 'run' && notice.kind !== 'outbox') || notice.run !== run) return;
    look().catch((thrown: unknown) => asking.abort(thrown));
  });
  try {
    return await ask(asking.signal);
  } finally {
    stop();
  }
}

async function openOne({ reader }: CliContext, run: string): Promise<ApprovalAsked> {
  const [asked] = await reader.openApprovals(run);
  if (asked === undefined) {
    throw new WaymarkError(
      'refused',
      `Run ${run} is not waiting for an approval, or its question has already been answered. See its state with: run show ${run}`,
    );
  }
  return asked;
}
