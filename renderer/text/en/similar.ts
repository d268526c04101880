import { plural } from './plural';

export const similar = {
  title: (n: number) => `Label ${n} similar steps`,
  none: (step: number) => `No other step is like step ${step}`,
  what: 'What is similar',
  sameRules: (rules: string, tool: string) => `${rules} fired for ${tool}, as on this step`,
  noRules: (tool: string) => `${tool}, and no rule fired, as on this step`,
  noTool: 'an answer without a valid call',
  where: 'Where',
  now: 'Now',
  counts: (train: string, mask: string, undecided: string) =>
    `${train} TRAIN, ${mask} MASK, ${undecided} undecided`,
  becomes: 'Label',
  changes: (n: string, undecided: string, other: string) =>
    `${n} ${n === '1' ? 'step changes' : 'steps change'}: ${undecided} undecided, ${other} with the opposite so far.`,
  noChange: 'No label would change; your decision would be recorded on each step.',
  decided: (n: string) =>
    n === '1' ? 'A person has decided on one of them.' : `People have decided on ${n} of them.`,
  yoursStands:
    'Yours is then saved alongside theirs; where they differ, the step is undecided until it is settled.',
  left: (n: string) =>
    `${n} more ${n === '1' ? 'does' : 'do'} not fit into one decision: label these first, then look again.`,
  reason: 'Reason',
  noReason: 'none',
  apply: (value: string, n: number) => `Label ${plural(n, 'step')} ${value}`,
  keys: 't, m: choose. 1–9: reason. Enter: label. Esc: leave.',
};
