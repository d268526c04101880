import { nestsDeeper } from '@shared/base/json-depth';
import { WaymarkError } from '@shared/contract/errors';
import { EVENT_VERSION, type EventKind, eventBodies, type NewEvent, type RunEvent } from '@shared/log/events';
import { type AsIs, asIs } from '../file/as-is';
import { seqOf } from '../file/rows';
import { hydrate, type Keep, storedText, survivesJson } from '../file/stored-json';
import { checkedImages } from './event-images';
import { chainHash } from './hashing';
import { nextSteps } from './unreadable-run';

/** An event as the table holds it. */
export interface EventRow {
  id: number;
  version: number;
  kind: string;
  at: number;
  epoch: number;
  purged: number;
  body: string;
  hash: Buffer;
}

export const EVENT_COLUMNS = 'id, version, kind, at, epoch, purged, body, hash';

/** What `decodeEvent` takes of a row. */
export type SaidRow = Omit<EventRow, 'hash' | 'purged'>;
export const SAID_COLUMNS = 'id, version, kind, at, epoch, body';

/** A body as text, and as whoever reads that text gets it; undefined where only reading it tells. */
export interface EncodedBody {
  text: string;
  value: object | undefined;
}

/** By kind, made when the first event of it comes. */
const quickLooks = new Map<EventKind, AsIs>();

function comesBackAsIs({ kind, body }: NewEvent): boolean {
  let look = quickLooks.get(kind);
  if (look === undefined) {
    look = asIs(eventBodies[kind]);
    quickLooks.set(kind, look);
  }
  return look(body);
}

/**
 * Parses an event and returns what to store. Throws `bad_input` when the body does not fit its kind;
 * `keep` receives each large text, and the bytes of each image. A body that its schema would hand back as it is, as nearly
 * every one of ours, is seen to fit without being copied.
 */
export function encodeBody(event: NewEvent, keep: Keep): EncodedBody {
  if (comesBackAsIs(event)) {
    return { text: storedText(event.body, keep, checkedImages(event)), value: event.body };
  }
  const parsed = eventBodies[event.kind].safeParse(event.body);
  if (!parsed.success) {
    throw new WaymarkError(
      'bad_input',
      `An event of kind ${event.kind} was not stored: its content does not fit.`,
      parsed.error.message,
    );
  }
  const { data } = parsed;
  // Kind and body belong together: the body was parsed by this kind's schema.
  const images = checkedImages({ kind: event.kind, body: data } as NewEvent);
  return { text: storedText(data, keep, images), value: survivesJson(data) ? data : undefined };
}

/** Every column is under the hash, not the body alone. */
export function eventHash(previous: Uint8Array, row: SaidRow): Buffer {
  const head = `${seqOf(row.id)}|${row.version}|${row.kind}|${row.at}|${row.epoch}|`;
  return chainHash(previous, row.body, head);
}

/**
 * A row as the event everything else reads. `check` parses the body again: use it wherever the chain was not
 * verified just before. Throws `workspace_corrupt` or `workspace_newer`.
 */
export function decodeEvent(
  row: SaidRow,
  run: string,
  load: (sha: string) => string,
  check = true,
): RunEvent {
  const seq = seqOf(row.id);
  const kind = knownKind(row, run);
  let body: unknown;
  if (row.body.length > LONG_BODY && nestsDeeper(row.body, MOST_LEVELS)) {
    throw corrupt(run, seq, `Its body nests deeper than ${MOST_LEVELS} levels.`);
  }
  try {
    body = JSON.parse(row.body);
  } catch (thrown) {
    throw corrupt(run, seq, thrown instanceof Error ? thrown.message : String(thrown));
  }
  if (row.body.includes('"$text"') || row.body.includes('"$object"')) {
    body = hydrate(body, load);
  }
  // Kind and body belong together: the body was parsed by this kind's schema, here or before it was stored.
  const event = { run, seq, at: row.at, epoch: row.epoch, kind, body } as RunEvent;
  if (check && !comesBackAsIs(event)) {
    const parsed = eventBodies[kind].safeParse(body);
    if (!parsed.success) {
      throw corrupt(run, seq, parsed.error.message);
    }
  }
  return event;
}

/** @throws WaymarkError `workspace_newer` for an event that this version cannot read */
export function knownKind(
  { id, version, kind }: Pick<EventRow, 'id' | 'version' | 'kind'>,
  run: string,
): EventKind {
  if (version > EVENT_VERSION) {
    throw new WaymarkError(
      'workspace_newer',
      `Event ${seqOf(id)} of run ${run} was written by a newer Waymark. Update Waymark to read it.`,
    );
  }
  if (!isKind(kind)) {
    // Kinds are added without raising the version, so this is what a newer Waymark leaves; damage breaks the chain.
    throw new WaymarkError(
      'workspace_newer',
      `Event ${seqOf(id)} of run ${run} is of a kind that this version does not know (${kind}). Update Waymark to read it.`,
    );
  }
  return kind;
}

/** No shorter body costs much to parse, however it nests; UTF-16 units. */
const LONG_BODY = 64 * 1024;
const MOST_LEVELS = 1000;

export function isKind(kind: string): kind is EventKind {
  return Object.hasOwn(eventBodies, kind);
}

function corrupt(run: string, seq: number, why: string): WaymarkError {
  return new WaymarkError(
    'workspace_corrupt',
    `Event ${seq} of run ${run} cannot be read. ${nextSteps}`,
    why,
  );
}
