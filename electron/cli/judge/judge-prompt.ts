import { WaymarkError } from '@shared/contract/errors';
import { foldAnnotations } from '@shared/labels/annotation-fold';
import { allAnnotations } from '../../dataset/event-pages';
import { type Judgement, readJudgement } from '../../judging/judgement';
import { stepOwners } from '../../review/step-owners';
import { type Arguments, positive, required } from '../arguments';
import type { CliContext } from '../context';
import { setOff } from '../fold-quoted';
import type { CommandResult } from '../output';
import { named } from '../run-commands';

interface Asked {
  request?: string | undefined;
  batch?: string | undefined;
}

/**
 * `judge prompt RUN STEP --judge NAME`: the exact body that the judge was sent about the step, proved by its hash. With `--vote N`
 * or without a verdict on the mask, that of a rating.
 */
export async function judgePrompt(context: CliContext, { words, values }: Arguments): Promise<CommandResult> {
  const run = await named(context, words[2]);
  const step = positive(required(words[3], 'The step'), 'The step') ?? 1;
  const judge = required(values.judge, '--judge (the name that the votes are signed with)');
  const vote = await standingVote(context, { run, step, judge }, values.vote);
  const found = await readJudgement(context.store, vote);
  return {
    json: { run, step, judge, ...found },
    lines: linesOf(found),
    exitCode: found.verified ? 0 : 1,
  };
}

async function standingVote(
  { reader }: CliContext,
  { run, step, judge }: { run: string; step: number; judge: string },
  number: string | undefined,
): Promise<Asked> {
  const owner = (await stepOwners(reader, run)).find(({ from, to }) => from <= step && step <= to);
  if (owner === undefined || owner.gone)
    throw new WaymarkError('not_found', `Run ${run} has no step ${step} that is still here.`);
  const entries = await allAnnotations(reader, owner.run);
  const { judges, rewards } = foldAnnotations(entries, [{ from: step, to: step }]).at(step);
  const verdict = judges.find((each) => each.judge === judge);
  const wanted = number === undefined ? null : positive(number, '--vote');
  const rating = rewards.find((each) => each.judge === judge && (wanted === null || each.vote === wanted));
  const chosen = wanted === null ? (verdict ?? rating) : rating;
  const entry = entries.find(({ ulid }) => ulid === chosen?.entry);
  if (entry?.body.op === 'judge' || entry?.body.op === 'reward') return entry.body;
  throw new WaymarkError(
    'not_found',
    `${judge} has no ${wanted === null ? '' : 'such '}vote on step ${step}.`,
  );
}

interface Sent {
  messages?: { role?: unknown; content?: unknown }[];
}

function linesOf({ batch, sha256, rebuiltSha256, verified, body }: Judgement): string[] {
  const { messages = [], ...rest } = JSON.parse(body) as Sent;
  return [
    ...messages.flatMap(({ role, content }) => [`[${String(role)}]`, ...setOff(String(content)), '']),
    ...setOff(JSON.stringify(rest)),
    '',
    `Batch ${batch}, ${Buffer.byteLength(body)} bytes.`,
    verified
      ? `Proved: the body made from the log has the sha256 of the one that was sent, ${sha256}.`
      : `Not proved: the body made from the log has the sha256 ${rebuiltSha256}, the one that was sent had ${sha256}. What the steps show has changed since, as by a hint that came later or a purge.`,
  ];
}
