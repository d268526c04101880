import { WaymarkError } from '@shared/errors';
import { storeFailure } from '../database';
import { CHAIN_START, chainHash } from '../hashing';
import type { StoredOutboxEntry } from '../outbox-log';
import type { Statements } from '../rows';

/** One row of the outbox as it was stored. */
export interface OutboxRow {
  id: number;
  ulid: string;
  purged: number;
  body: string;
  hash: Buffer;
}

export interface ReadOutbox {
  rows: OutboxRow[];
  /** Entries that one of the sources holds and that cannot be brought back, and why. */
  lost: number;
  unread: string[];
}

/** A run's outbox as far as it is whole in one of the sources, whichever reaches farther. */
export function outboxOf(sources: readonly Statements[], run: string): ReadOutbox {
  const read: ReadOutbox = { rows: [], lost: 0, unread: [] };
  const seen = new Set<string>();
  for (const source of sources) {
    const rows: OutboxRow[] = [];
    let whole = true;
    guarded(
      (why) => read.unread.push(why),
      () => {
        const stored = source
          .prepare(
            'SELECT o.id, o.ulid, o.purged, o.body, o.hash FROM outbox o JOIN run r ON r.id = o.run WHERE r.ulid = ? ORDER BY o.id',
          )
          .iterate(run) as IterableIterator<OutboxRow>;
        for (const row of stored) {
          seen.add(row.ulid);
          whole &&= row.purged !== 0 || isNext(row, rows.at(-1)?.hash ?? CHAIN_START, run);
          if (whole) rows.push(row);
        }
      },
    );
    if (rows.length > read.rows.length) read.rows = rows;
  }
  for (const { ulid } of read.rows) seen.delete(ulid);
  return { ...read, lost: seen.size };
}

function isNext({ ulid, body, hash }: OutboxRow, before: Buffer, run: string): boolean {
  if (!chainHash(before, body).equals(hash)) {
    return false;
  }
  const entry = JSON.parse(body) as StoredOutboxEntry;
  return entry.ulid === ulid && entry.run === run;
}

/** Damage ends the reading; what was read before it holds. */
export function guarded(unread: (why: string) => void, read: () => void): void {
  try {
    read();
  } catch (thrown) {
    const failure = storeFailure(thrown, 'a table of the workspace');
    const known = failure instanceof WaymarkError;
    if (known && (failure.code === 'disk_full' || failure.code === 'workspace_newer')) {
      throw failure;
    }
    // Damage shows itself in every way: as a page, or as a value of the wrong kind.
    const detail = known ? failure.detail : undefined;
    unread(
      `The rest could not be read: ${detail ?? (thrown instanceof Error ? thrown.message : String(thrown))}.`,
    );
  }
}
