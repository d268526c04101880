import { resolve } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import type { Endpoint } from '@shared/contract/settings';
import {
  type BatchChoices,
  type JudgedSteps,
  judgedSteps,
  MOST_TEMPERATURE,
  MOST_VOTES,
  type RewardRubricName,
  rewardDefaults,
  rewardRubricNames,
  type StoredBatch,
} from '@shared/judging/batch';
import type { ModelRef } from '@shared/log/event-parts';
import { visibleText } from '@shared/terminal/visible-text';
import { newUlid } from '../../base/new-ulid';
import {
  asking,
  isDone,
  judgeModel,
  judgeName,
  raterModel,
  refusePersonsName,
  refuseUnpriced,
} from '../../judging/asking';
import { estimateBatch } from '../../judging/batch-estimate';
import { chosenRubrics, type RubricChoice } from '../../judging/kept-rubric';
import { driveBatch, tasksOf } from '../../judging/named-batch';
import { readRewardRubric, readRubricFile } from '../../judging/rubric';
import { originOf } from '../../model/bound-key';
import type { Price } from '../../model/client';
import { readPrice } from '../../model/price-word';
import { isNamed } from '../../named-addresses';
import { modelPort } from '../../runs/drive/model-port';
import { environmentKey } from '../../runs/engine-options';
import type { HeldBatch } from '../../store/log/judge-batches';
import { type Arguments, filled, oneOf, positiveNumber } from '../arguments';
import type { CliContext } from '../context';
import { endpointFor } from '../endpoint-for';
import { type CommandResult, counted, type ExitCode } from '../output';
import { batchJson, costWords, thousands, voteWords } from './batch-words';

/** `judge run`: a batch that asks a model about all steps of the runs that it has not judged by this rubric, and stores its votes. */
export async function runJudge(
  context: CliContext,
  args: Arguments,
  runs: readonly string[],
): Promise<CommandResult> {
  const { choices, endpoint } = await choicesFor(context, args, runs);
  refuseUnpriced(choices.maxCost, endpoint.price, endpoint.name, unlimited);
  const { writer } = context.store;
  const begin = (held: HeldBatch) => writer.beginBatch(held, choices);
  return drive(context, { id: newUlid(), choices, price: endpoint.price, begin, isNew: true });
}

/** `judge rubric try`: a batch that asks a model about a run's steps by this text and keeps the verdicts apart. */
export async function tryRubric(
  context: CliContext,
  args: Arguments,
  run: string,
  text: string,
): Promise<{ judge: string; result: CommandResult }> {
  const { store, resourcesDir } = context;
  const { common, endpoint } = commonFor(context, args, [run]);
  refuseUnpriced(common.maxCost, endpoint.price, endpoint.name, unlimited);
  const rubrics = await chosenRubrics(store, resourcesDir, [run], { text });
  const choices: BatchChoices = { ...common, mode: 'mask', rubrics, isTrial: true };
  const begin = (held: HeldBatch) => store.writer.beginBatch(held, choices);
  const result = await drive(context, { id: newUlid(), choices, price: endpoint.price, begin, isNew: true });
  return { judge: common.judge, result };
}

/** `judge resume BATCH`: goes on where the batch stood, with its own choices. Votes that stand are not asked for again. */
export async function resumeJudge(
  context: CliContext,
  { values }: Arguments,
  batch: StoredBatch,
): Promise<CommandResult> {
  const { id, choices } = batch;
  const maxCost = positiveNumber(values['max-cost'], '--max-cost');
  const price = priceOf(context, values, id, choices);
  const otherwise = maxCost === null ? 'with --price: the batch began with a limit' : unlimited;
  refuseUnpriced(maxCost ?? choices.maxCost, price, choices.model.endpoint, otherwise);
  if (isDone(batch)) {
    const done = `Batch ${id} is done, so nothing was asked. To ask again, begin a new batch with "judge run".`;
    return { json: batchJson(batch, false), lines: [done] };
  }
  const { writer } = context.store;
  const begin = (held: HeldBatch) => writer.resumeBatch(held, maxCost);
  return drive(context, { id, choices, price, begin, isNew: false });
}

/** `judge estimate`: what `judge run` with the same options would send. */
export async function estimateJudge(
  context: CliContext,
  args: Arguments,
  runs: readonly string[],
): Promise<CommandResult> {
  const { choices, endpoint } = await choicesFor(context, args, runs);
  const found = await estimateBatch(tasksOf(context.store, choices), endpoint.price);
  const tokens = `${thousands(found.inputTokens)} tokens in, ${thousands(found.outputTokens)} out`;
  return {
    json: { judge: choices.judge, ...found },
    lines: [
      `${counted(found.steps, 'step')} to judge in ${counted(found.requests, 'request')}: about ${tokens}, ${costWords(found.cost)}. Nothing was sent.`,
    ],
  };
}

interface Drive {
  id: string;
  choices: BatchChoices;
  price: Price | null;
  begin(held: HeldBatch): Promise<void>;
  /** It may still take another name. */
  isNew: boolean;
}

async function drive(
  context: CliContext,
  { id, choices, price, begin, isNew }: Drive,
): Promise<CommandResult> {
  const { settings, addresses, environment, store } = context;
  const options = { settings: { current: settings }, addresses, findKey: environmentKey(environment) };
  const { judge, model } = choices;
  if (isNew) await refusePersonsName(store, [judge], context.author, ' with --judge');
  const lock = store.lockJudge(judge);
  if (lock === null) {
    throw new WaymarkError(
      'refused',
      `${judge} is being asked about this workspace by another process. Wait until it has finished${isNew ? ', or use another name with --judge' : ''}.`,
    );
  }
  const stop = new AbortController();
  let byKey = false;
  const interrupt = () => {
    byKey = true;
    stop.abort();
  };
  const terminate = () => stop.abort();
  process.once('SIGINT', interrupt);
  process.once('SIGTERM', terminate);
  try {
    const held = { id, epoch: lock.epoch };
    await begin(held);
    const batch = await driveBatch(store, held, {
      price,
      signal: stop.signal,
      model: modelPort(options, () => model),
      ...asking,
    });
    return resultOf(batch, byKey);
  } finally {
    process.off('SIGINT', interrupt);
    process.off('SIGTERM', terminate);
    lock.release();
  }
}

/** `byKey`: Ctrl C was pressed here. @throws WaymarkError what the batch ended with, where that is a failure */
function resultOf(batch: StoredBatch, byKey: boolean): CommandResult {
  const { end, id } = batch;
  if (end?.why === 'failed' && end.failure !== null) {
    const { code, message } = end.failure;
    const why = /[.!?]$/.test(message) ? message : `${message}.`;
    const { votes, asked, cost } = batch.counts;
    const stored = `${counted(votes, 'vote')} stored from ${counted(asked, 'answer')}, ${costWords(cost)}.`;
    throw new WaymarkError(
      code as WaymarkError['code'],
      `${why} ${stored} "judge resume ${id}" continues from there.`,
    );
  }
  return { json: batchJson(batch, false), lines: linesOf(batch, byKey), exitCode: exitCodeOf(batch, byKey) };
}

/** Nothing that came back could be read, however little was asked. */
const cameToNothing = ({ counts }: StoredBatch) => counts.votes === 0 && counts.missing > 0;

function exitCodeOf(batch: StoredBatch, byKey: boolean): ExitCode {
  const { end } = batch;
  if (end?.why === 'done' && cameToNothing(batch)) return 1;
  if (end?.why === 'cost') return 3;
  if (end?.why !== 'cancelled') return 0;
  return byKey ? 130 : 1;
}

const unlimited = 'with --price, or leave out --max-cost';

/** Two endpoints may share an origin, and a slash at the end means nothing. */
const plainUrl = (url: string) => new URL(url).href.replace(/\/+$/, '');

/**
 * What the endpoint of a batch costs, as typed, else by the settings where they have it; never as the batch says. The workspace may
 * be somebody else's, so an endpoint that this person has not named here is not asked. @throws WaymarkError refused, bad_input
 */
function priceOf(
  context: CliContext,
  values: Arguments['values'],
  id: string,
  { model }: BatchChoices,
): Price | null {
  const { settings, addresses } = context;
  if (values['base-url'] || values.model || values['api-key-env']) {
    const typed = endpointFor(context, values);
    if (plainUrl(typed.baseUrl) !== plainUrl(model.baseUrl) || typed.model !== model.model) {
      throw new WaymarkError(
        'bad_input',
        `Batch ${id} asks ${shown(model)}. A batch continues with the endpoint it began with: to ask another one, begin a new batch with "judge run".`,
      );
    }
  }
  const named = { origin: originOf(model.baseUrl), keyEnv: model.keyRef ?? '' };
  if (!isNamed(named, settings.endpoints, addresses)) {
    const key = model.keyRef === null ? '' : ` --api-key-env ${visibleText(model.keyRef)}`;
    throw new WaymarkError(
      'refused',
      `Batch ${id} asks ${shown(model)}, which is unknown on this machine. Nothing was sent. If you trust that address, name it: --base-url URL --model ID${key}.`,
    );
  }
  const own = settings.endpoints.find(
    (each) =>
      each.name === model.endpoint && each.model === model.model && originOf(each.baseUrl) === named.origin,
  );
  return typedPrice(values) ?? own?.price ?? null;
}

function typedPrice({ price }: Arguments['values']): Price | null {
  return price === undefined ? null : readPrice(price, '--price');
}

const shown = ({ model, baseUrl }: ModelRef) =>
  visibleText(`${model.slice(0, 80)} at ${originOf(baseUrl) || 'no address'}`).replace(/\s+/gu, ' ');

async function choicesFor(
  context: CliContext,
  args: Arguments,
  runs: readonly string[],
): Promise<{ choices: BatchChoices; endpoint: Endpoint }> {
  const { values } = args;
  const { common, endpoint } = commonFor(context, args, runs);
  const mode = oneOf(values.mode, ['mask', 'reward'], 'mask', '--mode');
  const choices =
    mode === 'mask'
      ? await maskChoices(context, values, common)
      : await rewardChoices(context, values, common);
  return { endpoint, choices };
}

function commonFor(
  context: CliContext,
  { values }: Arguments,
  runs: readonly string[],
): { common: Common; endpoint: Endpoint } {
  const known = endpointFor(context, values);
  const endpoint = { ...known, price: typedPrice(values) ?? known.price };
  const common = {
    judge: judgeName(filled(values.judge, '--judge') ?? endpoint.name, ' with --judge'),
    runs: [...runs],
    steps: oneOf(values.steps, judgedSteps, 'all', '--steps'),
    model: judgeModel(endpoint),
    maxCost: positiveNumber(values['max-cost'], '--max-cost'),
    price: endpoint.price,
  };
  return { endpoint, common };
}

type Common = Omit<Extract<BatchChoices, { mode: 'mask' }>, 'mode' | 'rubrics' | 'isTrial'>;

async function maskChoices(
  { resourcesDir, store }: CliContext,
  values: Arguments['values'],
  common: Common,
): Promise<BatchChoices> {
  const odd = (['votes', 'temperature', 'future'] as const).find((name) => values[name] !== undefined);
  if (odd !== undefined)
    throw new WaymarkError(
      'bad_input',
      `--${odd} belongs to --mode reward. Add that, or leave --${odd} out.`,
    );
  const rubrics = await chosenRubrics(store, resourcesDir, common.runs, await rubricChoice(values.rubric));
  return { ...common, mode: 'mask', rubrics };
}

/** `built-in` is the application's own; a file of that name is `./built-in`. Without one, what is kept for each run's task holds. */
async function rubricChoice(given: string | undefined): Promise<RubricChoice> {
  const rubric = filled(given, '--rubric', 4_096);
  if (rubric === null) return 'task';
  return rubric === 'built-in' ? rubric : { text: await readRubricFile(resolve(rubric)) };
}

async function rewardChoices(
  { resourcesDir }: CliContext,
  values: Arguments['values'],
  common: Common,
): Promise<BatchChoices> {
  const named = filled(values.rubric, '--rubric', 4_096) ?? 'steps';
  const chosen = isRewardRubric(named) ? named : { file: resolve(named) };
  const future = oneOf(values.future, ['yes', 'no'], 'yes', '--future') === 'yes';
  const temperature = numberBetween(
    values.temperature ?? String(rewardDefaults.temperature),
    0,
    MOST_TEMPERATURE,
    '--temperature',
  );
  const votes = numberBetween(values.votes ?? String(rewardDefaults.votes), 1, MOST_VOTES, '--votes');
  if (!Number.isInteger(votes))
    throw new WaymarkError('bad_input', `--votes must be a whole number from 1 to ${MOST_VOTES}.`);
  return {
    ...common,
    mode: 'reward',
    model: raterModel(common.model, temperature),
    rubric: await readRewardRubric(resourcesDir, chosen, future),
    votes,
    future,
  };
}

const isRewardRubric = (name: string): name is RewardRubricName =>
  rewardRubricNames.some((each) => each === name);

function numberBetween(given: string, least: number, most: number, option: string): number {
  const value = given.trim() === '' ? Number.NaN : Number(given);
  if (value >= least && value <= most) return value;
  throw new WaymarkError('bad_input', `${option} must be a number from ${least} to ${most}.`);
}

function linesOf(batch: StoredBatch, byKey: boolean): string[] {
  const { id, choices, counts, end } = batch;
  const { judge, steps } = choices;
  const { asked, votes, missing, cost } = counts;
  if (asked === 0 && missing === 0 && end?.why === 'done')
    return [`Nothing was asked: there is no ${kinds[steps]} left for ${judge} to judge by this rubric.`];
  const stored = isTrialBatch(choices) ? 'Tried by' : 'Stored by';
  return [
    `${votes === 0 ? 'No vote was stored' : `${stored} ${judge}: ${voteWords(batch)}`}; ${counted(asked, 'request')}, ${costWords(cost)}. Batch ${id}.`,
    ...(missing === 0
      ? []
      : [
          `${counted(missing, 'step')} got no verdict and stay as they were. "judge resume ${id}" asks about them once more.`,
        ]),
    ...(cameToNothing(batch)
      ? [
          'Nothing that came back could be read as a verdict. Check that the address is that of a model, and choose one that calls tools.',
        ]
      : []),
    ...(end?.why === 'cost'
      ? [
          `The next request could have exceeded --max-cost${end.spent === undefined ? '' : `, against which ${end.spent.toFixed(4)} has been counted so far`}. "judge resume ${id} --max-cost X" with a higher limit judges the rest.`,
        ]
      : []),
    ...(end?.why === 'cancelled'
      ? [`Stopped${byKey ? ' by Ctrl C' : ' on request'}. "judge resume ${id}" continues from there.`]
      : []),
  ];
}

const isTrialBatch = (choices: BatchChoices) => choices.mode === 'mask' && choices.isTrial === true;

const kinds: Readonly<Record<JudgedSteps, string>> = {
  all: 'step',
  undecided: 'undecided step',
  disagreeing: 'step on which opinions differ',
  changed: 'changed step',
};
