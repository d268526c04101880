import type { HintCategory, HintDelivery, HintState, HintVerdict } from '@shared/log/outbox';

const categories: Record<HintCategory, string> = {
  strategy: 'strategy',
  correction: 'correction',
  information: 'information',
  question: 'question',
  other: 'other',
};
const states: Record<HintState, string> = {
  queued: 'Queued',
  delivered: 'Delivered',
  withdrawn: 'Withdrawn',
  undelivered: 'Never delivered',
};
const deliveries: Record<HintDelivery['when'], string> = {
  next_step: 'Next step',
  wake: 'Wake from sleep',
  session_idle: 'Session idle again',
  score_changes: 'Score changes',
  gpu_idle: 'GPUs idle',
  error_streak: 'Errors in a row',
};
const deliveryHelp: Record<HintDelivery['when'], string> = {
  next_step: 'Reaches the agent before its next answer. Does not interrupt a sleep.',
  wake: 'Ends a sleep, never a job. Reaches the agent before its next answer.',
  session_idle: 'Delivered when this happens. Later hints do not wait for it.',
  score_changes: 'Delivered when this happens. Later hints do not wait for it.',
  gpu_idle: 'Delivered when this happens. Later hints do not wait for it.',
  error_streak: 'Delivered when this happens. Later hints do not wait for it.',
};

export const hints = {
  region: 'Hints',
  write: 'Write a hint',
  compose: 'Hint to the agent',
  placeholder: 'Write a hint to the agent',
  category: 'Kind',
  categoryName: (category: HintCategory) => categories[category],
  deliverTo: 'Deliver',
  deliverName: (when: HintDelivery['when']) => deliveries[when],
  deliverHelp: (when: HintDelivery['when']) => deliveryHelp[when],
  whichSession: 'Session',
  anySession: 'any session',
  sessionOn: (session: string, computer: string) => `${session} on ${computer}`,
  whichComputer: 'Computer',
  anyComputer: 'any computer',
  isIdleAgain: 'is idle again',
  forMinutes: 'minutes idle',
  errorsInRow: 'failed steps in a row',
  until: (deliver: HintDelivery): string => {
    switch (deliver.when) {
      case 'session_idle':
        return deliver.session === ''
          ? 'until a session is idle again'
          : `until ${deliver.session} on ${deliver.computer} is idle again`;
      case 'score_changes':
        return 'until the score changes';
      case 'gpu_idle':
        return `until the GPUs of ${deliver.computer === '' ? 'a computer' : deliver.computer} have been idle for ${deliver.minutes} min`;
      case 'error_streak':
        return `until ${deliver.steps} steps in a row have failed`;
      default:
        return 'until the next step';
    }
  },
  waitsUntil: (until: string) => `Waiting ${until}`,
  dueBecause: (why: string, wait: string) => `Now due, ${why}. ${wait}`,
  wakesIt: 'wakes it from sleep',
  stateName: (state: HintState) => states[state],
  queue: 'Queue hint',
  tryIt: 'Try it',
  tryText: 'Asks the model once with this draft and shows what it would do. Nothing is run.',
  general: 'Could this be taught as a general rule?',
  generalText: (found: string) => `It names ${found}. A rule teaches more than one step.`,
  queueTitle: 'Outbox',
  queueText: (n: number) =>
    n === 1 ? '1 hint waiting' : `${n} hints waiting; those that are due are sent together`,
  textToSend: 'Text to be sent',
  textToSendTitle: 'Exact text that will be sent',
  textToSendNote: 'Appended to the last observation before the model’s next answer.',
  textToSendNothing: 'Nothing is due now.',
  textOfDraft: 'Your draft, once it is queued and due',
  hint: (n: number) => `Hint ${n}`,
  last: (n: number, step: number) => `Hint ${n} delivered after ${step}`,
  lastBefore: (n: number) => `Hint ${n} delivered with the task`,
  noneTitle: 'No hints yet',
  noneText: 'A hint reaches the agent before its next answer, never in the middle of one.',
  waitsModel: 'Waiting: the model is answering; the hint joins the next request',
  waitsAction: 'Waiting: an action is running; the hint is delivered when it returns',
  waitsSleep: (clock: string, rest: string) => `Waiting: the agent is asleep until ${clock} (${rest})`,
  waitsSleepOpen: 'Waiting: the agent is asleep',
  waitsPaused: 'Waiting: the run is paused',
  waitsUndriven: 'Waiting: no process is driving this run',
  waitsEnded: 'The run has ended; this hint will not be delivered',
  waitsCondition: 'Waiting for its condition',
  waitsHost: (names: string) =>
    names === '' ? 'Waiting: a computer of the run cannot be reached' : `Waiting: ${names} cannot be reached`,
  waitsModelAway: 'Waiting: the model cannot be reached',
  waitsHuman: 'Waiting: the run needs your answer',
  waitsCount: (n: number) => (n === 1 ? '1 waiting' : `${n} waiting`),
  undeliveredCount: (n: number) => (n === 1 ? '1 never delivered' : `${n} never delivered`),
  delivered: (step: number) => `In context since step ${step}`,
  deliveredTask: 'In context since the task',
  undelivered: (why: string) =>
    why === '' ? 'The run ended before the model saw it' : `The model never saw it: ${why}`,
  withdrawnText: 'Removed from the queue; never sent',
  showPrompt: (step: number) => `Prompt of ${step}`,
  showPromptText: (step: number) =>
    `Opens the exact prompt of step ${step}, the first one that carries this hint`,
  promptNotYet: 'The model is still answering the first prompt that carries it',
  verdict: 'Outcome',
  actedOn: 'Acted on',
  ignored: 'Ignored',
  judged: (n: number, verdict: HintVerdict | null): string =>
    verdict === null
      ? `Verdict on hint ${n} withdrawn`
      : verdict === 'acted_on'
        ? `Hint ${n} was acted on`
        : `Hint ${n} was ignored`,
  wakeNow: 'Wake now',
  resume: 'Resume',
  edit: 'Edit',
  editTitle: (n: number) => `Edit hint ${n}`,
  saveEdit: 'Save',
  keepAsDraft: 'Keep my text as a new draft',
  move: (n: number, at: number, of: number) => `Hint ${n}, ${at} of ${of} in the queue. Up and down move it.`,
  moveUp: 'Move up',
  moveDown: 'Move down',
  withdraw: 'Withdraw',
  withdrawText: 'Removes it from the queue. It will not be sent.',
  actions: (n: number) => `Actions for hint ${n}`,
  queued: (n: number) => `Hint ${n} queued`,
  withdrawn: (n: number) => `Hint ${n} withdrawn`,
  edited: (n: number) => `Hint ${n} changed`,
  tooLate: (n: number, outcome: 'delivered' | 'withdrawn'): string =>
    outcome === 'delivered'
      ? `Too late: hint ${n} was already sent with the agent’s request. Nothing was changed.`
      : `Hint ${n} has been withdrawn in the meantime. Nothing was changed.`,
  blocked: 'Hints are not accepted now',
  ended: 'The run has ended. Hints cannot reach it.',
  endedLine: (sent: number) =>
    `The run has ended. ${sent === 0 ? 'No hint reached it' : sent === 1 ? '1 hint reached it' : `${sent} hints reached it`}`,
  showDelivered: (n: number) => `Earlier ${n}`,
  hideDelivered: 'Hide earlier',
};
