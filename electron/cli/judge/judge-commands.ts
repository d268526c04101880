import { WaymarkError } from '@shared/contract/errors';
import { type Arguments, filled } from '../arguments';
import type { CliContext } from '../context';
import type { CommandResult } from '../output';
import { named } from '../run-commands';
import { listBatches, namedBatch, showBatch, stopBatch } from './judge-batches';
import { judgePrompt } from './judge-prompt';
import { rubricCommand } from './judge-rubric';
import { estimateJudge, resumeJudge, runJudge } from './judge-run';
import { qualityLines } from './quality-lines';

/** `judge …`: asks a model about steps, ends that, says what it would cost, what became of it, or how far votes agree. */
export async function judgeCommand(context: CliContext, args: Arguments): Promise<CommandResult> {
  const [, verb, word, ...more] = args.words;
  if (verb === 'rubric') return rubricCommand(context, args);
  if (verb === 'prompt' && more.length === 1) return judgePrompt(context, args);
  if (more.length === 0) {
    if (verb === 'show') return showBatch(context, await namedBatch(context, word));
    if (verb === 'stop') return stopBatch(context, await namedBatch(context, word));
    if (verb === 'resume') return resumeJudge(context, args, await namedBatch(context, word));
  }
  if (word === undefined) {
    if (verb === 'run') return runJudge(context, args, await runsOf(context, args));
    if (verb === 'estimate') return estimateJudge(context, args, await runsOf(context, args));
    if (verb === 'list') return listBatches(context);
    if (verb === 'agreement') return agreement(context, args, await runsOf(context, args));
  }
  throw new WaymarkError(
    'bad_input',
    'Write "judge run", "judge estimate" or "judge agreement", with --run RUN for some runs only; "judge list", "judge show BATCH", "judge stop BATCH" or "judge resume BATCH"; "judge prompt RUN STEP --judge NAME"; "judge rubric show --task T". Votes given elsewhere are brought in with "label judge RUN FILE.jsonl".',
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

/** How far the votes that stand in the workspace agree with what counts as right, with each other and with how runs ended. */
async function agreement(
  { reader }: CliContext,
  { values }: Arguments,
  runs: readonly string[],
): Promise<CommandResult> {
  const found = await reader.judgeQuality({ runs, truth: filled(values.truth, '--truth') });
  return { json: found, lines: qualityLines(found) };
}
