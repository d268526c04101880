import { WaymarkError } from '@shared/contract/errors';
import { joined, type StepRange } from '@shared/contract/step-range';
import type { Estimate } from '@shared/labels/agreement';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import {
  type JudgeAgreement,
  type JudgeFigures,
  judgeAgreement,
  peopleSay,
  type StepOpinions,
  type TaskVotes,
} from '@shared/labels/judge-agreement';
import {
  type RatedStep,
  type RaterFigures,
  type RewardAgreement,
  rewardAgreement,
} from '@shared/labels/reward-agreement';
import { type JudgedEntries, type RubricDrift, rubricDrift } from '@shared/labels/rubric-drift';
import { finalScore } from '@shared/runs/scores';
import { allAnnotations } from '../../dataset/event-pages';
import { successAt } from '../../dataset/learning/step-rewards';
import { stepOwners } from '../../review/step-owners';
import { creationOf } from '../../runs/steer/change-run';
import type { Arguments } from '../arguments';
import type { CliContext } from '../context';
import { type CommandResult, counted, section } from '../output';
import { named } from '../run-commands';
import { driftCells, percent } from './drift-words';
import { listBatches, namedBatch, showBatch } from './judge-batches';
import { judgePrompt } from './judge-prompt';
import { rubricCommand } from './judge-rubric';
import { estimateJudge, resumeJudge, runJudge } from './judge-run';

/** Reasons that are told of each judge; `--json` has all. */
const REASONS = 9;

/** `judge …`: asks a model about steps, says what that would cost, what became of it, or how far votes agree. */
export async function judgeCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, word, ...more] = args.words;
  if (verb === 'rubric') return rubricCommand(context, args);
  if (verb === 'prompt' && more.length === 1) return judgePrompt(context, args);
  if (more.length === 0) {
    if (verb === 'show') return showBatch(context, await namedBatch(context, word));
    if (verb === 'resume') return resumeJudge(context, args, await namedBatch(context, word));
  }
  if (word === undefined) {
    if (verb === 'run') return runJudge(context, args, await runsOf(context, args));
    if (verb === 'estimate') return estimateJudge(context, args, await runsOf(context, args));
    if (verb === 'list') return listBatches(context);
    if (verb === 'agreement') return agreement(context, await runsOf(context, args));
  }
  throw new WaymarkError(
    'bad_input',
    'Write "judge run", "judge estimate" or "judge agreement", with --run RUN for some runs only; "judge list", "judge show BATCH" or "judge resume BATCH"; "judge prompt RUN STEP --judge NAME"; "judge rubric show --task T". Votes given elsewhere are brought in with "label judge RUN FILE.jsonl".',
  );
}

/** Those that are named, else all. */
async function runsOf(context: CliContext, { values }: Arguments): Promise<string[]> {
  const asked = values.run ?? [];
  const runs =
    asked.length > 0
      ? await Promise.all(asked.map((word) => named(context, word)))
      : (await context.reader.runs()).map(({ id }) => id);
  return [...new Set(runs)];
}

/** How far the votes that stand in the workspace agree with people, with each other and with how runs ended. */
async function agreement(context: CliContext, runs: readonly string[]): Promise<CommandResult> {
  const asked = new Map<string, StepRange[]>();
  for (const run of runs) {
    for (const { run: owner, from, to, gone } of await stepOwners(context.reader, run)) {
      if (!gone && from <= to) asked.set(owner, [...(asked.get(owner) ?? []), { from, to }]);
    }
  }
  const all: { steps: (StepOpinions & RatedStep)[]; judged: JudgedEntries }[] = [];
  for (const [run, ranges] of asked) all.push(await opinionsIn(context, run, joined(ranges)));
  const found = {
    ...judgeAgreement(all.flatMap(({ steps }) => steps)),
    drift: rubricDrift(all.map(({ judged }) => judged)),
    rewards: rewardAgreement(all.flatMap(({ steps }) => steps)),
  };
  return { json: found, lines: linesOf(found) };
}

/** What is said of these steps, in the run they were made in. */
async function opinionsIn(
  { reader, store }: CliContext,
  run: string,
  ranges: readonly StepRange[],
): Promise<{ steps: (StepOpinions & RatedStep)[]; judged: JudgedEntries }> {
  const entries = await allAnnotations(reader, run);
  const fold = foldAnnotations(entries, ranges);
  const judged = { entries, within: ranges, truth: (step: number) => peopleSay(fold.at(step).humans) };
  if (entries.length === 0) return { steps: [], judged };
  const [summary, created] = await Promise.all([reader.run(run), creationOf(store, run)]);
  const score = finalScore(summary.scores);
  const outcome = score === null ? null : score >= successAt(created.spec) ? 1 : -1;
  const steps = ranges.flatMap(({ from, to }) =>
    Array.from({ length: to - from + 1 }, (_, at) => {
      const { humans, judges, rewards } = fold.at(from + at);
      return { humans, judges, rewards, task: created.task.id, outcome } as const;
    }),
  );
  return { steps, judged };
}

function linesOf({
  steps,
  judges,
  amongJudges,
  amongPeople,
  people,
  tasks,
  drift,
  rewards,
}: Agreement): string[] {
  const ratings = [...rewards.raters.flatMap(raterLines), ...pairLines(rewards)];
  if (ratings.length > 0 && judges.length === 0 && people.length === 0 && amongPeople === null)
    return ['Intervals are 95 % confidence intervals.', ...ratings];
  if (judges.length === 0 && people.length === 0 && amongPeople === null)
    return [
      'No judge has voted yet. Ask one with "judge run", or bring votes in with "label judge RUN FILE.jsonl".',
    ];
  return [
    `${counted(steps, 'step')} that a judge or a person spoke of. Intervals are 95 % confidence intervals.`,
    ...judges.flatMap(judgeLines),
    ...drift.flatMap(driftLines),
    ...section('Among each other', [
      ...(amongJudges === null ? [] : [['judges', `Fleiss’ κ ${figure(amongJudges)}`]]),
      ...(amongPeople === null ? [] : [['people', `Fleiss’ κ ${figure(amongPeople)}`]]),
      ...people.map(({ one, other, raw, kappa }) => [
        `${one} and ${other}`,
        `the same on ${percent(raw)}, Cohen’s κ ${figure(kappa)}`,
      ]),
    ]),
    ...section('Votes and how runs ended', tasks.map(taskCells)),
    ...ratings,
  ];
}

function raterLines({
  judge,
  rubrics,
  steps,
  plus,
  minus,
  unparsable,
  consistency,
  tasks,
}: RaterFigures): string[] {
  return section(`Steps rated by ${judge}: ${counted(steps, 'step')}, rubric ${rubrics.join(', ')}`, [
    ['votes', `${plus} of +1, ${minus} of −1, ${unparsable} not understood`],
    ['among its own votes', `Fleiss’ κ ${figure(consistency)}`],
    ...tasks.map(taskCells),
  ]);
}

function pairLines({ pairs }: RewardAgreement): string[] {
  const cells = pairs.map(({ one, other, raw, kappa }) => [
    `${one} and ${other}`,
    `the same on ${percent(raw)}, Cohen’s κ ${figure(kappa)}`,
  ]);
  return section('Ratings of the same steps, by what most votes say', cells);
}

type Agreement = JudgeAgreement & { drift: RubricDrift[]; rewards: RewardAgreement };

function judgeLines({
  judge,
  rubrics,
  votes,
  unparsable,
  contradicting,
  ...figures
}: JudgeFigures): string[] {
  const { accuracy, kappa, maskPrecision, maskRecall, byReason, bySureness, calibrationError } = figures;
  const odd = unparsable === 0 ? '' : `, ${unparsable} of them could not be understood`;
  const torn = contradicting === 0 ? '' : `, ${contradicting} of them contradict another one of its own`;
  const rubric = rubrics.length === 0 ? '' : `, rubric ${rubrics.join(', ')}`;
  return section(`${judge}: ${counted(votes, 'vote')}${odd}${torn}${rubric}`, [
    ...(accuracy === null
      ? [['none of these steps has a label that people agree on', '']]
      : [
          ['right about', `${percent(accuracy)} of the steps that people labelled`],
          ['Cohen’s κ', figure(kappa)],
          ...(maskPrecision === null ? [] : [['of its masks', `${percent(maskPrecision)} are right`]]),
          ...(maskRecall === null ? [] : [['of people’s masks', `${percent(maskRecall)} are found`]]),
        ]),
    ...byReason
      .slice(0, REASONS)
      .map(({ reason, masked, right }) => [
        reason === '' ? '(no reason)' : reason,
        `${masked} masked${right === null ? '' : `, right ${percent(right)}`}`,
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
    ...(hasTruth ? driftCells({ precision, recall }) : []),
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
