import type { Why } from '@shared/labels/labels';
import type { HintVerdict } from '@shared/log/outbox';
import { plural } from './common';

const rules: Record<string, string> = {
  'error-observation': 'Error in the observation',
  null: 'No valid action',
  'command-failed': 'Command failed',
  'blind-edit': 'Blind edit',
  'blind-edit-strict': 'Blind edit, strict',
  'eval-without-change': 'Evaluation without a change',
  'finish-below-best': 'Finish below the best score',
  'action-at-full-score': 'Action at full score',
  'framework-forbidden': 'Forbidden framework',
  'idle-gpus': 'Training leaves GPUs idle',
  'provided-script-ignored': 'Provided script ignored',
  'template-thought': 'Template reasoning',
  'imitates-human': 'Imitates a human',
  'keep-summary': 'Accepted summary',
  'keep-sleep-while-training': 'Sleep during training',
  'keep-debugging': 'Systematic debugging',
  'keep-backup': 'Backup with score',
  'keep-exploration': 'Exploration',
};
/** Of Waymark's own rubrics; another rubric may name others. */
const judgeReasons: Record<string, string> = {
  'contradicts-success': 'Contradicts an earlier success',
  'only-follows-hint': 'Only carries out a hint',
  forgets: 'Forgets what is needed',
  'makes-up': 'Makes something up',
  sound: 'Sound',
  other: 'Another reason',
};
const reasons: Record<string, string> = {
  'ignores-script': 'Ignores a given script',
  'transformers-not-vllm': 'Transformers instead of vLLM',
  'null-or-error': 'Null or error-prone action',
  'lowers-high-score': 'Lowers the score when already high',
  'blind-edit': 'Blind edit',
  'idle-compute': 'Leaves GPUs unused',
  'contradicts-hint': 'Contradicts a hint',
  'eval-timing': 'Eval or finish at the wrong time',
  'template-cot': 'Template chain of thought',
};

export const labels = {
  bar: 'Label',
  train: 'TRAIN',
  mask: 'MASK',
  undecided: 'UNDECIDED',
  none: 'NOT TRAINABLE',
  carried: 'CARRIED',
  hint: 'HINT',
  clear: 'Clear',
  agree: 'Agree',
  reason: 'Reason',
  reasonFor: (at: string) => `for ${at}`,
  keepReason: 'Reason to keep',
  keepReasons: 'Keep because…',
  reasonOf: (at: string) => `Reason for ${at}`,
  reasonName: (code: string) => reasons[code] ?? rules[code] ?? judgeReasons[code] ?? code,
  /** By its number, 1 to 9. */
  reasonAt: (number: number) => Object.values(reasons)[number - 1] ?? '',
  ruleName: (rule: string) => rules[rule] ?? rule,
  scopeStep: (n: number) => `Step ${n}`,
  scopeRange: (n: number) => `${plural(n, 'step')} selected`,
  scopeNone: 'No step',
  flag: 'Ask for a second opinion',
  unflag: 'Withdraw the request for a second opinion',
  comment: 'Comment',
  more: 'More',
  blocked: 'Labels are not accepted now',
  blockedDisk: 'Labels are not accepted until the disk has room',
  nothingToAgree: (step: number) =>
    `Nothing to agree with at step ${step}: it has no label, or people disagree`,
  rangeDiffers: (step: number) =>
    `The selected steps do not all have the label of step ${step}: agree one by one, or set a label`,
  oneStep: 'Select one step to agree or disagree with its judge',
  noJudge: (step: number) => `No judge has voted on step ${step}`,
  judgesDiffer: (step: number) => `Judges differ on step ${step}: set a label yourself`,
  judgeAgree: 'Agree',
  judgeDisagree: 'Disagree',
  agreeWith: (judge: string, value: string) => `Agree with ${judge}: ${value}`,
  disagreeWith: (judge: string, value: string) => `Disagree with ${judge}: ${value}`,
  sure: (confidence: number) => `${Math.round(confidence * 100)} % sure`,
  staysSettled: (step: number, value: string) =>
    `Step ${step} stays settled as ${value}. Your label is saved alongside it; T or M settles it again.`,
  stillMasked: (n: number, at: string) =>
    n === 1
      ? `Step ${at} stays masked by a hard rule. Label it on its own to give the reason that lifts it.`
      : `${n} steps stay masked by a hard rule, ${at}. Label each on its own to give the reason that lifts it.`,
  nothingToSettle: (step: number) => `Nothing to settle at step ${step}: nobody disagrees there`,
  reasonGiven: (reason: string, value: string, at: string) =>
    `“${reason}” is the reason for ${value} on ${at}`,
  andMore: (pieces: string, n: number) => `${pieces} and ${n} more`,
  did: (value: string, n: number, at: string) =>
    n === 1 ? `${value} on step ${at}` : `${value} on ${n} steps, ${at}`,
  settled: (value: string, n: number, at: string) =>
    n === 1 ? `Step ${at} is settled as ${value}` : `${n} steps are settled as ${value}, ${at}`,
  cleared: (n: number, at: string) => (n === 1 ? `Cleared step ${at}` : `Cleared ${n} steps, ${at}`),
  undid: (what: string) => `Undid ${what}`,
  redid: (what: string) => `Redid ${what}`,
  whatLabel: (value: string, n: number, at: string) =>
    n === 1 ? `${value} on step ${at}` : `${value} on ${n} steps, ${at}`,
  whatSettled: (value: string, n: number, at: string) =>
    n === 1 ? `settling step ${at} as ${value}` : `settling ${n} steps as ${value}, ${at}`,
  whatVote: (at: string) => `a judge’s vote on step ${at}`,
  whatCorrect: (at: string) => `the correction of step ${at}`,
  whatUncorrect: (at: string) => `withdrawing the correction of step ${at}`,
  whatAssign: (to: string, at: string) => `assigning ${at} to ${to}`,
  whatClear: (n: number, at: string) => (n === 1 ? `clearing step ${at}` : `clearing ${n} steps, ${at}`),
  whatComment: (at: string) => `the comment on step ${at}`,
  whatFlag: (at: string) => `the flag on step ${at}`,
  whatUnflag: (at: string) => `removing the flag on step ${at}`,
  hiddenByFilter: (step: number) => `Step ${step} is not labelled: the filter hides it`,
  showAll: 'Show all steps',
  hiddenByFold: (step: number) => `Step ${step} is not labelled: it is folded away`,
  unfold: 'Unfold',
  tooSoon: (step: number) =>
    `Step ${step} is not labelled: it has only just appeared. Press again to label it.`,
  noTimeline: 'No step is labelled here. Go to Watch or Review first.',
  notShown: 'not in the list',
  undoing: 'Nothing was labelled: the undo is not saved yet. Press again.',
  undo: 'Undo',
  redo: 'Redo',
  nothingToUndo: 'Nothing to undo in this run',
  nothingToRedo: 'Nothing to redo in this run',
  failed: (what: string, why: string) => `Not saved: ${what}. ${why}`,
  flagged: (at: number) => `Asked for a second opinion on step ${at}`,
  unflagged: (at: number) => `Withdrew the request for a second opinion on step ${at}`,
  commented: (at: number) => `Comment saved on step ${at}`,
  commentTitle: (at: number) => `Comment on step ${at}`,
  commentPlaceholder: 'What should the next annotator know?',
  commentSave: 'Save comment',
  repeatNothing: 'No label to repeat yet',
  saving: 'being saved',
  stack: (n: number) => `Labels of step ${n}`,
  history: (n: number) => `History ${n}`,
  you: 'You',
  rule: 'Rule',
  keepRule: 'Keep rule',
  person: 'Person',
  adjudication: 'Settled',
  wins: 'wins',
  hard: 'hard',
  noDecision: 'No decision yet',
  yoursWins: 'Your label would override every machine.',
  judge: 'Judge',
  judgeSays: (name: string, confidence: number | null) =>
    confidence === null ? `${name}, no confidence given` : `${name}, confidence ${confidence.toFixed(2)}`,
  rubric: (version: string) => `rubric ${version}`,
  cites: 'Cites',
  goTo: (step: number) => `Go to step ${step}`,
  withheldTitle: 'Opinions are hidden until you decide',
  withheldText:
    'You were asked for a blind second opinion. What people and machines say appears after your decision.',
  corrections: 'Corrected action',
  original: 'The original stays as it is.',
  comments: 'Comments',
  assigned: 'To review',
  assignedTo: (name: string, blind: boolean) => (blind ? `${name}, blind` : name),
  settle: 'People disagree. Settle it:',
  settleReason: (reason: string) => `Reason: ${reason}`,
  settleHint: 'A reason set with 1–9 or r is included.',
  takenBack: 'withdrawn',
  effective: 'Effective',
  effectiveEnd: '. ',
  version: (n: number) => `v${n}`,
  tied: 'Related to',
  noRules: 'No rule applies to this step.',
  decidedAt: (clock: string) => `decided ${clock}`,
  historyNone: 'No entry yet',
  opComment: (words: string) => `comment: ${words}`,
  opFlag: 'asked for a second opinion',
  opUnflag: 'withdrew the request',
  opUndo: 'undid an entry',
  opUndoOf: (what: string) => `undid ${what}`,
  opSettled: (value: string) => `settled as ${value}`,
  opVote: (value: string, reason: string) => `voted ${value}: ${reason}`,
  opVoteBack: 'withdrew its vote',
  opReward: (value: 1 | -1 | 0, vote: number) =>
    value === 0
      ? `rated the step (vote ${vote}): not understood`
      : `rated the step ${value === 1 ? '+1' : '−1'} (vote ${vote})`,
  opCorrect: (tool: string) => `corrected the action: ${tool}`,
  opUncorrect: 'withdrew the correction',
  opAssign: (name: string) => `asked ${name} to review`,
  opUnassign: (name: string) => `withdrew the review request to ${name}`,
  historyOf: (n: number) => (n === 1 ? '1 entry' : `${n} entries`),
  keep: 'KEEP',
  opHint: (verdict: HintVerdict | null): string =>
    verdict === null
      ? 'withdrew the verdict on the hint'
      : verdict === 'acted_on'
        ? 'the hint was acted on'
        : 'the hint was ignored',
  whatHint: (verdict: HintVerdict | null, at: string): string =>
    verdict === null
      ? `withdrawing a verdict on the hint at step ${at}`
      : `the verdict on the hint at step ${at}`,
  opClear: 'cleared',
  disagreement: 'opinions differ',
  why: (why: Why): string => {
    const { by = '', rules: named = '', kept = '', masked = '', judge = '', reason = '' } = why.params;
    switch (why.code) {
      case 'no_label':
        return 'No rule or person has labelled it. An undecided step blocks the export.';
      case 'adjudicated':
        return `${by} settled it as adjudicator${reason === '' ? '' : `: ${reasons[reason] ?? rules[reason] ?? reason}`}.`;
      case 'adjudications_differ':
        return `Adjudicators disagree: ${by}. The step counts as undecided.`;
      case 'human':
        return `${by} decided. People override machines${reason === '' ? '' : `: ${reasons[reason] ?? rules[reason] ?? reason}`}.`;
      case 'humans_differ':
        return `${by} disagree. The step counts as undecided until someone settles it.`;
      case 'hard_mask':
        return `${named} is a hard mask. Only a person can lift it, with a reason.`;
      case 'hard_mask_over_keep':
        return `${named} is a hard mask; the keep rule ${kept} does not lift it.`;
      case 'hard_mask_needs_reason':
        return `${by} says TRAIN without a reason; the hard mask ${named} stays until a reason is given.`;
      case 'soft_mask':
        return `${named} masks it. One machine mask is enough; a keep rule or a person can lift it.`;
      case 'judge_mask':
        return `The judge masks it: ${judge}.`;
      case 'rules_and_judge_mask':
        return `${named} and the judge mask it.`;
      case 'keep_rule':
        return `The keep rule ${named} applies, and nothing masks it.`;
      case 'keep_rule_over_mask':
        return `The keep rule ${named} beats the soft masks${masked === '' ? '' : ` ${masked}`}.`;
      case 'judge_keep':
        return 'The judge keeps it, and no rule masks it.';
      case 'judge_keep_over_rule':
        return `The judge overrides ${named} and keeps the step.`;
    }
  },
  liftTitle: (at: number) => `TRAIN on step ${at} needs a reason`,
  liftText:
    'A hard rule masks it: the action itself failed, or there was none. Only a person can lift that, with a reason.',
  liftReason: 'Reason',
  liftPlaceholder: 'Why should the model learn this?',
  liftDo: 'Label TRAIN',
};

export const retro = {
  region: 'What a hint contradicts',
  asks: (hint: number, at: string) =>
    `Hint ${hint} contradicts ${at.includes('–') ? 'steps' : 'step'} ${at}?`,
  shares: (step: number, words: string) => `step ${step}: ${words}`,
  andMore: (n: number) => `and ${n} more`,
  of: (n: number, all: number) => `${n} of ${all}`,
  accept: (at: string) => `Mask ${at}`,
  show: 'Show',
  showText: 'Goes to these steps and selects them, to trim the range',
  trimming: 'j and k move this end, V switches to the other, m masks, Esc cancels.',
  dismiss: 'Dismiss',
  dismissed: (hint: number) => `You will not be asked about hint ${hint} again`,
  none: 'No hint is known to contradict steps here',
};

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
    `${n} ${n === '1' ? 'step changes' : 'steps change'}: ${undecided} undecided, ${other} with the opposite label so far.`,
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

export const exchange = {
  merged: 'Labels merged',
  exported: 'Labels exported',
  from: 'From',
  people: 'By',
  nobody: 'nobody new',
  added: 'New here',
  known: 'Already here',
  runs: 'In runs',
  kept: 'Set aside',
  keptText: (entries: string, runs: string) =>
    `${plural(entries, 'entry', 'entries')} about ${plural(runs, 'run')} not in this workspace, or without these steps. They take effect once the runs arrive.`,
  differ: 'Steps on which opinions now differ',
  differText: 'Nothing was overwritten. Where people differ, the step is undecided until it is settled.',
  file: 'File',
  entries: 'Entries',
  exportText: 'Another annotator can import it with “Merge labels from a file…”.',
};
