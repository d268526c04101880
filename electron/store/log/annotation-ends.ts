import type { VerifyProblem } from '@shared/contract/views';
import type { Statements } from '../file/rows';
import { CHAIN_START } from './hashing';

/** How far one device's annotation log goes: the number of its last entry and its link of the chain. */
export interface AnnotationEnd {
  device: string;
  seq: number;
  hash: Buffer;
}

const LAST =
  'SELECT device_seq, hash FROM annotation WHERE device = :device ORDER BY device_seq DESC LIMIT 1';

/**
 * What a new entry of the device follows. Where the log's end was cut off it follows what was stored last, not what is left: a
 * number that was given away once names one entry for ever, and the gap stays to be seen.
 */
export function endOf(statements: Statements, device: string): Pick<AnnotationEnd, 'seq' | 'hash'> {
  const row = statements.get<{ seq: number | null; hash: Buffer }>(
    `SELECT max(seq) AS seq, hash FROM
       (SELECT seq, hash FROM annotation_end WHERE device = :device UNION ALL SELECT * FROM (${LAST}))`,
    { device },
  );
  return row?.seq ? { seq: row.seq, hash: row.hash } : { seq: 0, hash: CHAIN_START };
}

/** To be called in the transaction that stored the entry, the last one of its device if there are several. An earlier end is passed over. */
export function noteEnd(statements: Statements, { device, seq, hash }: AnnotationEnd): void {
  statements.run(
    `INSERT INTO annotation_end (device, seq, hash) VALUES (?, ?, ?)
     ON CONFLICT (device) DO UPDATE SET seq = excluded.seq, hash = excluded.hash WHERE excluded.seq > seq`,
    ...[device, seq, hash],
  );
}

/** As noted when entries were stored. Empty where the file is of a form that did not note it. */
export function notedEnds(statements: Statements): AnnotationEnd[] {
  const noted = statements.get("SELECT 1 FROM sqlite_schema WHERE name = 'annotation_end'") !== undefined;
  return noted ? statements.all('SELECT device, seq, hash FROM annotation_end ORDER BY device') : [];
}

/** How far the stored entries go, those kept aside included, by device. */
export function storedEnds(statements: Statements): Map<string, AnnotationEnd> {
  const hashIn = (table: string) =>
    `(SELECT hash FROM ${table} l WHERE l.device = e.device AND l.device_seq = e.seq)`;
  const rows = statements.all<AnnotationEnd>(
    `SELECT e.device, e.seq, coalesce(${hashIn('annotation')}, ${hashIn('kept_annotation')}) AS hash
     FROM (SELECT device, max(device_seq) AS seq
           FROM (SELECT device, device_seq FROM annotation UNION ALL SELECT device, device_seq FROM kept_annotation)
           GROUP BY device) e`,
  );
  return new Map(rows.map((row) => [row.device, row]));
}

/** Devices whose log ends elsewhere than was noted when it was written. A plain cut leaves no gap, and no link that is wrong. */
export function checkEnds(statements: Statements): VerifyProblem[] {
  // Of one moment: somebody may be labelling.
  const { stored, noted } = statements.db.transaction(() => ({
    stored: storedEnds(statements),
    noted: notedEnds(statements),
  }))();
  const problems: VerifyProblem[] = [];
  for (const { device, seq, hash } of noted) {
    const end = stored.get(device);
    stored.delete(device);
    if (end !== undefined && end.seq === seq && end.hash.equals(hash)) continue;
    const left = end?.seq ?? 0;
    problems.push(left < seq ? cut(device, seq, left) : otherEnd(device, left));
  }
  return [...problems, ...[...stored.values()].map(({ device, seq }) => otherEnd(device, seq))];
}

function cut(device: string, seq: number, left: number): VerifyProblem {
  const lost = seq - left;
  const which =
    lost === 1 ? 'The last entry of this device is' : `The last ${lost} entries of this device are`;
  return {
    what: 'annotation_cut',
    where: `annotation ${device} ${left + 1}`,
    message: `${which} missing: ${seq} were stored, ${left === 0 ? 'none is' : `${left} ${left === 1 ? 'is' : 'are'}`} there.`,
  };
}

function otherEnd(device: string, seq: number): VerifyProblem {
  return {
    what: 'annotation_end',
    where: `annotation ${device} ${seq}`,
    message: 'The log of this device does not end with the entry that was noted as its last.',
  };
}
