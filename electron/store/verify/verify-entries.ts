import type { VerifyProblem } from '@shared/contract/views';
import type { AnnotationEntry } from '@shared/log/annotations';
import type { Statements } from '../file/rows';
import { CHAIN_START, chainHash, LINK_LOST } from '../log/hashing';
import { mayBeEmpty, mayBeWordless } from '../log/lost-places';
import type { StoredOutboxEntry } from '../log/outbox-log';

interface OutboxRow {
  id: number;
  ulid: string;
  run: number;
  run_ulid: string | null;
  purged: number;
  body: string;
  hash: Buffer;
  /** 1: its run was removed, or `restore` found its words lost: nothing of it is left. */
  gone: number;
  /** 1: the texts of its run were purged: what is left says what it was, without words. */
  wordless: number;
}

/**
 * Outbox: one chain per run; columns repeat what the stored entry says. The place of an entry that `restore` found lost is no gap.
 * An entry has no words only where a tombstone says that its run was removed or its texts were purged, or where `restore` says of
 * its place that they are lost: `purged` alone excuses nothing.
 */
export function checkOutbox(statements: Statements): VerifyProblem[] {
  const problems: VerifyProblem[] = [];
  const last = new Map<number, Buffer>();
  // A backup has neither: what it was made of was checked with them.
  const [gone, wordless] = hasTombstones(statements) ? [mayBeEmpty, mayBeWordless] : ['o.purged', 'o.purged'];
  const rows = statements
    .prepare(
      `SELECT o.*, r.ulid AS run_ulid, ${gone} AS gone, ${wordless} AS wordless FROM outbox o LEFT JOIN run r ON r.id = o.run ORDER BY o.id`,
    )
    .iterate() as IterableIterator<OutboxRow>;
  for (const row of rows) {
    const where = `outbox ${row.id}`;
    if (row.purged === 0) {
      const before = last.get(row.run) ?? CHAIN_START;
      if (!before.equals(LINK_LOST) && !chainHash(before, row.body).equals(row.hash)) {
        problems.push({
          what: 'outbox_chain',
          where,
          message: 'This entry or one before it was changed after it was stored.',
        });
      } else {
        const entry = JSON.parse(row.body) as StoredOutboxEntry;
        if (entry.ulid !== row.ulid || entry.run !== row.run_ulid) {
          problems.push({ what: 'outbox_row', where, message: 'Columns and stored entry differ.' });
        }
      }
    } else {
      const message = wronglyPurged(row);
      if (message !== null) problems.push({ what: 'outbox_purged', where, message });
    }
    last.set(row.run, row.hash);
  }
  return problems;
}

interface AnnotationRow {
  /** 1: its run, or its steps, are not here; the columns that only labels need are empty. */
  kept: number;
  ulid: string;
  run_ulid: string | null;
  author: string;
  op: string;
  undoes: string | null;
  device: string;
  device_seq: number;
  purged: number;
  /** 1: its run was removed, by a tombstone that says so. */
  removed: number;
  body: string;
  hash: Buffer;
}

/**
 * Annotation log: one chain and one gapless count per device, over the entries that are kept aside as well. The place of an
 * entry that `restore` found lost is no gap.
 *
 * An entry of the log itself has no words only where its run was removed: purging texts leaves labels, an entry that came without
 * words from elsewhere is kept aside, and so is one that was lost. So `purged` alone excuses nothing. Its link still counts: the
 * entry behind it, or the noted end of the log, is proved by it.
 */
export function checkAnnotations(statements: Statements): VerifyProblem[] {
  const problems: VerifyProblem[] = [];
  let last: { device: string; seq: number; hash: Buffer } | undefined;
  // A backup has no tombstones: what it was made of was checked with them.
  const removed = hasTombstones(statements)
    ? "EXISTS (SELECT 1 FROM tombstone t WHERE t.run = a.run AND t.mode = 'run')"
    : 'a.purged';
  const rows = statements
    .prepare(
      `SELECT a.ulid, r.ulid AS run_ulid, a.author, a.op, a.undoes, a.device, a.device_seq, a.purged, a.body, a.hash, 0 AS kept,
         ${removed} AS removed
       FROM annotation a LEFT JOIN run r ON r.id = a.run
       UNION ALL
       SELECT k.ulid, k.run, '', '', NULL, k.device, k.device_seq, k.body = '', k.body, k.hash, 1, 0 FROM kept_annotation k
       ORDER BY device, device_seq`,
    )
    .iterate() as IterableIterator<AnnotationRow>;
  for (const row of rows) {
    const where = `annotation ${row.device} ${row.device_seq}`;
    const before = last?.device === row.device ? last : { device: row.device, seq: 0, hash: CHAIN_START };
    if (row.device_seq !== before.seq + 1) {
      problems.push({
        what: 'annotation_gap',
        where,
        message: `Entry ${before.seq + 1} of this device is missing.`,
      });
    }
    if (row.purged === 0) {
      if (!before.hash.equals(LINK_LOST) && !chainHash(before.hash, row.body).equals(row.hash)) {
        problems.push({
          what: 'annotation_chain',
          where,
          message: 'This entry or one before it was changed after it was stored.',
        });
      } else if (!columnsMatch(row)) {
        problems.push({ what: 'annotation_row', where, message: 'Columns and stored entry differ.' });
      }
    } else if (row.kept === 0) {
      const message = wronglyEmptied(row);
      if (message !== null) problems.push({ what: 'annotation_purged', where, message });
    }
    last = { device: row.device, seq: row.device_seq, hash: row.hash };
  }
  return problems;
}

function hasTombstones(statements: Statements): boolean {
  return statements.get("SELECT 1 FROM sqlite_schema WHERE name = 'tombstone'") !== undefined;
}

function wronglyPurged({ gone, wordless, body }: OutboxRow): string | null {
  if (body === '')
    return gone === 1
      ? null
      : 'This entry was emptied, but its run was not removed and no restore found it lost, so something else emptied it. Get it back with "restore".';
  const { text = '', note = '', reason = '' } = (JSON.parse(body) as { body: Record<string, unknown> }).body;
  return wordless === 1 && [text, note, reason].every((words) => words === '')
    ? null
    : 'This entry says that it was emptied, and still has words.';
}

function wronglyEmptied({ removed, body }: AnnotationRow): string | null {
  if (removed === 0)
    return 'This entry was emptied, but its run was not removed, so something else emptied it. Get it back with "restore".';
  return body === '' ? null : 'This entry says that it was emptied with its run, and still has words.';
}

function columnsMatch(row: AnnotationRow): boolean {
  const entry = JSON.parse(row.body) as AnnotationEntry;
  return (
    entry.ulid === row.ulid &&
    entry.device === row.device &&
    entry.deviceSeq === row.device_seq &&
    entry.target.run === row.run_ulid &&
    (row.kept === 1 ||
      (entry.author.uuid === row.author &&
        entry.body.op === row.op &&
        (entry.body.op === 'undo' ? entry.body.entry : null) === row.undoes))
  );
}
