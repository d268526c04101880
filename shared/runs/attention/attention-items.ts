import type { RunEvent } from '../../log/events';
import type { AttentionItem, AttentionKind, Urgency } from './attention';
import { urgencyOf } from './attention-rank';
import type { AttentionState } from './attention-state';

/** Items that are over and kept per kind: whoever did not look for longer reads the report. */
const KEPT_PER_KIND = 40;
/** Items that still hold per kind; more than that at once is one thing said many times. */
const OPEN_PER_KIND = 40;

export interface ItemParts {
  step?: number | null;
  steps?: number[];
  facts?: AttentionItem['facts'];
  urgency?: Urgency;
  at?: number;
  open?: boolean;
}

/** Something that holds until it is said to be over. A known one keeps its begin and takes what is new. */
export function raise(
  state: AttentionState,
  event: RunEvent,
  kind: AttentionKind,
  key: string,
  parts: ItemParts,
): void {
  const id = `${state.run} ${kind} ${key}`;
  const known = state.items.find((item) => item.id === id);
  const open = parts.open ?? true;
  if (known !== undefined) {
    const again = open && !known.open;
    Object.assign(known, {
      step: parts.step ?? known.step,
      steps: parts.steps ?? known.steps,
      facts: { ...known.facts, ...parts.facts },
      open,
      ...(again ? { seq: event.seq, at: event.at } : {}),
    });
    if (again) count(state, kind);
    return;
  }
  state.items.push({
    id,
    run: state.run,
    kind,
    urgency: parts.urgency ?? urgencyOf[kind],
    step: parts.step ?? null,
    steps: parts.steps ?? [],
    seq: event.seq,
    at: parts.at ?? event.at,
    facts: parts.facts ?? {},
    open,
  });
  count(state, kind);
  bound(state, kind);
}

/** Something that happened at one moment. */
export function occurred(
  state: AttentionState,
  event: RunEvent,
  kind: AttentionKind,
  key: string,
  parts: ItemParts,
): void {
  raise(state, event, kind, key, { ...parts, open: false });
}

/** What `raise` was given as the key. */
export const keyOf = ({ id, run, kind }: AttentionItem) => id.slice(`${run} ${kind} `.length);

export function over(state: AttentionState, kind: AttentionKind, key: string): void {
  const id = `${state.run} ${kind} ${key}`;
  for (const item of state.items) if (item.id === id) item.open = false;
}

/** `kinds` null: all of them. */
export function overAll(state: AttentionState, kinds: readonly AttentionKind[] | null): void {
  for (const item of state.items) if (kinds === null || kinds.includes(item.kind)) item.open = false;
}

function count(state: AttentionState, kind: AttentionKind): void {
  state.counts[kind] = (state.counts[kind] ?? 0) + 1;
}

/** Drops the oldest of a kind beyond the bounds; what still holds goes last. */
function bound(state: AttentionState, kind: AttentionKind): void {
  const drop = (open: boolean, most: number) => {
    const same = state.items.filter((item) => item.kind === kind && item.open === open);
    if (same.length <= most) return;
    const oldest = same[0];
    state.items = state.items.filter((item) => item !== oldest);
  };
  drop(false, KEPT_PER_KIND);
  drop(true, OPEN_PER_KIND);
}
