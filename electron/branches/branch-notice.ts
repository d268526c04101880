import type { BranchPlan } from '@shared/contract/checkpoint-views';
import type { EventBody } from '@shared/log/events';

export interface NoticeOrder {
  plan: BranchPlan;
  /** The parent's workspace and the branch's. */
  from: string;
  to: string;
  opened: readonly EventBody<'session.opened'>[];
  /** Hints of the parent that are left out, and new ones at the end of the context. */
  dropped: number;
  added: number;
}

/** What a branch is made of, for the agent (in its context) and for people (in the log). */
export function branchNotice(order: NoticeOrder): { agent: string; person: string } {
  const { plan, from, to } = order;
  const files = fileWords(plan);
  const seen = fileWordsForAgent(plan);
  const sessions = sessionWords(order);
  return {
    agent: `[Workspace moved] The workspace is now ${to}. Paths above that start with ${from} now mean the same paths under ${to}; no longer use the old folder. ${seen} ${sessions}`,
    person: [files, sessions, hintWords(order)].filter(Boolean).join(' '),
  };
}

function fileWords({ checkpoint, step, stepsAfter }: BranchPlan): string {
  if (checkpoint === null) {
    return `There is no checkpoint up to step ${step}: the files are those the task started with.`;
  }
  if (stepsAfter === 0) return `The files are as they were after step ${step}.`;
  const steps = stepsAfter === 1 ? `step ${step}` : `steps ${checkpoint.step + 1} to ${step}`;
  return `The files are as they were after step ${checkpoint.step}: later changes to files (${steps}) are not included.`;
}

/** The agent has never seen a number of a step. */
function fileWordsForAgent({ checkpoint, stepsAfter }: BranchPlan): string {
  if (checkpoint === null) {
    return 'The files are those the task started with: none of your changes to files are included.';
  }
  if (stepsAfter === 0) return 'The files are as your last action above left them.';
  const actions = stepsAfter === 1 ? 'your last action above' : `your last ${stepsAfter} actions above`;
  return `The files are as they were before ${actions}: ${stepsAfter === 1 ? 'its' : 'their'} changes to files are not included.`;
}

function hintWords({ dropped, added }: NoticeOrder): string {
  const count = (hints: number) => (hints === 1 ? '1 hint was' : `${hints} hints were`);
  return [
    dropped === 0 ? '' : `${count(dropped)} left out of the context.`,
    added === 0 ? '' : `${count(added)} added to it.`,
  ]
    .filter(Boolean)
    .join(' ');
}

function sessionWords({ plan, opened }: NoticeOrder): string {
  const names = opened.map(({ computer, session }) => `${session} (${computer})`);
  const fresh =
    names.length === 0
      ? 'No session is open.'
      : `These sessions have new shells, without the variables that were set in them: ${names.join(', ')}.`;
  const ended = plan.notRestarted.map(
    ({ computer, session, command }) => `"${command}" in ${session} (${computer})`,
  );
  return ended.length === 0 ? fresh : `${fresh} No longer running: ${ended.join(', ')}.`;
}
