import type { LimitsChange, OutboxEntry } from '@shared/log/outbox';
import type { StoreReader } from '../../store/api';

/** A change of model or limits that somebody asked for and that no driver has taken up yet. */
export interface PendingAsk {
  by: string;
  /** The endpoint later steps are to ask. */
  model?: { endpoint: string; model: string };
  limits?: LimitsChange;
}

const PAGE = 500;

/** Oldest first. Changes are taken up in their order, so what came before one that was taken up was taken up too. */
export async function pendingChanges(
  reader: Pick<StoreReader, 'outbox' | 'events'>,
  run: string,
): Promise<PendingAsk[]> {
  const pending: PendingAsk[] = [];
  for (const entry of (await asked(reader, run)).reverse()) {
    if (await isApplied(reader, run, entry)) break;
    pending.unshift(askOf(entry));
  }
  return pending;
}

async function asked(reader: Pick<StoreReader, 'outbox'>, run: string): Promise<OutboxEntry[]> {
  const found: OutboxEntry[] = [];
  for (let after = 0; ; ) {
    const entries = await reader.outbox(run, after);
    found.push(...entries.filter(({ body }) => body.op === 'run.model' || body.op === 'run.limits'));
    const last = entries.at(-1);
    if (last === undefined) return found;
    after = last.id;
  }
}

/** The log is read from where it stood when the entry was stored: a driver takes it up soon after. */
async function isApplied(
  reader: Pick<StoreReader, 'events'>,
  run: string,
  { ulid, seq = 0 }: OutboxEntry,
): Promise<boolean> {
  for (let from = seq + 1; ; ) {
    const events = await reader.events(run, from, PAGE);
    if (events.some((event) => event.kind === 'control.applied' && event.body.entry === ulid)) return true;
    const last = events.at(-1);
    if (last === undefined) return false;
    from = last.seq + 1;
  }
}

function askOf({ author, body }: OutboxEntry): PendingAsk {
  if (body.op === 'run.model') {
    return { by: author, model: { endpoint: body.model.endpoint, model: body.model.model } };
  }
  return { by: author, ...(body.op === 'run.limits' ? { limits: body.limits } : {}) };
}
