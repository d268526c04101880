import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { type AnnotationFold, foldAnnotations } from '@shared/labels/annotation-fold';
import { authorName } from '@shared/labels/author-name';
import { type AnnotationOp, judgeAuthor, MOST_JUDGE_TEXT } from '@shared/log/annotations';
import { z } from 'zod';
import { allAnnotations } from '../../dataset/event-pages';
import { linesOfRegularFile } from '../../files/regular-file';
import { refusePersonsName } from '../../judging/asking';
import { stepOwners } from '../../review/step-owners';
import type { Said } from '../../store/values';
import { type Arguments, required } from '../arguments';
import type { CliContext } from '../context';
import { type CommandResult, counted } from '../output';
import { named } from '../run-commands';

const SURE = 'must be a number from 0 to 1';

/** One vote per line; a later line of the same judge about the same step replaces the earlier one. */
const maskLine = z.strictObject({
  step: z.int().positive(),
  judge: authorName,
  value: z.enum(['mask', 'keep', 'withdrawn'], 'must be mask, keep or withdrawn'),
  confidence: z.number(SURE).min(0, SURE).max(1, SURE).nullable().default(null),
  reason: z.string().max(80).default(''),
  why: z.string().max(10_000).default(''),
  steps: z.array(z.int().positive()).max(200).default([]),
  rubric: z.string().max(120).default(''),
});

/** A rating of a step is told by its number; a later line about the same vote of the same judge replaces the earlier one. */
const rewardLine = z.strictObject({
  step: z.int().positive(),
  judge: authorName,
  value: z.union([z.literal(1), z.literal(-1), z.literal(0)], 'must be 1, -1 or 0'),
  /** Which of the judge's votes on the step. */
  vote: z.int().min(1).max(1_000).default(1),
  text: z.string().max(MOST_JUDGE_TEXT).default(''),
  reasoning: z.string().max(MOST_JUDGE_TEXT).optional(),
  rubric: z.string().max(120).default(''),
  /** It was to weigh what the step does to the outcome. */
  future: z.boolean().default(true),
});
type MaskVote = z.infer<typeof maskLine>;
type RewardVote = z.infer<typeof rewardLine>;
type Vote = MaskVote | RewardVote;

const isReward = (vote: Vote): vote is RewardVote => typeof vote.value === 'number';

/** 32 MB are more than 100,000 votes; a line holds 12,000 characters of words at most, escaped. */
const LIMITS = { most: 32 * 1024 ** 2, line: 1024 ** 2, outcome: 'No vote was imported.' };
/** Bad lines that are named. */
const NAMED = 10;
/** Bad lines at which reading ends: a file of another kind is none but such, and telling what is wrong with each takes its time. */
const MOST_BAD = 10_000;
/** Votes that are stored together. */
const TOGETHER = 200;

/**
 * `label judge RUN FILE.jsonl`: brings in votes that a judge gave elsewhere, on masks or on whether steps are good. Each judge is the author of its votes. Nothing is
 * taken when any line is bad; votes that stand already are left alone, so the same file may be brought in again.
 * Votes on steps of a removed run are left out.
 */
export async function judgeVotes(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[2]);
  const file = resolve(required(args.words[3], 'The file of votes'));
  const { steps } = await context.reader.run(run);
  const { votes, replaced } = parseVotes(file, steps);
  const judges = [...new Set(votes.map(({ judge }) => judge))].sort();
  const voting = votes.flatMap(({ judge, value }) => (value === 'withdrawn' ? [] : [judge]));
  await refusePersonsName(context, [...new Set(voting)], context.author, ` in ${file}`);
  const owners = await stepOwners(context.reader, run);
  const standing = new Standing(context);
  let added = 0;
  let gone = 0;
  let withdrew = 0;
  for (let at = 0; at < votes.length; at += TOGETHER) {
    const said = new Rounds();
    for (const vote of votes.slice(at, at + TOGETHER)) {
      const { step, judge } = vote;
      const owner = owners.find(({ from, to }) => from <= step && step <= to);
      gone += owner?.gone === true ? 1 : 0;
      if (owner === undefined || owner.gone) continue;
      if (await standing.has(owner.run, vote)) {
        withdrew += vote.value === 'withdrawn' ? 1 : 0;
        continue;
      }
      said.add(judge, { target: { run: owner.run, from: step, to: step }, op: opOf(vote) });
      added += 1;
    }
    for (const round of said.rounds) {
      await Promise.all(
        [...round].map(([judge, each]) => context.store.writer.annotateEach(judgeAuthor(judge), each)),
      );
    }
  }
  const unchanged = votes.length - added - gone;
  const known = unchanged - withdrew;
  const lines = [
    `${added === 0 ? 'Imported no votes' : `Imported ${counted(added, 'vote')} by ${judges.join(', ')}`}; ${known} ${known === 1 ? 'was' : 'were'} already here.`,
    ...(withdrew === 0 ? [] : [`${counted(withdrew, 'withdrawal')} found no vote to withdraw.`]),
    ...(gone === 0
      ? []
      : [`${counted(gone, 'vote')} left out: the run that made these steps has been removed.`]),
    ...(replaced === 0
      ? []
      : [
          `${counted(replaced, 'line')} not taken: a later line of the same judge says something else of the same vote.`,
        ]),
  ];
  return { json: { run, added, unchanged, gone, replaced, judges }, lines };
}

function opOf(vote: Vote): AnnotationOp {
  if (isReward(vote)) {
    const { step: _, judge: __, ...rating } = vote;
    return { op: 'reward', ...rating };
  }
  const { step: _, judge: __, ...verdict } = vote;
  return { op: 'judge', ...verdict };
}

/** The last word of each judge on each step, of ratings on each vote, in the order of the file. */
function parseVotes(file: string, steps: number): { votes: Vote[]; replaced: number } {
  const votes = new Map<string, Vote>();
  let replaced = 0;
  const named: string[] = [];
  let bad = 0;
  let number = 0;
  for (const line of linesOfRegularFile(file, file, LIMITS)) {
    number += 1;
    // Some programs begin a file with a byte order mark.
    const said = number === 1 ? line.replace(/^\ufeff/, '') : line;
    if (said.trim() === '') continue;
    const vote = parseVote(said, steps);
    if (typeof vote !== 'string') {
      const key = keyOf(vote);
      replaced += differs(votes.get(key), vote) ? 1 : 0;
      votes.set(key, vote);
    } else {
      if (bad < NAMED) named.push(`line ${number}: ${vote}`);
      bad += 1;
      if (bad === MOST_BAD) break;
    }
  }
  if (bad > 0) {
    const rest = bad === MOST_BAD ? `at least ${bad - NAMED}` : bad - NAMED;
    const more = bad > NAMED ? `; and ${rest} more` : '';
    throw new WaymarkError(
      'bad_input',
      `Nothing was imported from ${file}: ${named.join('; ')}${more}. Fix ${bad === 1 ? 'the line' : 'the lines'} and import it again.`,
    );
  }
  if (votes.size === 0)
    throw new WaymarkError('bad_input', `${file} holds no votes. Write one JSON object a line.`);
  return { votes: [...votes.values()], replaced };
}

/** Whether the file says something else of the same vote in an earlier line. */
const differs = (earlier: Vote | undefined, vote: Vote) =>
  earlier !== undefined && JSON.stringify(earlier) !== JSON.stringify(vote);

const keyOf = (vote: Vote) => `${vote.step} ${isReward(vote) ? vote.vote : 'mask'} ${vote.judge}`;

/** The vote, or what is wrong with the line. */
function parseVote(line: string, steps: number): Vote | string {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return 'not valid JSON';
  }
  const isRating = typeof (json as { value?: unknown } | null)?.value === 'number';
  const parsed = (isRating ? rewardLine : maskLine).safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') || 'the vote'}: ${issue?.message ?? 'not understood'}`;
  }
  const vote: Vote = parsed.data;
  const named = isReward(vote) ? [vote.step] : [vote.step, ...vote.steps];
  const beyond = named.find((step) => step > steps);
  return beyond === undefined ? vote : `there is no step ${beyond}, the run has ${steps}`;
}

/** What is stored together says one thing of each step, so several votes of a judge on a step are stored in turn. */
class Rounds {
  readonly rounds: Map<string, Said[]>[] = [];
  private readonly turns = new Map<string, number>();

  add(judge: string, said: Said): void {
    const { run, from } = said.target;
    const key = `${run} ${from} ${judge}`;
    const turn = this.turns.get(key) ?? 0;
    this.turns.set(key, turn + 1);
    const round = this.rounds[turn] ?? new Map<string, Said[]>();
    this.rounds[turn] = round;
    const known = round.get(judge);
    if (known === undefined) round.set(judge, [said]);
    else known.push(said);
  }
}

/** What the judges say already, by the run that holds a step. */
class Standing {
  private readonly folds = new Map<string, AnnotationFold>();

  constructor(private readonly context: CliContext) {}

  async has(run: string, vote: Vote): Promise<boolean> {
    const fold = this.folds.get(run) ?? foldAnnotations(await allAnnotations(this.context.reader, run));
    this.folds.set(run, fold);
    if (isReward(vote)) return hasRating(fold, vote);
    const { step, judge, value, confidence, reason, why, steps, rubric } = vote;
    const mine = fold.at(step).judges.filter((each) => each.judge === judge);
    if (value === 'withdrawn') return mine.length === 0;
    const said = JSON.stringify([value, confidence, reason, why, steps, rubric]);
    return (
      mine.length === 1 &&
      mine.every(
        (each) =>
          said ===
          JSON.stringify([each.value, each.confidence, each.reason, each.why, each.steps, each.rubric]),
      )
    );
  }
}

function hasRating(fold: AnnotationFold, vote: RewardVote): boolean {
  const inWords = ({ value, text, reasoning = '', rubric, future }: RewardVote) =>
    JSON.stringify([value, text, reasoning, rubric, future]);
  const mine = fold
    .at(vote.step)
    .rewards.filter((each) => each.judge === vote.judge && each.vote === vote.vote);
  return mine.length === 1 && mine.every((each) => inWords({ ...each, step: vote.step }) === inWords(vote));
}
