import { WaymarkError } from '@shared/contract/errors';
import type { BlobStore } from '../file/blob-store';
import { storeFailure } from '../file/database';
import { LAST_SEQ, rowId, type Statements, seqOf } from '../file/rows';
import { textReferences } from '../file/stored-json';
import { decodeEvent, EVENT_COLUMNS, type EventRow, eventHash } from '../log/event-codec';
import { CHAIN_START } from '../log/hashing';
import { SeenOutput } from '../projections/seen-output';
import { guarded } from './table-copy';

const PAGE = 250;

/** A run's log that was read whole: chain, form of each event, every text. */
export interface ReadRun {
  /** As its first event says. */
  ulid: string;
  createdAt: number;
  title: string;
  seq: number;
  hash: Buffer;
  epoch: number;
  /** Answered steps, those before its branch point included. */
  steps: number;
  /** Hashes (hex) of the texts it uses. */
  texts: Set<string>;
  /** Its texts were purged. */
  purged: boolean;
  /** Events that its head names and the log does not have. */
  missing: number;
  /** How far its terminals' output was seen. */
  seen: SeenOutput;
  notes: string[];
}

/**
 * Reads one run of a damaged workspace from its first event to the last that its head names.
 * @throws WaymarkError workspace_corrupt with what stops it, workspace_newer
 */
export function readRun(statements: Statements, blobs: BlobStore, id: number, ulid: string): ReadRun {
  try {
    return walk(statements, blobs, id, ulid);
  } catch (thrown) {
    throw storeFailure(thrown, `the log of run ${ulid}`);
  }
}

function walk(statements: Statements, blobs: BlobStore, id: number, ulid: string): ReadRun {
  const read: ReadRun = {
    ulid: '',
    createdAt: 0,
    title: '',
    seq: 0,
    hash: CHAIN_START,
    epoch: 0,
    steps: 0,
    texts: new Set(),
    purged: false,
    missing: 0,
    seen: new SeenOutput(),
    notes: [],
  };
  let content = CHAIN_START;
  for (let more = true; more; ) {
    const rows = statements.all<EventRow>(
      `SELECT ${EVENT_COLUMNS} FROM event WHERE id BETWEEN ? AND ? ORDER BY id LIMIT ${PAGE}`,
      rowId(id, read.seq + 1),
      rowId(id, LAST_SEQ),
    );
    for (const row of rows) {
      if (seqOf(row.id) !== read.seq + 1) {
        throw lost(`Events from ${read.seq + 1} on are missing.`);
      }
      if (row.purged === 0 && !eventHash(read.hash, row).equals(row.hash)) {
        throw lost(`Event ${read.seq + 1} is not what was stored.`);
      }
      const event = decodeEvent(row, ulid, (sha) => blobs.read(sha));
      if (event.kind === 'run.created') {
        Object.assign(read, { ulid: event.body.run, createdAt: event.at, title: event.body.title });
      } else if (event.kind === 'model.answered') {
        read.steps = Math.max(read.steps, event.body.step);
      } else if (event.kind === 'session.opened') {
        read.seen.opened(event.body);
      } else if (event.kind === 'action.observed') {
        read.seen.observed(event.body);
      } else if (event.kind === 'branch.began') {
        read.steps = event.body.parent.step;
      }
      for (const sha of row.body.includes('"$text"') ? textReferences(JSON.parse(row.body)) : []) {
        read.texts.add(sha);
      }
      content = row.purged === 0 ? content : eventHash(content, row);
      read.purged ||= row.purged !== 0;
      read.seq += 1;
      read.hash = row.hash;
      read.epoch = Math.max(read.epoch, row.epoch);
    }
    more = rows.length > 0;
  }
  if (read.ulid === '') {
    throw lost('It has no beginning.');
  }
  checkEnd(statements, id, read, content);
  return read;
}

function checkEnd(statements: Statements, id: number, read: ReadRun, content: Buffer): void {
  guarded(
    (why) => read.notes.push(`Whether event ${read.seq} was its last is not known. ${why}`),
    () => {
      const head = statements.get<{ seq: number; hash: Buffer }>(
        'SELECT seq, hash FROM run_head WHERE run = ?',
        id,
      );
      if (head === undefined) throw lost('The row with its end is missing.');
      if (head.seq > read.seq) read.missing = head.seq - read.seq;
    },
  );
  if (read.missing > 0) {
    throw lost(`Its last events are missing: ${read.missing} after event ${read.seq}.`);
  }
  const grave = statements.get<{ content: Buffer | null; done: number }>(
    "SELECT content, done FROM tombstone WHERE run = ? AND mode = 'text'",
    id,
  );
  const sound = read.purged
    ? grave?.done === 1 && grave.content?.equals(content) === true
    : grave === undefined;
  if (!sound) {
    throw lost('Its texts were being removed, or what a removal left was changed.');
  }
}

function lost(message: string): WaymarkError {
  return new WaymarkError('workspace_corrupt', message);
}
