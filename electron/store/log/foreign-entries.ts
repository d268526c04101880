import { WaymarkError } from '@shared/contract/errors';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { Statements } from '../file/rows';
import type { ForeignLog } from './checked-log';
import { LOST } from './hashing';
import type { SourceEntry } from './stored-entries';

/** An entry that is not here, with its form checked; `parsed` null: it was purged with its run. */
export interface FreshEntry extends SourceEntry {
  parsed: AnnotationEntry | null;
}

export interface ForeignEntries {
  /** Entries that are here already. */
  known: number;
  /** The others, in the order of each device. */
  fresh: FreshEntry[];
}

/**
 * Goes through another annotation log, page by page as its thread hands them over, and compares it with what is here.
 * @throws WaymarkError conflict when this workspace knows another entry in the same place, workspace_corrupt when two entries have
 * one id, and what the log is refused with
 */
export async function readForeignEntries(
  statements: Statements,
  log: ForeignLog,
  where: string,
): Promise<ForeignEntries> {
  const found: ForeignEntries = { known: 0, fresh: [] };
  const ids = new Set<string>();
  // The next page is read and checked while this one is compared.
  let coming = log.next();
  for (let page = await coming; page !== null; page = await coming) {
    coming = log.next();
    // Nobody waits for it any longer once this page is refused.
    coming.catch(() => undefined);
    const fresh = withoutKnown(statements, page, where);
    found.known += page.length - fresh.length;
    for (const entry of fresh) {
      if (ids.has(entry.ulid)) {
        throw new WaymarkError(
          'workspace_corrupt',
          `Entry ${entry.deviceSeq} of device ${entry.device} in ${where} has the id of another entry there, ${entry.ulid}. Nothing was merged.`,
        );
      }
      ids.add(entry.ulid);
      // Its form was checked where it was read.
      const parsed = entry.body === '' ? null : (JSON.parse(entry.body) as AnnotationEntry);
      found.fresh.push(Object.assign(entry, { parsed }));
    }
  }
  return found;
}

interface KnownRow {
  ulid: string;
  device: string;
  deviceSeq: number;
  hash: string;
}

const IN_PLACE = (table: string) =>
  `SELECT ulid, device, device_seq AS deviceSeq, lower(hex(hash)) AS hash FROM ${table} WHERE device = ? AND device_seq BETWEEN ? AND ?`;
const BY_ID = (table: string) =>
  `SELECT t.ulid, t.device, t.device_seq AS deviceSeq, lower(hex(t.hash)) AS hash FROM json_each(?) j JOIN ${table} t ON t.ulid = j.value`;
const TABLES = ['annotation', 'kept_annotation'];

/**
 * Those that are not here. The same link of the chain in the same place is the same entry, and all before it is the same.
 * @throws WaymarkError conflict when another entry has the place or the id of one
 */
export function withoutKnown<T extends SourceEntry>(
  statements: Statements,
  entries: readonly T[],
  where: string,
): T[] {
  const rows = TABLES.flatMap((table) => [
    ...spans(entries).flatMap(({ device, from, to }) =>
      statements.all<KnownRow>(IN_PLACE(table), device, from, to),
    ),
    ...statements.all<KnownRow>(BY_ID(table), JSON.stringify(entries.map(({ ulid }) => ulid))),
  ]);
  if (rows.length === 0) {
    return [...entries];
  }
  const places = new Map(rows.map((row) => [`${row.deviceSeq} ${row.device}`, row]));
  const ids = new Map(rows.map((row) => [row.ulid, row]));
  return entries.filter((entry) => {
    const place = places.get(`${entry.deviceSeq} ${entry.device}`);
    const named = ids.get(entry.ulid);
    if (place !== undefined && isSame(place, entry)) {
      return false;
    }
    if (place === undefined && named === undefined) {
      return true;
    }
    throw new WaymarkError(
      'conflict',
      `Entry ${entry.deviceSeq} of device ${entry.device} is not the same in ${where} as here: the log of one device was written in two places. Nothing was merged.`,
    );
  });
}

/** A place whose entry `restore` found lost, here or there, contradicts nothing. */
function isSame({ hash }: KnownRow, entry: SourceEntry): boolean {
  return hash === entry.hash || hash === LOST || entry.hash === LOST;
}

/** Numbers of each device among the entries, which come in their order. */
function spans(entries: readonly SourceEntry[]): { device: string; from: number; to: number }[] {
  const found: { device: string; from: number; to: number }[] = [];
  for (const { device, deviceSeq } of entries) {
    const last = found.at(-1);
    if (last?.device === device) {
      last.to = deviceSeq;
    } else {
      found.push({ device, from: deviceSeq, to: deviceSeq });
    }
  }
  return found;
}
