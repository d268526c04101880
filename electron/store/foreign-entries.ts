import { type AnnotationEntry, annotationEntrySchema } from '@shared/annotations';
import { WaymarkError } from '@shared/errors';
import type { AnnotationSource, SourceEntry } from './annotation-source';
import { CHAIN_START, chainHash } from './hashing';
import type { Statements } from './rows';

/** How long the thread is held at a time, ms. */
const TURN_MS = 5;

export interface ForeignEntries {
  /** Entries that are here already. */
  known: number;
  /** The others, in the order of each device. */
  fresh: SourceEntry[];
}

/**
 * Reads another annotation log whole and checks it before anything is taken: each device's entries without a gap from
 * its first, the chain over them, their form, and that this workspace knows no other entry in the same place.
 * @throws WaymarkError workspace_corrupt, conflict, unsupported
 */
export async function readForeignEntries(
  statements: Statements,
  source: AnnotationSource,
  where: string,
): Promise<ForeignEntries> {
  const found: ForeignEntries = { known: 0, fresh: [] };
  const ended = new Set<string>();
  let last = { device: '', seq: 0, hash: CHAIN_START };
  let turn = performance.now();
  for (const entry of source.entries()) {
    if (entry.device !== last.device) {
      ended.add(last.device);
      last = { device: entry.device, seq: 0, hash: CHAIN_START };
    }
    if (ended.has(entry.device) || entry.deviceSeq !== last.seq + 1) {
      throw broken(where, entry, `comes after number ${last.seq}`);
    }
    if (entry.body !== '' && !chainHash(last.hash, entry.body).equals(entry.hash)) {
      throw broken(where, entry, 'or one before it was changed after it was stored');
    }
    if (isKnown(statements, entry, where)) {
      found.known += 1;
    } else {
      checkForm(entry, where);
      found.fresh.push(entry);
    }
    last = { device: entry.device, seq: entry.deviceSeq, hash: entry.hash };
    if (performance.now() - turn > TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      turn = performance.now();
    }
  }
  return found;
}

/** Whether the same entry is here; its link of the chain says so. @throws WaymarkError conflict */
export function isKnown(statements: Statements, entry: SourceEntry, where: string): boolean {
  const here =
    statements.get<{ hash: Buffer }>(
      'SELECT hash FROM annotation WHERE device = ? AND device_seq = ?',
      entry.device,
      entry.deviceSeq,
    ) ??
    statements.get<{ hash: Buffer }>(
      'SELECT hash FROM kept_annotation WHERE device = ? AND device_seq = ?',
      entry.device,
      entry.deviceSeq,
    );
  if (here?.hash.equals(entry.hash) === true) {
    return true;
  }
  const other =
    here ??
    statements.get('SELECT 1 FROM annotation WHERE ulid = ?', entry.ulid) ??
    statements.get('SELECT 1 FROM kept_annotation WHERE ulid = ?', entry.ulid);
  if (other === undefined) {
    return false;
  }
  throw new WaymarkError(
    'conflict',
    `Entry ${entry.deviceSeq} of device ${entry.device} is not the same in ${where} as here: the log of one device was written in two places. Nothing was taken.`,
  );
}

/** The form of what is taken over is checked as that of what is written here. */
function checkForm({ body, ulid, device, deviceSeq, run }: SourceEntry, where: string): void {
  if (body === '') {
    return;
  }
  const parsed = annotationEntrySchema.safeParse(JSON.parse(body));
  if (!parsed.success) {
    throw new WaymarkError(
      'unsupported',
      `Entry ${deviceSeq} of device ${device} in ${where} is of a kind this application does not know. Update it. Nothing was taken.`,
      parsed.error.message,
    );
  }
  const entry: AnnotationEntry = parsed.data;
  const same =
    entry.ulid === ulid &&
    entry.device === device &&
    entry.deviceSeq === deviceSeq &&
    entry.target.run === run &&
    entry.target.from <= entry.target.to;
  if (!same) {
    throw broken(where, { device, deviceSeq }, 'contradicts its row');
  }
}

function broken(
  where: string,
  { device, deviceSeq }: Pick<SourceEntry, 'device' | 'deviceSeq'>,
  why: string,
): WaymarkError {
  return new WaymarkError(
    'workspace_corrupt',
    `The annotation log in ${where} is damaged: entry ${deviceSeq} of device ${device} ${why}. Nothing was taken. Run "verify" there.`,
  );
}
