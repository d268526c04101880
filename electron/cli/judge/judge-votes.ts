import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { type AnnotationFold, foldAnnotations } from '@shared/labels/annotation-fold';
import { authorName } from '@shared/labels/author-name';
import { type AnnotationOp, judgeAuthor } from '@shared/log/annotations';
import { z } from 'zod';
import { allAnnotations } from '../../dataset/event-pages';
import { linesOfRegularFile } from '../../files/regular-file';
import { stepOwners } from '../../review/step-owners';
import type { Said } from '../../store/values';
import { type Arguments, required } from '../arguments';
import type { CliContext } from '../context';
import { type CommandResult, counted } from '../output';
import { named } from '../run-commands';

const SURE = 'must be a number from 0 to 1';

/** One vote per line; a later line of the same judge about the same step replaces the earlier one. */
const voteLine = z.strictObject({
  step: z.int().positive(),
  judge: authorName,
  value: z.enum(['mask', 'keep', 'withdrawn'], 'must be mask, keep or withdrawn'),
  confidence: z.number(SURE).min(0, SURE).max(1, SURE).nullable().default(null),
  reason: z.string().max(80).default(''),
  why: z.string().max(10_000).default(''),
  steps: z.array(z.int().positive()).max(200).default([]),
  rubric: z.string().max(120).default(''),
});
type Vote = z.infer<typeof voteLine>;

/** 32 MB are more than 100,000 votes; a line holds 12,000 characters of words at most, escaped. */
const LIMITS = { most: 32 * 1024 ** 2, line: 1024 ** 2, outcome: 'No vote was imported.' };
/** Bad lines that are named. */
const NAMED = 10;
/** Bad lines at which reading ends: a file of another kind is none but such, and telling what is wrong with each takes its time. */
const MOST_BAD = 10_000;
/** Votes that are stored together. */
const TOGETHER = 200;

/**
 * `label judge RUN FILE.jsonl`: brings in votes that a judge gave elsewhere. Each judge is the author of its votes. Nothing is
 * taken when any line is bad; votes that stand already are left alone, so the same file may be brought in again.
 * Votes on steps of a removed run are left out.
 */
export async function judgeVotes(context: CliContext, args: Arguments): Promise<CommandResult> {
  const run = await named(context, args.words[2]);
  const file = resolve(required(args.words[3], 'The file of votes'));
  const { steps } = await context.reader.run(run);
  const votes = parseVotes(file, steps);
  const owners = await stepOwners(context.reader, run);
  const standing = new Standing(context);
  let added = 0;
  let gone = 0;
  for (let at = 0; at < votes.length; at += TOGETHER) {
    const said = new Map<string, Said[]>();
    for (const vote of votes.slice(at, at + TOGETHER)) {
      const { step, judge } = vote;
      const owner = owners.find(({ from, to }) => from <= step && step <= to);
      gone += owner?.gone === true ? 1 : 0;
      if (owner === undefined || owner.gone || (await standing.has(owner.run, vote))) continue;
      const target = { run: owner.run, from: step, to: step };
      said.set(judge, [...(said.get(judge) ?? []), { target, op: opOf(vote) }]);
      added += 1;
    }
    await Promise.all(
      [...said].map(([judge, each]) => context.store.writer.annotateEach(judgeAuthor(judge), each)),
    );
  }
  const judges = [...new Set(votes.map(({ judge }) => judge))].sort();
  const unchanged = votes.length - added - gone;
  const lines = [
    `${added === 0 ? 'Imported no votes' : `Imported ${counted(added, 'vote')} by ${judges.join(', ')}`}; ${unchanged} ${unchanged === 1 ? 'was' : 'were'} already here.`,
    `${counted(gone, 'vote')} left out: the run that made these steps has been removed.`,
  ];
  return { json: { run, added, unchanged, gone, judges }, lines: lines.slice(0, gone === 0 ? 1 : 2) };
}

function opOf({ step: _, judge: __, ...vote }: Vote): AnnotationOp {
  return { op: 'judge', ...vote };
}

/** The last vote of each judge on each step, in the order of the file. */
function parseVotes(file: string, steps: number): Vote[] {
  const votes = new Map<string, Vote>();
  const named: string[] = [];
  let bad = 0;
  let number = 0;
  for (const line of linesOfRegularFile(file, file, LIMITS)) {
    number += 1;
    // Some programs begin a file with a byte order mark.
    const said = number === 1 ? line.replace(/^\ufeff/, '') : line;
    if (said.trim() === '') continue;
    const vote = parseVote(said, steps);
    if (typeof vote !== 'string') votes.set(`${vote.step} ${vote.judge}`, vote);
    else {
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
  return [...votes.values()];
}

/** The vote, or what is wrong with the line. */
function parseVote(line: string, steps: number): Vote | string {
  let json: unknown;
  try {
    json = JSON.parse(line);
  } catch {
    return 'not valid JSON';
  }
  const parsed = voteLine.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.') || 'the vote'}: ${issue?.message ?? 'not understood'}`;
  }
  const beyond = [parsed.data.step, ...parsed.data.steps].find((step) => step > steps);
  return beyond === undefined ? parsed.data : `there is no step ${beyond}, the run has ${steps}`;
}

/** What the judges say already, by the run that holds a step. */
class Standing {
  private readonly folds = new Map<string, AnnotationFold>();

  constructor(private readonly context: CliContext) {}

  async has(
    run: string,
    { step, judge, value, confidence, reason, why, steps, rubric }: Vote,
  ): Promise<boolean> {
    const fold = this.folds.get(run) ?? foldAnnotations(await allAnnotations(this.context.reader, run));
    this.folds.set(run, fold);
    const mine = fold.at(step).judges.filter((vote) => vote.judge === judge);
    if (value === 'withdrawn') return mine.length === 0;
    const said = JSON.stringify([value, confidence, reason, why, steps, rubric]);
    return (
      mine.length === 1 &&
      mine.every(
        (vote) =>
          said ===
          JSON.stringify([vote.value, vote.confidence, vote.reason, vote.why, vote.steps, vote.rubric]),
      )
    );
  }
}
