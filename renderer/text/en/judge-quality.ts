import { plural } from './common';

/** "How good is the judge": figures on judges, in the plots. */
export const judgeQuality = {
  title: 'How good is the judge?',
  scope: 'Runs',
  thisRun: 'This run',
  allRuns: 'All runs',
  judge: 'Judge',
  truth: 'Compared with',
  people: 'What people agree on',
  person: (name: string) => `${name} (person)`,
  otherJudge: (name: string) => `${name} (judge)`,
  views: {
    agreement: 'Agreement',
    calibration: 'Calibration',
    raters: 'Between raters',
    outcomes: 'Votes and outcomes',
    rubrics: 'Rubrics',
  },
  counting: 'Counting…',
  nothing: 'No judge has voted here yet',
  nothingText: 'Ask a judge, and this page shows how far it can be trusted.',
  ask: 'Ask a judge',
  none: {
    agreement: 'None of the steps it voted on has a known answer yet. Label some of them first.',
    calibration: 'None of its votes has both a confidence and a known answer yet.',
    raters: 'No step has been labelled, judged or rated by two raters yet.',
    outcomes: 'No judge has voted on a step of these runs yet.',
    rubrics: 'No step has been judged with two versions of a rubric yet.',
  },
  noneVoted: (judge: string) => `${judge} has rated steps, but has no verdicts on masks.`,
  withheld: (n: number) =>
    `${plural(n, 'step')} left out: you have not decided ${n === 1 ? 'it' : 'them'} yet.`,
  interval: 'Bars are 95 % confidence intervals.',
  figure: (value: string, low: string, high: string, n: string) => `${value} (${low} to ${high}), n = ${n}`,
  unknown: 'unknown',

  agreementOf: (judge: string) => `${judge}: agreement`,
  agreementSummary: (judge: string, votes: string, accuracy: string, kappa: string) =>
    `${judge} voted on ${plural(votes, 'step')}. Accuracy: ${accuracy}. Cohen’s κ: ${kappa}.`,
  odd: (unparsable: number, contradicting: number) =>
    [
      ...(unparsable > 0 ? [`${plural(unparsable, 'vote')} could not be read.`] : []),
      ...(contradicting > 0
        ? [
            `${plural(contradicting, 'vote')} ${contradicting === 1 ? 'contradicts' : 'contradict'} another vote of the same judge.`,
          ]
        : []),
    ].join(' '),
  overall: 'Overall',
  right: 'Accuracy',
  kappa: 'Cohen’s κ',
  precision: 'Its masks that are right (precision)',
  recall: 'Right masks that it finds (recall)',
  byReason: 'Its masks, by reason',
  noReason: 'No reason',
  masked: (n: string) => `${n} masked`,
  byRule: 'Accuracy where a rule applies',
  ruleMasks: (rule: string) => `${rule} (masks)`,
  ruleKeeps: (rule: string) => `${rule} (keeps)`,
  sameAsRule: (share: string) => `agrees with it on ${share}`,
  rules: 'The rules themselves, on these steps',

  calibrationOf: (judge: string) => `${judge}: calibration`,
  calibrationSummary: (error: string, votes: string) =>
    `On average its confidence differs from how often it is right by ${error} percentage points, over ${plural(votes, 'vote')}.`,
  confidence: 'Confidence',
  rightShare: 'Accuracy',
  perfect: 'confidence equals accuracy',
  band: (sure: string, right: string, n: string) => `${sure} sure: ${right} of ${plural(n, 'vote')} right`,

  ratersTitle: 'Agreement between raters',
  ratersSummary: (n: string) =>
    `${plural(n, 'figure')}. κ counts agreement beyond chance: 0 is chance, 1 is complete.`,
  verdicts: 'Verdicts and labels',
  allJudges: 'All judges, Fleiss’ κ',
  allPeople: 'All people, Fleiss’ κ',
  pairSame: (one: string, other: string) => `${one} and ${other}, same`,
  pairKappa: (one: string, other: string) => `${one} and ${other}, κ`,
  ratings: 'Ratings of steps',
  consistency: (judge: string) => `${judge}, own votes, Fleiss’ κ`,
  processVotes: (judge: string, truth: string) => `${judge}, votes that agree with ${truth}`,
  processMajority: (judge: string, truth: string) => `${judge}, majority agrees with ${truth}`,

  outcomesTitle: 'Votes and how runs ended',
  outcomesSummary: (tasks: string) =>
    `${plural(tasks, 'task')}. p₊: votes for steps of successful runs. p₋: votes against steps of failed runs. A: how often the votes on a good step add up to more than those on a bad one.`,
  verdictsOn: (task: string) => `${task}, verdicts on masks`,
  ratingsOn: (task: string, judge: string) => `${task}, ratings by ${judge}`,
  plus: 'p₊',
  minus: 'p₋',
  separation: 'A',
  theorem: (mu: string, m: string, bound: string | null) =>
    `μ = ${mu}, m = ${m}${bound === null ? '' : `, at least ${bound}`}`,
  needsBoth: 'needs scored runs of both outcomes',

  rubricsTitle: 'Before and after a change of the rubric',
  rubricsSummary: (n: string) =>
    `${plural(n, 'change')} of a rubric, on steps that were judged with both versions.`,
  change: (judge: string, before: string, after: string) => `${judge}: ${before} → ${after}`,
  changed: (toMask: string, toKeep: string, steps: string) =>
    `${toMask} keep → mask, ${toKeep} mask → keep, of ${plural(steps, 'step')}`,
  precisionBefore: 'Masks that are right, before',
  precisionAfter: 'Masks that are right, after',
  recallBefore: 'Right masks found, before',
  recallAfter: 'Right masks found, after',

  columns: {
    group: 'Group',
    figure: 'Figure',
    value: 'Value',
    low: 'Low',
    high: 'High',
    n: 'n',
    note: 'Note',
    from: 'Confidence from',
    to: 'Confidence to',
    sure: 'Mean confidence',
  },
};
