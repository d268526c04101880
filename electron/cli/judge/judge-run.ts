import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { Endpoint } from '@shared/contract/settings';
import { authorName } from '@shared/labels/author-name';
import { modelRef } from '../../agent/model-ref';
import { type BatchResult, estimateBatch, runBatch } from '../../judging/judge-batch';
import { type Judge, type JudgedSteps, judgedSteps, judgeTasks } from '../../judging/judge-work';
import { readRubrics } from '../../judging/rubric';
import { modelPort } from '../../runs/drive/model-port';
import { environmentKey } from '../../runs/engine-options';
import { type Arguments, filled, oneOf, positiveNumber } from '../arguments';
import type { CliContext } from '../context';
import { endpointFor } from '../endpoint-for';
import { type CommandResult, counted } from '../output';

/** Requests under way at a time. */
const TOGETHER = 8;
const TRIES = 3;
const FIRST_PAUSE_MS = 1000;

/** `judge run`: asks a model about all steps of the runs that it has not judged by this rubric, and stores its votes. */
export async function runJudge(
  context: CliContext,
  args: Arguments,
  runs: readonly string[],
): Promise<CommandResult> {
  const { judge, endpoint, which } = await judgeFor(context, args);
  const maxCost = positiveNumber(args.values['max-cost'], '--max-cost');
  if (maxCost !== null && endpoint.price === null) {
    throw new WaymarkError(
      'refused',
      `A limit on money cannot be kept with ${endpoint.name}: no price is set for it. Set one in Settings, or leave out --max-cost.`,
    );
  }
  const { settings, addresses, environment, store } = context;
  const options = { settings: { current: settings }, addresses, findKey: environmentKey(environment) };
  const lock = store.lockJudge(judge.name);
  if (lock === null) {
    throw new WaymarkError(
      'refused',
      `${judge.name} is being asked about this workspace by another process. Wait until it has finished, or use another name with --judge.`,
    );
  }
  const stop = new AbortController();
  const interrupt = () => stop.abort();
  process.once('SIGINT', interrupt);
  try {
    const result = await runBatch(store, judgeTasks(store, runs, judge, which), {
      judge: judge.name,
      price: endpoint.price,
      maxCost,
      signal: stop.signal,
      model: modelPort(options, () => judge.model),
      together: TOGETHER,
      tries: TRIES,
      firstPauseMs: FIRST_PAUSE_MS,
    });
    const { ended } = result;
    if (ended?.why === 'failed') {
      const { code, message } = ended.failure;
      const why = /[.!?]$/.test(message) ? message : `${message}.`;
      throw new WaymarkError(code, `${why} ${stored(result)} The same command goes on from there.`);
    }
    const rubrics = [judge.rubrics.steps.version, judge.rubrics.summaries.version];
    return { json: { judge: judge.name, rubrics, ...result }, lines: linesOf(judge.name, which, result) };
  } finally {
    process.off('SIGINT', interrupt);
    lock.release();
  }
}

/** `judge estimate`: what `judge run` with the same options would send. */
export async function estimateJudge(
  context: CliContext,
  args: Arguments,
  runs: readonly string[],
): Promise<CommandResult> {
  const { judge, endpoint, which } = await judgeFor(context, args);
  const found = await estimateBatch(judgeTasks(context.store, runs, judge, which), endpoint.price);
  const tokens = `${thousands(found.inputTokens)} tokens in, ${thousands(found.outputTokens)} out`;
  return {
    json: { judge: judge.name, ...found },
    lines: [
      `${counted(found.steps, 'step')} to judge in ${counted(found.requests, 'request')}: about ${tokens}, ${costWords(found.cost)}. Nothing was sent.`,
    ],
  };
}

async function judgeFor(
  context: CliContext,
  { values }: Arguments,
): Promise<{ judge: Judge; endpoint: Endpoint; which: JudgedSteps }> {
  const endpoint = endpointFor(context, values);
  const rubric = filled(values.rubric, '--rubric', 4_096);
  const model = modelRef(endpoint, { context_tokens: endpoint.contextTokens });
  // One answer has one call: nothing is gained by saying so, and some endpoints refuse the parameter.
  const { parallel_tool_calls: _, ...params } = model.params;
  return {
    endpoint,
    which: oneOf(values.steps, judgedSteps, 'all', '--steps'),
    judge: {
      name: nameOf(filled(values.judge, '--judge') ?? endpoint.name),
      model: { ...model, params },
      rubrics: await readRubrics(context.resourcesDir, rubric === null ? null : resolve(rubric)),
    },
  };
}

function nameOf(given: string): string {
  const { data, error } = authorName.safeParse(given);
  if (data !== undefined) return data;
  const why = error.issues[0]?.message ?? 'cannot be used';
  throw new WaymarkError('bad_input', `The judge's name ${why}. Choose another one with --judge.`);
}

function linesOf(judge: string, which: JudgedSteps, result: BatchResult): string[] {
  const { asked, votes, masks, missing, cost, ended } = result;
  if (asked === 0 && missing === 0 && ended === null)
    return [`Nothing was asked: there is no ${kinds[which]} left for ${judge} to judge by this rubric.`];
  return [
    `${votes === 0 ? 'No vote was stored' : `${counted(votes, 'vote')} by ${judge} stored, ${masks} of them MASK`}; ${counted(asked, 'request')}, ${costWords(cost)}.`,
    ...(missing === 0
      ? []
      : [
          `${counted(missing, 'step')} got no verdict and stay as they were. Run the command again to ask once more.`,
        ]),
    ...(ended?.why === 'cost'
      ? ['The next request could have exceeded --max-cost. Raise it to judge the rest.']
      : []),
    ...(ended?.why === 'cancelled' ? ['Stopped by Ctrl C. The same command goes on from there.'] : []),
  ];
}

const stored = ({ votes, asked, cost }: BatchResult) =>
  `${counted(votes, 'vote')} stored from ${counted(asked, 'answer')}, ${costWords(cost)}.`;

const kinds: Readonly<Record<JudgedSteps, string>> = {
  all: 'step',
  undecided: 'undecided step',
  disagreeing: 'step on which opinions differ',
};

const thousands = (value: number) => value.toLocaleString('en-US');

const costWords = (cost: number | null) => (cost === null ? 'cost unknown' : `cost ${cost.toFixed(4)}`);
