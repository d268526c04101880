import type { AnnotationEntry } from '@shared/log/annotations';
import type { Statements } from '../file/rows';
import { LINK_LOST } from '../log/hashing';
import { parseEntry } from './backup-file';
import { guarded } from './table-copy';

/** One row of an annotation log as it lies on the disk; nothing of it is proved yet. */
export interface StoredRow {
  device: string;
  deviceSeq: number;
  ulid: string;
  /** Null: the list of runs does not name its run, and its body does not either. */
  run: string | null;
  /** UUID of who said it, '' where the row does not say it. */
  author: string;
  /** '' when it was purged with its run, or emptied by damage. */
  body: string;
  /** Its words were deleted together with its run. */
  purged: boolean;
  hash: Buffer;
  /** Null: purged, emptied, or of no known form. */
  parsed: AnnotationEntry | null;
  /** Columns and body say the same. */
  agrees: boolean;
  /** Its run has a row in the list of runs, or it was kept aside because the run is not there. */
  placed: boolean;
}

/** Rows of one source, by device and by number. */
export type RowsByDevice = Map<string, Map<number, StoredRow>>;

interface RawRow {
  device: unknown;
  deviceSeq: unknown;
  ulid: unknown;
  run: unknown;
  author: unknown;
  body: unknown;
  purged: unknown;
  hash: unknown;
}

const KEPT = "device, device_seq AS deviceSeq, ulid, run, '' AS author, body, body = '' AS purged, hash";
const STORED = 'device, device_seq AS deviceSeq, ulid, run, author, body, purged, hash';

/** Every row of a source's annotation log that can be read, from the beginning up to damage and from the end back to it. */
export function readRows(source: Statements, unread: (why: string) => void): RowsByDevice {
  const found: RowsByDevice = new Map();
  const runs = new Map<unknown, string>();
  guarded(unread, () => {
    for (const { id, ulid } of source.all<{ id: number; ulid: string }>('SELECT id, ulid FROM run'))
      runs.set(id, ulid);
  });
  const take = (raw: RawRow, kept: boolean) => {
    const row = asRow(raw, kept ? raw.run : runs.get(raw.run), kept || runs.has(raw.run));
    if (row === null) return;
    const rows = found.get(row.device) ?? new Map<number, StoredRow>();
    found.set(row.device, rows);
    const before = rows.get(row.deviceSeq);
    if (before === undefined || (!before.agrees && row.agrees)) rows.set(row.deviceSeq, row);
  };
  bothWays(source, STORED, 'annotation', ['id'], unread, (raw) => take(raw, false));
  const keeps = () => source.get("SELECT 1 FROM sqlite_schema WHERE name = 'kept_annotation'") !== undefined;
  guarded(unread, () => {
    if (keeps())
      bothWays(source, KEPT, 'kept_annotation', ['device', 'device_seq'], unread, (raw) => take(raw, true));
  });
  return found;
}

function bothWays(
  source: Statements,
  columns: string,
  table: string,
  key: string[],
  unread: (why: string) => void,
  take: (raw: RawRow) => void,
): void {
  let whole = false;
  const read = (order: string) => {
    const sql = `SELECT ${columns} FROM ${table} ORDER BY ${key.map((each) => `${each} ${order}`).join()}`;
    for (const raw of source.prepare(sql).iterate() as IterableIterator<RawRow>) take(raw);
    whole = true;
  };
  guarded(unread, () => read('ASC'));
  // The same damage ends the way back.
  if (!whole) {
    guarded(
      () => undefined,
      () => read('DESC'),
    );
  }
}

/** What the body says goes before the columns: the chain proves the body. Null: not even its place is known. */
function asRow(raw: RawRow, run: unknown, placed: boolean): StoredRow | null {
  const body = typeof raw.body === 'string' ? raw.body : '';
  const purged = raw.body === '' && raw.purged === 1;
  const hash = raw.hash instanceof Buffer && raw.hash.length === 32 ? raw.hash : LINK_LOST;
  const parsed = body === '' ? null : parseEntry(body);
  const device = parsed?.device ?? raw.device;
  const deviceSeq = parsed?.deviceSeq ?? raw.deviceSeq;
  const ulid = parsed?.ulid ?? (typeof raw.ulid === 'string' ? raw.ulid : '');
  if (typeof device !== 'string') return null;
  if (typeof deviceSeq !== 'number' || !Number.isSafeInteger(deviceSeq) || deviceSeq < 1) return null;
  const named = typeof run === 'string' ? run : null;
  return {
    device,
    deviceSeq,
    ulid,
    body,
    purged,
    hash,
    parsed,
    placed,
    run: parsed?.target.run ?? named,
    author: parsed?.author.uuid ?? (typeof raw.author === 'string' ? raw.author : ''),
    agrees:
      parsed === null ||
      (raw.device === device &&
        raw.deviceSeq === deviceSeq &&
        raw.ulid === ulid &&
        (named === null || named === parsed.target.run) &&
        (raw.author === '' || raw.author === parsed.author.uuid) &&
        parsed.target.from <= parsed.target.to),
  };
}
