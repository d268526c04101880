import type { AnnotationEntry } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import { storeFailure } from '../database';
import { CHAIN_START, CHAIN_START_LINK, chainHash, chainLink } from '../hashing';
import type { StoredOutboxEntry } from '../outbox-log';
import type { Statements } from '../rows';
import { type SourceEntry, storedEntries } from '../stored-entries';
import { parseEntry } from './backup-file';

/** An entry that was read and checked; `parsed` null: it was purged with its run. */
export interface ReadEntry extends SourceEntry {
  parsed: AnnotationEntry | null;
}

/** One row of the outbox as it was stored. */
export interface OutboxRow {
  id: number;
  ulid: string;
  purged: number;
  body: string;
  hash: Buffer;
}

/**
 * Each device's entries as far as they are whole in one of the sources, whichever reaches farther: both are the beginning
 * of one log. A source that cannot be read on ends there, and `unread` hears why.
 */
export function annotationLogs(
  sources: readonly Statements[],
  unread: (why: string) => void,
): Map<string, ReadEntry[]> {
  const longest = new Map<string, ReadEntry[]>();
  for (const source of sources) {
    for (const [device, entries] of chainsOf(source, unread)) {
      if (entries.length > (longest.get(device)?.length ?? 0)) {
        longest.set(device, entries);
      }
    }
  }
  return longest;
}

function chainsOf(source: Statements, unread: (why: string) => void): Map<string, ReadEntry[]> {
  const chains = new Map<string, ReadEntry[]>();
  const ended = new Set<string>();
  guarded(unread, () => {
    for (const entry of storedEntries(source)) {
      const chain = chains.get(entry.device) ?? [];
      chains.set(entry.device, chain);
      const parsed = entry.body === '' ? null : parseEntry(entry.body);
      const before = chain.at(-1)?.hash ?? CHAIN_START_LINK;
      const whole =
        entry.deviceSeq === chain.length + 1 &&
        (entry.body === '' || (parsed !== null && chainLink(before, entry.body) === entry.hash)) &&
        (parsed === null || belongs(parsed, entry));
      if (whole && !ended.has(entry.device)) {
        chain.push({ ...entry, parsed });
      } else if (!ended.has(entry.device)) {
        ended.add(entry.device);
        unread(
          `Entries of device ${entry.device} from ${chain.length + 1} on are missing or not what was stored.`,
        );
      }
    }
  });
  return chains;
}

function belongs(parsed: AnnotationEntry, { ulid, device, deviceSeq, run }: SourceEntry): boolean {
  const { target } = parsed;
  return (
    parsed.ulid === ulid &&
    parsed.device === device &&
    parsed.deviceSeq === deviceSeq &&
    target.run === run &&
    target.from <= target.to
  );
}

/** A run's outbox as far as it is whole in one of the sources, whichever reaches farther. */
export function outboxOf(
  sources: readonly Statements[],
  run: string,
  unread: (why: string) => void,
): OutboxRow[] {
  let longest: OutboxRow[] = [];
  for (const source of sources) {
    const rows: OutboxRow[] = [];
    guarded(unread, () => {
      const stored = source
        .prepare(
          'SELECT o.id, o.ulid, o.purged, o.body, o.hash FROM outbox o JOIN run r ON r.id = o.run WHERE r.ulid = ? ORDER BY o.id',
        )
        .iterate(run) as IterableIterator<OutboxRow>;
      for (const row of stored) {
        if (row.purged === 0 && !isNext(row, rows.at(-1)?.hash ?? CHAIN_START, run)) {
          unread('Some of its hints and requests are missing or not what was stored.');
          return;
        }
        rows.push(row);
      }
    });
    longest = rows.length > longest.length ? rows : longest;
  }
  return longest;
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
