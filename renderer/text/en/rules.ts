import type { RuleId } from '@shared/contract/rules/rule-settings';
import type { MachinePrecedence } from '@shared/labels/labels';

const n = (count: number) => count.toLocaleString('en-US');

const says: Record<RuleId, string> = {
  'error-observation': 'The action itself failed.',
  null: 'The answer contains no valid call.',
  'command-failed': 'A command failed: its exit code was not itself the answer.',
  'blind-edit': 'A file is changed without being viewed since its last change.',
  'blind-edit-strict': 'A file is changed without being read in the step before.',
  'eval-without-change': 'Nothing that is evaluated has changed since the last evaluation.',
  'finish-below-best': 'The run ends with a worse result than it had.',
  'provided-script-ignored': 'A near-copy of a given script is written and run.',
  'framework-forbidden': 'Code that the task forbids is written, installed or run.',
  'idle-gpus': 'Training uses fewer GPUs than available, or adapters only.',
  'action-at-full-score': 'Work continues at the full score, or lowers a high one.',
  'template-thought': 'Code generates reasoning from a fixed sentence.',
  'imitates-human': 'The answer or its output contains the tag of a human hint.',
  'keep-summary': 'A summary that was accepted.',
  'keep-sleep-while-training': 'Sleeps while its own training or inference runs.',
  'keep-debugging': 'A failure that was investigated and then fixed.',
  'keep-backup': 'Outputs are copied after an evaluation, or put back.',
  'keep-exploration': 'Looks around early, or in a new place.',
};

const detectors: Record<string, string> = {
  contention: 'Two jobs on one GPU',
  early_finish: 'Early finish',
  forgotten_session: 'Forgotten session',
  impatience: 'Impatience',
  repeated_action: 'Repeated action',
  template_thought: 'Template reasoning',
};

const parameters: Record<string, string> = {
  early_steps: 'First steps that count as early',
  frameworks: 'Forbidden',
  full_score: 'Full score, points',
  high_score: 'High score, points',
  full_training: 'All weights can be trained here',
  grace_steps: 'Steps to wait for another job',
  jobs: 'Commands that train or infer',
  outputs: 'Output paths',
  own_purpose: 'Code with a purpose of its own',
  scripts: 'Given scripts',
  seen: 'Count scripts the agent came across',
  taken_mb: 'GPU taken from, MB',
  tolerance: 'Points that may be lost',
  training_commands: 'Commands that train',
  trial: 'Commands that only try',
  within_steps: 'Steps until it works',
};

export const rules = {
  title: (task: string) => (task === '' ? 'Rules' : `Rules of ${task}`),
  noRun: 'Open a run to see the rules of its task.',
  hard: 'Hard masks: only a person can lift them, with a reason',
  soft: 'Soft masks',
  keep: 'Keep rules: they override soft masks',
  detectors: 'Habits of the agent (no labels)',
  detectorName: (kind: string) => detectors[kind] ?? kind,
  says,
  count: (count: number) => (count === 1 ? '1 step' : `${n(count)} steps`),
  version: (id: string, version: number) => `${id} v${version}`,
  details: 'Details',
  detailsOf: (name: string) => `Details of ${name}`,
  parameter: (name: string) => parameters[name] ?? name,
  onePerLine: 'One per line; expressions ignore case.',
  wrong: 'This value is not valid.',
  precedence: 'Rules and judge',
  precedenceHelp: 'How machine opinions are combined. People always win.',
  precedences: {
    union: 'Every mask counts',
    judge_over_rule: 'The judge beats soft rules',
  } satisfies Record<MachinePrecedence, string>,
  preview: 'What would change',
  allRuns: (count: number) => `Check all ${n(count)} runs of this task`,
  nothing: 'Change something above to see what it would do.',
  working: 'Calculating…',
  noLabels: 'No label would change.',
  labelsChange: (mask: number, train: number, undecided: number) =>
    `Labels: ${n(mask)} to MASK, ${n(train)} to TRAIN, ${n(undecided)} to UNDECIDED.`,
  columns: ['Rule', 'New', 'Gone', 'Current labels (new)', 'Conflicts with people', 'Steps'],
  byNow: (train: number, mask: number, undecided: number) =>
    `${n(train)} train, ${n(mask)} mask, ${n(undecided)} undecided`,
  goTo: (step: number) => `Go to step ${step}`,
  more: (count: number) => `and ${n(count)} more`,
  deriving: (runs: number, done: number, total: number) =>
    `Recalculating ${runs === 1 ? '1 run' : `${n(runs)} runs`}: ${n(done)} of ${n(total)} events.`,
  asTask: 'As the task says.',
  setBy: (author: string, when: string) => `Set by ${author}, ${when}.`,
  clear: 'Use the task’s settings',
  apply: 'Apply to all runs of the task',
  applied: 'Rules applied; labels are being updated',
};
