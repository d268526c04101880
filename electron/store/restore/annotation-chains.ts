import { isId } from '@shared/contract/id';
import type { AnnotationEntry } from '@shared/log/annotations';
import { newUlid } from '../../base/new-ulid';
import type { Statements } from '../file/rows';
import { type AnnotationEnd, notedEnds } from '../log/annotation-ends';
import { CHAIN_START, chainHash, LINK_LOST } from '../log/hashing';
import { type RowsByDevice, readRows, type StoredRow } from './damaged-entries';
import { guarded } from './table-copy';

/** An entry of the new log; `parsed` null: only its place in the chain is known, as it was purged or lost. */
export interface ReadEntry {
  device: string;
  deviceSeq: number;
  ulid: string;
  run: string;
  body: string;
  hash: Buffer;
  parsed: AnnotationEntry | null;
  /** False: the workspace holds it as an entry of a run that its list of runs does not name. */
  placed: boolean;
}

/** An entry that was recorded and cannot be brought back. */
export interface LostEntry {
  device: string;
  deviceSeq: number;
  /** Name, else UUID; null: nothing tells. */
  author: string | null;
  run: string | null;
}

/** A device whose log goes on differently in the folder and in the backup; both sides are brought back. */
export interface Fork {
  device: string;
  /** First number that is not the same. */
  from: number;
  /** Entries from there on, and under which device those of the backup come back. */
  folder: number;
  backup: number;
  as: string;
}

export interface AnnotationChains {
  entries: ReadEntry[];
  lost: LostEntry[];
  /** Entries behind a missing one, taken as they are stored: no link of the chain proves them. */
  unproved: { device: string; deviceSeq: number }[];
  forks: Fork[];
  /** What stopped the reading of the folder; of interest only where something was lost. */
  unread: string[];
}

/** Stands for the run of a lost entry where nothing names it. */
export const NO_RUN = '0'.repeat(26);

/** Entries in a row that may be missing, before a number is taken for damage. */
const LARGEST_GAP = 1_000_000;

/**
 * Puts the annotation log together from a damaged workspace and from a backup, entry by entry: what either proves comes
 * back, whatever lies before it. The place of a lost entry stays in the chain without its words.
 */
export function annotationChains(damaged: Statements | null, backup: Statements | null): AnnotationChains {
  const all: AnnotationChains = { entries: [], lost: [], unproved: [], forks: [], unread: [] };
  const read = (source: Statements | null): RowsByDevice =>
    source === null ? new Map() : readRows(source, (why) => all.unread.push(why));
  const own = read(damaged);
  const copied = read(backup);
  const ends = endsOf(damaged, [own, copied]);
  const names = new Map<string, string>();
  for (const source of [own, copied])
    for (const rows of source.values())
      for (const { parsed } of rows.values()) if (parsed) names.set(parsed.author.uuid, parsed.author.name);
  for (const device of new Set([...own.keys(), ...copied.keys(), ...ends.keys()])) {
    const log = new DeviceLog(
      device,
      own.get(device) ?? new Map(),
      copied.get(device) ?? new Map(),
      names,
      all,
    );
    log.read(ends.get(device) ?? 0);
  }
  all.entries = namedApart(all.entries);
  return all;
}

/**
 * Numbers of the last entries that the folder noted, by device. One that names an entry under which another device's words are
 * stored is damage of the note, not of the log.
 */
function endsOf(damaged: Statements | null, sources: readonly RowsByDevice[]): Map<string, number> {
  const noted: AnnotationEnd[] = [];
  if (damaged !== null) {
    guarded(
      // What cannot be read tells of no end.
      () => undefined,
      () => noted.push(...notedEnds(damaged)),
    );
  }
  const isElsewhere = ({ device, seq, hash }: AnnotationEnd) =>
    sources.some((source) =>
      [...source].some(([other, rows]) => other !== device && rows.get(seq)?.hash.equals(hash)),
    );
  return new Map(noted.filter((end) => !isElsewhere(end)).map(({ device, seq }) => [device, seq]));
}

/** Damage may leave the name of one entry on another, of which only the place is known: that one gets a new name. */
function namedApart(entries: readonly ReadEntry[]): ReadEntry[] {
  const taken = new Set(entries.filter(({ parsed }) => parsed !== null).map(({ ulid }) => ulid));
  return entries.map((entry) => {
    if (entry.parsed !== null) return entry;
    const ulid = taken.has(entry.ulid) ? newUlid() : entry.ulid;
    taken.add(ulid);
    return { ...entry, ulid };
  });
}

type Rows = ReadonlyMap<number, StoredRow>;

class DeviceLog {
  /** Link before the entry that is looked at; null: it is missing. */
  private before: Buffer | null = CHAIN_START;

  constructor(
    private readonly device: string,
    private readonly own: Rows,
    private copied: Rows,
    private readonly names: ReadonlyMap<string, string>,
    private readonly all: AnnotationChains,
  ) {}

  /** `end`: number of the last entry that is known to have been stored, 0 when none is. */
  read(end: number): void {
    const numbers = [...new Set([...this.own.keys(), ...this.copied.keys()])].sort((a, b) => a - b);
    let next = 1;
    for (const number of numbers) {
      if (number - next > LARGEST_GAP) {
        this.all.lost.push(...numbers.filter((each) => each >= number).map((each) => this.lossOf(each)));
        return;
      }
      for (; next < number; next += 1) this.lose(next);
      this.take(number);
      next = number + 1;
    }
    if (end - next < LARGEST_GAP) for (; next <= end; next += 1) this.lose(next);
  }

  private take(number: number): void {
    const [own, copy] = [this.own.get(number), this.copied.get(number)];
    if (copy !== undefined && (own === undefined || !isAnother(own, copy))) {
      // Purged since the backup was made: it stays so.
      this.put(own?.purged === true && own.hash.equals(copy.hash) ? own : copy, copy.hash);
      return;
    }
    if (copy !== undefined) this.fork(number);
    if (own !== undefined) this.takeOwn(own);
    // The backup's side alone reached as far; the folder's may go on behind a gap.
    else if ([...this.own.keys()].some((each) => each > number)) this.lose(number);
  }

  private takeOwn(own: StoredRow): void {
    const { deviceSeq, body, purged, hash, parsed, agrees } = own;
    if (purged) {
      this.put(own, hash);
    } else if (parsed === null) {
      this.lose(deviceSeq, own);
    } else if (this.before === null) {
      if (agrees) {
        this.all.unproved.push({ device: this.device, deviceSeq });
        this.put(own, hash);
      } else {
        this.lose(deviceSeq, own);
      }
    } else {
      const link = chainHash(this.before, body);
      const next = this.own.get(deviceSeq + 1);
      // Its own link may be what is damaged: then the entry behind it tells.
      const proved = link.equals(hash) || (next?.parsed && chainHash(link, next.body).equals(next.hash));
      if (proved) this.put(own, link);
      else this.lose(deviceSeq, own);
    }
  }

  private put({ device, deviceSeq, ulid, run, body, parsed, placed }: StoredRow, hash: Buffer): void {
    const kept = { device, deviceSeq, ...namesOf({ ulid, run }), body, hash };
    this.all.entries.push({ ...kept, parsed: body === '' ? null : parsed, placed });
    this.before = hash.equals(LINK_LOST) ? null : hash;
  }

  private lose(deviceSeq: number, row?: StoredRow): void {
    this.all.lost.push(this.lossOf(deviceSeq));
    this.all.entries.push({
      device: this.device,
      deviceSeq,
      ...namesOf(row),
      body: '',
      hash: row?.hash ?? LINK_LOST,
      parsed: null,
      placed: true,
    });
    this.before = row?.hash ?? null;
  }

  private lossOf(deviceSeq: number): LostEntry {
    const row = this.own.get(deviceSeq);
    const author = row === undefined || row.author === '' ? null : row.author;
    return {
      device: this.device,
      deviceSeq,
      run: row?.run ?? null,
      author: author === null ? null : (this.names.get(author) ?? author),
    };
  }

  /** From here on the log is the folder's; the backup's side comes back as the log of a device of its own. */
  private fork(from: number): void {
    const known = new Set([...this.own.values()].map(({ ulid }) => ulid));
    const other = [...this.copied.values()]
      .filter(({ deviceSeq, parsed, ulid }) => deviceSeq >= from && parsed !== null && !known.has(ulid))
      .sort((a, b) => a.deviceSeq - b.deviceSeq);
    const as = `${this.device}~${this.copied.get(from)?.hash.toString('hex').slice(0, 12)}`;
    let before = CHAIN_START;
    other.forEach(({ parsed, ulid, run, placed }, index) => {
      if (parsed === null) return;
      const entry: AnnotationEntry = { ...parsed, device: as, deviceSeq: index + 1 };
      const body = JSON.stringify(entry);
      before = chainHash(before, body);
      const place = { device: as, deviceSeq: entry.deviceSeq, ulid, run: run ?? NO_RUN };
      this.all.entries.push({ ...place, body, hash: before, parsed: entry, placed });
    });
    const folder = [...this.own.keys()].filter((number) => number >= from).length;
    this.all.forks.push({ device: this.device, from, folder, backup: other.length, as });
    this.copied = new Map();
    this.before = from === 1 ? CHAIN_START : (this.own.get(from - 1)?.hash ?? null);
  }
}

/** Two sound rows in one place that are not one entry: the log was written in two places. */
function isAnother(own: StoredRow, copy: StoredRow): boolean {
  const sound = own.purged || (own.parsed !== null && own.agrees);
  return sound && own.ulid !== copy.ulid && !own.hash.equals(copy.hash);
}

/** What a row is called, and its run; where damage left no id, a name that nobody has. */
function namesOf({ ulid, run }: Partial<Pick<StoredRow, 'ulid' | 'run'>> = {}): {
  ulid: string;
  run: string;
} {
  return { ulid: isId(ulid) ? ulid : newUlid(), run: isId(run) ? run : NO_RUN };
}
