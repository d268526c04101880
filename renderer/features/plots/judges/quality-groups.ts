import type { JudgeFigures } from '@shared/labels/judge-figures';
import type { JudgeQuality } from '@shared/labels/judge-quality';
import type { TaskVotes } from '@shared/labels/vote-tally';
import type { Text } from '../../../text/en';
import { type IntervalGroup, type IntervalRow, twoDigits } from './IntervalPlot';

/** Rows of a group that are drawn; the command line has all. */
const MOST = 15;

/** A judge against what counts as right, overall, by its reasons, and where rules speak; then the rules themselves. */
export function agreementGroups(judge: JudgeFigures, { rules }: JudgeQuality, text: Text): IntervalGroup[] {
  const words = text.judgeQuality;
  const { labels } = text;
  const { count } = text.common.format;
  const ruleName = ({ rule, effect }: { rule: string; effect: 'mask' | 'keep' }) =>
    (effect === 'mask' ? words.ruleMasks : words.ruleKeeps)(labels.ruleName(rule));
  return filled([
    {
      title: words.overall,
      rows: [
        { name: words.right, estimate: judge.accuracy },
        { name: words.kappa, estimate: judge.kappa },
        { name: words.precision, estimate: judge.maskPrecision },
        { name: words.recall, estimate: judge.maskRecall },
      ],
    },
    {
      title: words.byReason,
      rows: judge.byReason.map(({ reason, masked, right }) => ({
        name: reason === '' ? words.noReason : labels.reasonName(reason),
        estimate: right,
        note: right?.n === masked ? undefined : words.masked(count(masked)),
      })),
    },
    {
      title: words.byRule,
      rows: judge.byRule.map((each) => ({
        name: ruleName(each),
        estimate: each.right,
        note: each.same === null ? undefined : words.sameAsRule(percent(each.same.value)),
      })),
    },
    {
      title: words.rules,
      rows: rules.map((each) => ({
        name: ruleName(each),
        estimate: each.right,
        note: each.right?.n === each.steps ? undefined : text.common.steps(each.steps),
      })),
    },
  ]);
}

/** How far judges agree with each other, and people; and of ratings, with themselves and with the truth that was chosen. */
export function raterGroups(
  { amongJudges, amongPeople, pairs, people, rewards, truth }: JudgeQuality,
  text: Text,
): IntervalGroup[] {
  const words = text.judgeQuality;
  const ofPair = ({ one, other, raw, kappa }: JudgeQuality['pairs'][number]): IntervalRow[] => [
    { name: words.pairSame(one, other), estimate: raw },
    { name: words.pairKappa(one, other), estimate: kappa },
  ];
  return filled([
    {
      title: words.verdicts,
      rows: [
        ...(amongJudges === null ? [] : [{ name: words.allJudges, estimate: amongJudges }]),
        ...(amongPeople === null ? [] : [{ name: words.allPeople, estimate: amongPeople }]),
        ...[...pairs, ...people].flatMap(ofPair),
      ],
    },
    {
      title: words.ratings,
      rows: [
        ...rewards.raters.flatMap(({ judge, consistency, process }): IntervalRow[] => [
          ...(consistency === null ? [] : [{ name: words.consistency(judge), estimate: consistency }]),
          ...(process === null || process.votes === null || truth === null
            ? []
            : [
                { name: words.processVotes(judge, truth), estimate: process.votes },
                { name: words.processMajority(judge, truth), estimate: process.majority },
              ]),
        ]),
        ...rewards.pairs.flatMap(ofPair),
      ],
    },
  ]);
}

/** What votes tell of how runs ended, task by task (RLAnything, theorem 1): verdicts on masks, then ratings. */
export function outcomeGroups({ tasks, rewards }: JudgeQuality, text: Text): IntervalGroup[] {
  const words = text.judgeQuality;
  return filled([
    ...tasks.map((each) => ({ title: words.verdictsOn(each.task), rows: theoremRows(each, text) })),
    ...rewards.raters.flatMap(({ judge, tasks: rated }) =>
      rated.map((each) => ({
        title: words.ratingsOn(each.task, judge),
        rows: theoremRows(each, text),
      })),
    ),
  ]);
}

function theoremRows({ plus, minus, perStep, mu, separation, bound }: TaskVotes, text: Text): IntervalRow[] {
  const words = text.judgeQuality;
  return [
    { name: words.plus, estimate: plus },
    { name: words.minus, estimate: minus },
    separation === null || mu === null
      ? { name: words.separation, estimate: null, note: words.needsBoth }
      : {
          name: words.separation,
          estimate: { bare: separation },
          note: words.theorem(twoDigits(mu), String(perStep), bound === null ? null : bound.toFixed(3)),
          mark: bound,
        },
  ];
}

/** What became of verdicts when the rubric changed. */
export function rubricGroups({ drift }: JudgeQuality, text: Text): IntervalGroup[] {
  const words = text.judgeQuality;
  const { count } = text.common.format;
  return filled(
    drift.map(({ judge, before, after, steps, toMask, toKeep, precision, recall }) => ({
      title: `${words.change(judge, before, after)} · ${words.changed(count(toMask), count(toKeep), count(steps))}`,
      rows: [
        { name: words.precisionBefore, estimate: precision.before },
        { name: words.precisionAfter, estimate: precision.after },
        { name: words.recallBefore, estimate: recall.before },
        { name: words.recallAfter, estimate: recall.after },
      ],
    })),
  );
}

function filled(groups: readonly IntervalGroup[]): IntervalGroup[] {
  return groups.flatMap(({ title, rows }) =>
    rows.length === 0 ? [] : [{ title, rows: rows.slice(0, MOST) }],
  );
}

const percent = (share: number) => `${Math.round(share * 100)} %`;
