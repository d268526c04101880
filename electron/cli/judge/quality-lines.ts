import type { Estimate } from '@shared/labels/agreement';
import type { PairFigures } from '@shared/labels/judge-agreement';
import type { JudgeFigures } from '@shared/labels/judge-figures';
import type { JudgeQuality } from '@shared/labels/judge-quality';
import type { RaterFigures, RewardAgreement } from '@shared/labels/reward-agreement';
import type { RubricDrift } from '@shared/labels/rubric-drift';
import type { TaskVotes } from '@shared/labels/vote-tally';
import { counted, section } from '../output';
import { driftCells, percent } from './drift-words';

/** Reasons and rules that are told of each judge; `--json` has all. */
const REASONS = 9;

/** What `judge agreement` says to people. */
export function qualityLines({
  steps,
  known,
  truth,
  judges,
  rules,
  amongJudges,
  amongPeople,
  people,
  pairs,
  tasks,
  drift,
  rewards,
}: JudgeQuality): string[] {
  const ratings = [...rewards.raters.flatMap(raterLines), ...ratedPairLines(rewards)];
  if (ratings.length > 0 && judges.length === 0 && people.length === 0 && amongPeople === null)
    return ['Intervals are 95 % confidence intervals.', ...ratings];
  if (judges.length === 0 && people.length === 0 && amongPeople === null)
    return [
      'No judge has voted yet. Ask one with "judge run", or bring votes in with "label judge RUN FILE.jsonl".',
    ];
  return [
    `${counted(steps, 'step')} that a judge or a person has decided. Intervals are 95 % confidence intervals.`,
    ...(truth === null
      ? []
      : [`What ${truth} says counts as right; that is known of ${counted(known, 'step')}.`]),
    ...judges.flatMap(judgeLines),
    ...drift.flatMap(driftLines),
    ...section('Between raters', [
      ...(amongJudges === null ? [] : [['judges', `Fleiss’ κ ${figure(amongJudges)}`]]),
      ...(amongPeople === null ? [] : [['people', `Fleiss’ κ ${figure(amongPeople)}`]]),
      ...[...pairs, ...people].map(pairCells),
    ]),
    ...section(
      'Rules, on these steps',
      rules.map(({ rule, effect, steps: spoken, right }) => [
        rule,
        `${effect === 'mask' ? 'masks' : 'keeps'} ${spoken}${right === null ? '' : `, right ${percent(right)}`}`,
      ]),
    ),
    ...section('Votes and how runs ended', tasks.map(taskCells)),
    ...ratings,
  ];
}

function pairCells({ one, other, raw, kappa }: PairFigures): string[] {
  return [`${one} and ${other}`, `the same on ${percent(raw)}, Cohen’s κ ${figure(kappa)}`];
}

function raterLines({
  judge,
  rubrics,
  steps,
  plus,
  minus,
  unparsable,
  consistency,
  process,
  tasks,
}: RaterFigures): string[] {
  const rubric = rubrics.length === 0 ? '' : `, rubric ${rubrics.join(', ')}`;
  return section(`Steps rated by ${judge}: ${counted(steps, 'step')}${rubric}`, [
    ['votes', `${plus} of +1, ${minus} of −1, ${unparsable} not understood`],
    ['among its own votes', `Fleiss’ κ ${figure(consistency)}`],
    ...(process === null
      ? []
      : [
          ['votes that are right', percent(process.votes)],
          ['by their majority', `${percent(process.majority)}, Cohen’s κ ${figure(process.kappa)}`],
        ]),
    ...tasks.map(taskCells),
  ]);
}

function ratedPairLines({ pairs }: RewardAgreement): string[] {
  return section('Ratings of the same steps, by what most votes say', pairs.map(pairCells));
}

function judgeLines({
  judge,
  rubrics,
  votes,
  unparsable,
  contradicting,
  ...figures
}: JudgeFigures): string[] {
  const { accuracy, kappa, maskPrecision, maskRecall, byReason, byRule, bySureness, calibrationError } =
    figures;
  const odd = unparsable === 0 ? '' : `, ${unparsable} of them could not be understood`;
  const torn =
    contradicting === 0 ? '' : `, ${contradicting} of them contradict another vote of the same judge`;
  const rubric = rubrics.length === 0 ? '' : `, rubric ${rubrics.join(', ')}`;
  return section(`${judge}: ${counted(votes, 'vote')}${odd}${torn}${rubric}`, [
    ...(accuracy === null
      ? [['the right answer is not known for any of these steps', '']]
      : [
          ['right about', `${percent(accuracy)} of the steps whose answer is known`],
          ['Cohen’s κ', figure(kappa)],
          ...(maskPrecision === null ? [] : [['of its masks', `${percent(maskPrecision)} are right`]]),
          ...(maskRecall === null ? [] : [['of the right masks', `${percent(maskRecall)} are found`]]),
        ]),
    ...byReason
      .slice(0, REASONS)
      .map(({ reason, masked, right }) => [
        reason === '' ? '(no reason)' : reason,
        `${masked} masked${right === null ? '' : `, right ${percent(right)}`}`,
      ]),
    ...byRule
      .slice(0, REASONS)
      .map(({ rule, effect, steps, same, right }) => [
        `where ${rule} ${effect === 'mask' ? 'masks' : 'keeps'}`,
        `${counted(steps, 'step')}, the same on ${percent(same)}${right === null ? '' : `, right ${percent(right)}`}`,
      ]),
    ...(calibrationError === null
      ? []
      : [
          [
            'calibration error',
            `${whole(calibrationError)} %, the average gap between how sure it is and how often it is right`,
          ],
        ]),
    ...bySureness.map(({ sure, right }) => [`${whole(sure)} % sure`, `right ${percent(right)}`]),
  ]);
}

function driftLines({
  judge,
  before,
  after,
  steps,
  toMask,
  toKeep,
  precision,
  recall,
}: RubricDrift): string[] {
  const hasTruth = precision.before !== null || precision.after !== null || recall.after !== null;
  return section(`${judge}: rubric ${before}, then ${after}, on ${counted(steps, 'step')}`, [
    ['changed', `${toMask} from KEEP to MASK, ${toKeep} from MASK to KEEP`],
    ...(hasTruth ? driftCells({ precision, recall }, 'the right') : []),
  ]);
}

function taskCells({ task, perStep, plus, minus, mu, separation, bound }: TaskVotes): string[] {
  const least = bound === null ? '' : ` (at least ${bound.toFixed(3)} by theorem)`;
  return [
    task,
    `m ${perStep}`,
    `p₊ ${figure(plus)}`,
    `p₋ ${figure(minus)}`,
    mu === null || separation === null
      ? 'needs scored runs of both kinds: some that succeeded and some that failed'
      : `μ ${mu.toFixed(2)}, A ${separation.toFixed(3)}${least}`,
  ];
}

const figure = (estimate: Estimate | null) =>
  estimate === null
    ? 'unknown'
    : `${estimate.value.toFixed(2)} (${estimate.low.toFixed(2)} to ${estimate.high.toFixed(2)}, n = ${estimate.n})`;

const whole = (share: number) => (100 * share).toFixed(0);
