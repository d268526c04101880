import type { QueueClass } from '@shared/labels/review/queue-views';
import { plural } from './common';

const classes: Record<QueueClass, string> = {
  disagreement: 'Disagreements',
  unsure: 'Judge unsure',
  open: 'Flagged or undecided',
  unconfirmed: 'Not confirmed',
  rest: 'The rest',
};

export const queue = {
  title: 'Review queue',
  tabs: 'Parts of the queue',
  mine: 'My queue',
  people: 'People',
  assign: 'Assign',
  pace: 'My pace',
  className: (kind: QueueClass) => classes[kind],
  progress: (decided: string, total: string, differ: number, of: string) =>
    `You: ${decided} of ${total}, ${differ === 1 ? '1 disagreement' : `${of} disagreements`} left`,
  progressHelp:
    'Your review queue. Disagreements: people, rules or judges differ, and no person has settled it.',
  open: 'Open the review queue',
  place: (at: number, of: number) => `${at} of ${of} ${of === 1 ? 'disagreement' : 'disagreements'}`,
  unsure: (confidence: string) => `Judge unsure (${confidence})`,
  inClass: (kind: QueueClass) => `Queue: ${classes[kind].toLowerCase()}`,
  leave: 'Leave the queue',
  next: 'Next in the queue',
  nothingLeft: 'Your queue is empty',
  emptyTitle: 'Nothing to review',
  emptyText: 'Nothing is assigned to you. Open an unassigned run, or assign runs.',
  start: 'Start reviewing',
  rest: 'Confirm the rest as TRAIN',
  runColumn: 'Run',
  decidedColumn: 'Decided',
  blind: (n: string) => `${n} blind`,
  nobody: 'unassigned',
  ofTotal: (n: string, of: string) => `${n} of ${of}`,
  personColumn: 'Person',
  assignedColumn: 'Assigned',
  leftColumn: 'Left',
  agreeColumn: 'Agree',
  kappaColumn: 'Kappa',
  machineColumn: 'Kappa with machines',
  minutesColumn: 'Minutes',
  flagsColumn: 'Flags',
  differColumn: 'Differ',
  timesColumn: 'Median',
  kappaHelp: 'Agreement beyond chance, at most 1. "?" where two people have too few steps in common.',
  stamped: (n: number) => (n === 1 ? '1 quick streak' : `${n} quick streaks`),
  runFigures: (title: string, fleiss: string, mean: string) =>
    `${title}, all people: Fleiss ${fleiss}, mean of pairs ${mean}`,
  copyCsv: 'Copy as CSV',
  copied: 'Copied',
  noPeopleTitle: 'Nobody has decided anything yet',
  noPeopleText: 'Assign runs, or decide a step: who did what appears here.',
  runs: 'Runs',
  runsHelp: 'Only a run’s own steps are assigned, not the ones a branch inherited.',
  names: 'People',
  namesHelp: 'Separate names with commas. Known here: ',
  by: 'Assign by',
  bySegment: 'segments',
  byRun: 'whole runs',
  overlap: 'Second reviewer for',
  overlapNone: 'no step',
  overlapShare: (share: string) => `${share} % of the steps`,
  overlapAll: 'all steps',
  blindness: 'Blind',
  blindNone: 'nobody',
  blindSecond: 'second reviewers',
  blindBoth: 'both reviewers',
  blindHelp: 'Blind reviewers do not see other opinions, machines included, until they have decided.',
  preview: 'Preview',
  assignNow: (n: string) => `Assign ${plural(n, 'step')}`,
  assigned: 'Assigned',
  planSteps: (steps: string, units: string, twice: string, share: string) =>
    `${plural(steps, 'step')} in ${plural(units, 'piece')}; ${twice} of them with a second reviewer (${share} %).`,
  planAlready: (n: string) => `${n} of them are already assigned.`,
  firstColumn: 'First reviewer',
  secondColumn: 'Second reviewer',
  blindColumn: 'Blind',
  batches: 'Batches',
  batchBy: (who: string, steps: string) => `${plural(steps, 'step')}, by ${who}`,
  takeBack: 'Withdraw',
  tookBack: 'Withdrawn; decisions stay',
  paceEmptyTitle: 'No times yet',
  paceEmptyText: 'How long you look at a step before you decide is recorded here, for you only.',
  paceMedian: (time: string, n: string) => `Median ${time} over ${n} decisions`,
  paceShared: 'Your times are shared: your decisions include them.',
  pacePrivate: 'Nobody else sees this. Settings can share it.',
  stampHint: (n: number, from: number, to: number) =>
    `${n} agreements in a row under 0.7 s each, steps ${from}–${to}. Worth a second look?`,
  goThere: 'Go there',
  restTitle: 'Confirm the rest as TRAIN',
  restLead: (n: string) =>
    n === '1'
      ? '1 step of this run has not been decided by a person yet.'
      : `${n} steps of this run have not been decided by a person yet.`,
  restNothing: 'Every step is decided by a person.',
  restWhat: 'Current labels',
  restBy: { rule: 'by rules', judge: 'by judges', none: 'by nobody' },
  restCount: (label: string, by: string, n: string) => `${label} ${by}: ${n}`,
  restMasked: (n: string) =>
    n === '1'
      ? '1 of them is masked by machines. It is left out unless you tick it.'
      : `${n} of them are masked by machines. They are left out unless you tick them.`,
  restAll: 'Tick all of them',
  restMore: (n: string) => `and ${n} more, which only “Tick all of them” selects`,
  restReason: 'Reason for lifting masks',
  restLeft: (n: string) =>
    n === '1'
      ? '1 more step does not fit into one decision; confirm it afterwards.'
      : `${n} more steps do not fit into one decision; confirm them afterwards.`,
  restDo: (n: string) => `TRAIN on ${plural(n, 'step')}`,
  shareTimes: 'Share my times',
  shareTimesHelp:
    'Your decisions include how long you took, visible to your team lead. Off: only you see it.',
};
