import { WaymarkError } from '@shared/contract/errors';
import { isPlainLabel } from '@shared/labels/plain-label';
import { type AnnotationEntry, annotationEntrySchema } from '@shared/log/annotations';
import type { Statements } from '../file/rows';
import type { AnnotationSource } from './annotation-source';
import { CHAIN_START_LINK, chainLink, LINK_LOST } from './hashing';
import type { SourceEntry } from './stored-entries';

/** How long the thread is held at a time, ms. */
const TURN_MS = 5;

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

/** Entries that are compared with what is here in one question. */
const PAGE = 500;

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
  const chains = new Chains(where);
  let page: SourceEntry[] = [];
  let turn = performance.now();
  const compare = () => {
    const fresh = withoutKnown(statements, page, where);
    found.known += page.length - fresh.length;
    for (const entry of fresh) {
      found.fresh.push(Object.assign(entry, { parsed: checkForm(entry, where) }));
    }
    page = [];
  };
  for (const entry of source.entries()) {
    chains.check(entry);
    page.push(entry);
    if (page.length === PAGE) {
      compare();
    }
    if (performance.now() - turn > TURN_MS) {
      await new Promise((resolve) => setImmediate(resolve));
      turn = performance.now();
    }
  }
  compare();
  return found;
}

class Chains {
  private readonly ended = new Set<string>();
  private device = '';
  private seq = 0;
  private hash = CHAIN_START_LINK;

  constructor(private readonly where: string) {}

  check(entry: SourceEntry): void {
    if (entry.device !== this.device) {
      this.ended.add(this.device);
      this.device = entry.device;
      this.seq = 0;
      this.hash = CHAIN_START_LINK;
    }
    if (this.ended.has(entry.device) || entry.deviceSeq !== this.seq + 1) {
      throw broken(this.where, entry, `comes after number ${this.seq}`);
    }
    if (entry.body !== '' && this.hash !== LOST && chainLink(this.hash, entry.body) !== entry.hash) {
      throw broken(this.where, entry, 'or one before it was changed after it was stored');
    }
    this.seq = entry.deviceSeq;
    this.hash = entry.hash;
  }
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
const LOST = LINK_LOST.toString('hex');

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

/** The form of what is taken over is checked as that of what is written here. */
function checkForm(
  { body, ulid, device, deviceSeq, run }: SourceEntry,
  where: string,
): AnnotationEntry | null {
  if (body === '') {
    return null;
  }
  const stored: unknown = JSON.parse(body);
  const parsed = isPlainLabel(stored)
    ? { success: true as const, data: stored }
    : annotationEntrySchema.safeParse(stored);
  if (!parsed.success) {
    throw new WaymarkError(
      'unsupported',
      `Entry ${deviceSeq} of device ${device} in ${where} is of a kind this application does not know. Update it. Nothing was merged.`,
      parsed.error.message,
    );
  }
  const entry = parsed.data;
  const same =
    entry.ulid === ulid &&
    entry.device === device &&
    entry.deviceSeq === deviceSeq &&
    entry.target.run === run &&
    entry.target.from <= entry.target.to;
  if (!same) {
    throw broken(where, { device, deviceSeq }, 'contradicts its row');
  }
  return entry;
}

function broken(
  where: string,
  { device, deviceSeq }: Pick<SourceEntry, 'device' | 'deviceSeq'>,
  why: string,
): WaymarkError {
  return new WaymarkError(
    'workspace_corrupt',
    `The annotation log in ${where} is damaged: entry ${deviceSeq} of device ${device} ${why}. Nothing was merged. Run "verify" there.`,
  );
}
