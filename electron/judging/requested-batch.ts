import { WaymarkError } from '@shared/contract/errors';
import type { JudgeRequest } from '@shared/contract/ipc/judging';
import { type Endpoint, namedEndpoint, type Settings } from '@shared/contract/settings';
import type { BatchChoices } from '@shared/judging/batch';
import type { Store } from '../store/api';
import { judgeModel, judgeName, raterModel, refuseUnpriced, UNLIMITED } from './asking';
import { chosenRubrics } from './kept-rubric';
import { readRewardRubric } from './rubric';

/** A batch that a window asks for, and the endpoint of its judge as the settings have it. */
export interface RequestedBatch {
  choices: BatchChoices;
  endpoint: Endpoint;
}

/** One batch for each judge, in the order of the request. @throws WaymarkError not_found, bad_input, refused, workspace_corrupt */
export async function requestedBatches(
  store: Pick<Store, 'reader'>,
  { settings, resourcesDir }: { settings: Settings; resourcesDir: string },
  { runs: asked, steps, judges, asks, maxCost }: JudgeRequest,
): Promise<RequestedBatch[]> {
  const runs = [...new Set(asked)];
  const goesBy =
    asks.mode === 'mask'
      ? await maskChoices(store, resourcesDir, runs, asks)
      : await rewardChoices(resourcesDir, asks);
  const batches = judges.map(({ endpoint: named, judge }): RequestedBatch => {
    const endpoint = namedEndpoint(settings, named);
    refuseUnpriced(maxCost, endpoint.price, endpoint.name, UNLIMITED);
    const common = {
      judge: judgeName(judge ?? endpoint.name),
      runs,
      steps,
      model: judgeModel(endpoint),
      maxCost,
      price: endpoint.price,
    };
    return { endpoint, choices: goesBy(common) };
  });
  const names = batches.map(({ choices }) => choices.judge);
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined)
    throw new WaymarkError(
      'bad_input',
      `Two of these judges are called ${twice}. Each name has one vote per step: choose different names.`,
    );
  return batches;
}

type Common = Omit<Extract<BatchChoices, { mode: 'mask' }>, 'mode' | 'rubrics' | 'isTrial'>;
type Asks<Mode> = Extract<JudgeRequest['asks'], { mode: Mode }>;

async function maskChoices(
  store: Pick<Store, 'reader'>,
  resourcesDir: string,
  runs: readonly string[],
  { rubric, isTrial }: Asks<'mask'>,
): Promise<(common: Common) => BatchChoices> {
  const rubrics = await chosenRubrics(store, resourcesDir, runs, rubric);
  return (common) => ({ ...common, mode: 'mask', rubrics, ...(isTrial ? { isTrial } : {}) });
}

async function rewardChoices(
  resourcesDir: string,
  { rubric: chosen, votes, temperature, future }: Asks<'reward'>,
): Promise<(common: Common) => BatchChoices> {
  const rubric = await readRewardRubric(resourcesDir, chosen, future);
  return (common) => ({
    ...common,
    mode: 'reward',
    model: raterModel(common.model, temperature),
    rubric,
    votes,
    future,
  });
}
