import type { Statements } from '../file/rows';

/** One entry of an annotation log as it was stored. */
export interface SourceEntry {
  device: string;
  deviceSeq: number;
  ulid: string;
  /** Its run's id; the run need not be there. */
  run: string;
  /** Verbatim; '' when it was purged with its run: the chain goes on over its hash. */
  body: string;
  /** Its link of the chain, sha256 in hex: a buffer for each of many entries costs more than reading it. */
  hash: string;
}

const PAGE = 500;
const LINK = 'lower(hex(a.hash)) AS hash';
const COLUMNS = 'a.device, a.device_seq AS deviceSeq, a.ulid';
const AFTER = '(a.device, a.device_seq) > (:device, :deviceSeq) ORDER BY 1, 2 LIMIT :limit';

/** Entries of a workspace page by page, those kept aside for runs that are not there among them. */
export function* storedEntries(statements: Statements): IterableIterator<SourceEntry> {
  const keeps = statements.get("SELECT 1 FROM sqlite_schema WHERE name = 'kept_annotation'") !== undefined;
  const stored = `SELECT ${COLUMNS}, r.ulid AS run, a.body, ${LINK}
    FROM annotation a JOIN run r ON r.id = a.run WHERE ${AFTER}`;
  const kept = `SELECT ${COLUMNS}, a.run, a.body, ${LINK} FROM kept_annotation a WHERE ${AFTER}`;
  const both = `SELECT * FROM (${stored}) UNION ALL SELECT * FROM (${kept}) ORDER BY 1, 2 LIMIT :limit`;
  let last = { device: '', deviceSeq: 0 };
  for (;;) {
    // Both are sorted again when they are put together, so it is not done for nothing.
    const some = keeps && statements.get('SELECT 1 FROM kept_annotation LIMIT 1') !== undefined;
    const page = statements.all<SourceEntry>(some ? both : stored, { ...last, limit: PAGE });
    yield* page;
    const end = page.at(-1);
    if (end === undefined) {
      return;
    }
    last = { device: end.device, deviceSeq: end.deviceSeq };
  }
}
