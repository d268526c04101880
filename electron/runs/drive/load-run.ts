import { ContextFold } from '@shared/context/context';
import { WaymarkError } from '@shared/contract/errors';
import type { RunState } from '@shared/contract/views';
import type { EventBody, RunEvent } from '@shared/log/events';
import { RunFold } from '@shared/runs/run-fold';
import type { LoopState } from '../../agent/loop-types';
import { RequestHash } from '../../agent/request-hash';
import type { StoreReader } from '../../store/api';

/** Events read at once; the store cuts a page at about 8 MB besides. */
const PAGE = 1_000;

export interface LoadedRun {
  state: LoopState;
  created: EventBody<'run.created'>;
  /** Wall clock of the last event, ms. */
  lastAt: number;
  /** A driver started before. */
  driven: boolean;
}

/**
 * Folds a run's log page by page, never holding more than a page. `also` sees every event in order (the actions'
 * own facts). @throws WaymarkError not_found
 */
export async function loadRun(
  reader: Pick<StoreReader, 'events'>,
  run: string,
  also: (event: RunEvent, created: EventBody<'run.created'>) => void,
): Promise<LoadedRun> {
  const fold = new RunFold();
  let context: ContextFold | null = null;
  let created: EventBody<'run.created'> | null = null;
  let lastAt = 0;
  let driven = false;
  for (let from = 1; ; ) {
    const events = await reader.events(run, from, PAGE);
    for (const event of events) {
      if (event.kind === 'run.created') {
        created = event.body;
        context = new ContextFold({ sendReasoning: created.model.sendReasoning });
      }
      if (created === null || context === null) {
        throw new WaymarkError(
          'workspace_corrupt',
          `The log of run ${run} does not begin with its creation.`,
        );
      }
      fold.apply(event, event.at);
      context.apply(event);
      also(event, created);
      driven ||= event.kind === 'driver.started';
      lastAt = event.at;
    }
    const last = events.at(-1);
    if (last === undefined) {
      break;
    }
    from = last.seq + 1;
  }
  if (created === null || context === null) {
    throw new WaymarkError('not_found', `There is no run ${run} in this workspace.`);
  }
  return { state: { run: fold, context, hash: new RequestHash(context) }, created, lastAt, driven };
}

/** Nothing is asked of a run whose log is not all here. @throws WaymarkError refused */
export function refuseImport(run: string, state: RunState): void {
  if (state === 'importing') {
    throw new WaymarkError('refused', `Run ${run} is still being imported. Wait until it is done.`);
  }
  if (state === 'import_broken') {
    throw new WaymarkError(
      'refused',
      `The import of run ${run} was interrupted, so only part of its log is here. Import the same files again to replace it, or remove it with "run remove".`,
    );
  }
}
