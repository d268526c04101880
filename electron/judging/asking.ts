import { WaymarkError } from '@shared/contract/errors';
import type { Endpoint } from '@shared/contract/settings';
import type { StoredBatch } from '@shared/judging/batch';
import { authorName } from '@shared/labels/author-name';
import type { Author } from '@shared/log/annotations';
import type { ModelRef } from '@shared/log/event-parts';
import { modelRef } from '../agent/model-ref';
import type { Price } from '../model/client';
import type { Store } from '../store/api';
import type { BatchOptions } from './judge-batch';

/** How a person's judge is asked, from the window and from the command line. */
export const asking = { together: 8, tries: 3, firstPauseMs: 1_000 } as const satisfies Pick<
  BatchOptions,
  'together' | 'tries' | 'firstPauseMs'
>;

/** The endpoint as a judge is asked there: an answer has one call, so nothing is said of several, which some endpoints refuse. */
export function judgeModel(endpoint: Endpoint): ModelRef {
  const model = modelRef(endpoint, { context_tokens: endpoint.contextTokens });
  const { parallel_tool_calls: _, ...params } = model.params;
  return { ...model, params };
}

/** How a window says how to go without a limit on money. */
export const UNLIMITED = 'leave the limit out';

/** @param otherwise how to go without a limit @throws WaymarkError refused */
export function refuseUnpriced(
  maxCost: number | null,
  price: Price | null,
  endpoint: string,
  otherwise: string,
): void {
  if (maxCost === null || price !== null) return;
  throw new WaymarkError(
    'refused',
    `A limit on money cannot be kept with ${endpoint}: no price is set for it. Set one in Settings, Models, or ${otherwise}.`,
  );
}

/**
 * A batch that came to its end has nothing left to ask, and going on with it does nothing: what its votes say may have been replaced
 * since, by another rubric under the same name, and would be paid for again.
 */
export function isDone({ end, counts }: Pick<StoredBatch, 'end' | 'counts'>): boolean {
  return end?.why === 'done' && counts.missing === 0;
}

/** The name that votes are signed with. `how`: how another one is chosen. @throws WaymarkError bad_input */
export function judgeName(given: string, how = ''): string {
  const { data, error } = authorName.safeParse(given);
  if (data !== undefined) return data;
  const why = error.issues[0]?.message ?? 'cannot be used';
  throw new WaymarkError('bad_input', `The judge's name ${why}. Choose another one${how}.`);
}

/**
 * Whose word counts as right is chosen by name, so a new judge may not have the name of somebody who labels here, or is about to.
 * A name that votes are signed with already stays.
 * @param how how another name is chosen @throws WaymarkError bad_input
 */
export async function refusePersonsName(
  { reader }: { reader: Pick<Store['reader'], 'personNames'> },
  judges: readonly string[],
  { name: asking }: Pick<Author, 'name'>,
  how = '',
): Promise<void> {
  const [taken] = await reader.personNames({ names: judges, asking });
  if (taken === undefined) return;
  throw new WaymarkError(
    'bad_input',
    `${taken} is a person who labels in this workspace, and a judge of that name could not be told apart from them. Choose another name for the judge${how}.`,
  );
}

/** The endpoint as steps are rated there. */
export function raterModel(model: ModelRef, temperature: number): ModelRef {
  return { ...model, params: { ...model.params, temperature } };
}
