import type { Limits } from '../../log/event-parts';
import type { RunEvent } from '../../log/events';
import type { TaskRules } from '../detectors/detector';
import {
  type AttentionCounts,
  type AttentionItem,
  type AttentionKind,
  type Urgency,
  urgencyOf,
} from './attention';

/** Raised when the fold finds something else in the same events; kept states of another version are thrown away. */
export const ATTENTION_VERSION = 2;

/** Everything the next event needs of the events before it: plain JSON of bounded size, whatever the run's length. */
export interface AttentionState {
  version: string;
  run: string;
  /** Last folded event. */
  seq: number;
  at: number;
  /** Latest answered step. */
  step: number;
  status: string | null;
  ended: boolean;
  limits: Limits | null;
  rules: TaskRules;
  /** Steps that count against the limit. */
  taken: number;
  tokens: number;
  cost: number;
  scores: { best: number | null; last: number | null; tries: number; maxTries: number };
  time: WorkingClock;
  /** The call that has begun: name and digest of its arguments. */
  action: { step: number; call: number; name: string; digest: number } | null;
  /** Steps in a row that failed. */
  errors: { steps: number[]; count: number; code: string; failed: boolean; step: number };
  /** Idle GPUs by computer: since when, and the event that said so. */
  idle: Record<string, { since: number; seq: number; step: number }>;
  items: AttentionItem[];
  counts: AttentionCounts;
  /** State of each detector by its id. */
  detectors: Record<string, unknown>;
}

/** Working time so far, near enough for thresholds; `WorkingTime` has the exact rules. Wall-clock ms. */
interface WorkingClock {
  doneMs: number;
  /** Begin of the running interval; null while time does not count. */
  since: number | null;
  /** Up to where command time was counted. */
  countedTo: number;
}

/** Up to the latest event. */
export function workingMs({ time, at }: AttentionState): number {
  return time.doneMs + (time.since === null ? 0 : Math.max(0, at - time.since));
}

/** Call before `state.at` takes the event's time: a driver that died is counted up to its last sign of life. */
export function foldTime(state: AttentionState, event: RunEvent): void {
  const { time } = state;
  const stop = (at: number) => {
    if (time.since !== null) time.doneMs += Math.max(0, at - time.since);
    time.since = null;
    time.countedTo = Math.max(time.countedTo, at);
  };
  if (event.kind === 'run.status') {
    if (event.body.status === 'running') time.since ??= event.at;
    else stop(event.at);
  } else if (event.kind === 'driver.started') {
    if (time.since !== null) stop(Math.max(state.at, event.body.aliveUntil ?? 0));
  } else if (event.kind === 'command.ran') {
    const from = Math.max(event.body.from, time.countedTo);
    time.doneMs += Math.max(0, event.body.to - from);
    time.countedTo = Math.max(time.countedTo, event.body.to);
  } else if (event.kind === 'clock.suspended' && time.since !== null) {
    const from = Math.max(event.body.from, time.since);
    time.doneMs -= Math.max(0, event.body.to - from);
  }
}

/** Items that are over and kept per kind: whoever did not look for longer reads the report. */
const KEPT_PER_KIND = 40;
/** Items that still hold per kind; more than that at once is one thing said many times. */
const OPEN_PER_KIND = 40;

interface ItemParts {
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
