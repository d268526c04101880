import { WaymarkError } from '@shared/contract/errors';
import type { Endpoint, Settings } from '@shared/contract/settings';
import type { Author } from '@shared/log/annotations';
import type { EventBody } from '@shared/log/events';
import type { LimitsChange } from '@shared/log/outbox';
import { modelRef } from '../../agent/model-ref';
import type { Store } from '../../store/api';
import { parseSpec } from '../../task/stored-spec';
import { refuseOtherThanDemo } from '../start/isolate';

export interface ChangeDeps {
  store: Store;
  settings: Settings;
}

/**
 * Asks for another model: the driver takes it at the next step boundary, or when the run is resumed.
 * @throws WaymarkError not_found; refused where a limit on money has no price to go by, or the recording alone may be followed
 */
export async function askForModel(
  { store, settings }: ChangeDeps,
  run: string,
  author: Author,
  endpoint: Endpoint,
): Promise<void> {
  const created = await creationOf(store, run);
  if (endpoint.name !== created.model.endpoint) refuseOtherThanDemo(created.computers);
  const { maxCost } = await asked(store, run, created);
  if (maxCost !== null) refuseWithoutPrice(settings, endpoint.name);
  const model = modelRef(endpoint, parseSpec(created.spec, created.task.title));
  await store.writer.post(run, author, { op: 'run.model', model });
}

/**
 * Asks for other limits: the driver takes them at the next step boundary; what runs now is still cut at the old ones.
 * @throws WaymarkError not_found, bad_input; refused for a limit on money without a price to go by
 */
export async function askForLimits(
  { store, settings }: ChangeDeps,
  run: string,
  author: Author,
  limits: LimitsChange,
): Promise<void> {
  if (Object.values(limits).every((value) => value === undefined)) {
    throw new WaymarkError('bad_input', 'No limit was named, so nothing would change.');
  }
  const created = await creationOf(store, run);
  if (limits.maxCost != null) {
    refuseWithoutPrice(settings, (await asked(store, run, created)).endpoint);
  }
  await store.writer.post(run, author, { op: 'run.limits', limits });
}

/** @throws WaymarkError refused */
export function refuseWithoutPrice(settings: Settings, endpoint: string): void {
  if (settings.endpoints.find(({ name }) => name === endpoint)?.price == null) {
    throw new WaymarkError(
      'refused',
      `A limit on money cannot be kept with ${endpoint}: no price is set for it. Set one in Settings, or limit tokens instead.`,
    );
  }
}

/** What will be in force once all that was asked for has been applied. */
async function asked(
  store: Store,
  run: string,
  created: EventBody<'run.created'>,
): Promise<{ endpoint: string; maxCost: number | null }> {
  let endpoint = created.model.endpoint;
  let maxCost = created.limits.maxCost ?? null;
  for (let after = 0; ; ) {
    const entries = await store.reader.outbox(run, after);
    for (const { id, body } of entries) {
      after = id;
      if (body.op === 'run.model') endpoint = body.model.endpoint;
      if (body.op === 'run.limits' && body.limits.maxCost !== undefined) maxCost = body.limits.maxCost;
    }
    if (entries.length === 0) return { endpoint, maxCost };
  }
}

/** The first event of a run's log. @throws WaymarkError not_found */
export async function creationOf(
  store: Pick<Store, 'reader'>,
  run: string,
): Promise<EventBody<'run.created'>> {
  const [first] = await store.reader.events(run, 1, 1);
  if (first?.kind !== 'run.created') {
    throw new WaymarkError('not_found', `There is no run ${run} in this workspace.`);
  }
  return first.body;
}
