import { isId } from '@shared/contract/id';
import { outboxOps } from '@shared/log/outbox';
import { newUlid } from '../../base/new-ulid';
import type { Statements } from '../file/rows';
import { CHAIN_START, chainHash, LINK_LOST } from '../log/hashing';
import { mayBeEmpty } from '../log/lost-places';
import type { StoredOutboxEntry } from '../log/outbox-log';
import { guarded } from './table-copy';

/** One row of the outbox; `body` '': its words were purged, or are lost. */
export interface OutboxRow {
  id: number;
  ulid: string;
  purged: number;
  body: string;
  hash: Buffer;
}

export interface ReadOutbox {
  rows: OutboxRow[];
  /** Entries that were recorded and cannot be brought back, and what stopped the reading. */
  lost: number;
  unread: string[];
  /** Numbers of entries behind a missing one, taken as they are stored: no link of the chain proves them. */
  unproved: number[];
}

/**
 * A run's outbox, entry by entry from the damaged workspace and from a backup: what either proves comes back, whatever lies
 * before it. The place of a lost entry stays in the chain without its words.
 */
export function outboxOf(damaged: Statements | null, backup: Statements | null, run: string): ReadOutbox {
  return new RunOutbox(damaged, backup, run).read();
}

type Rows = ReadonlyMap<number, OutboxRow>;

class RunOutbox {
  private readonly result: ReadOutbox = { rows: [], lost: 0, unread: [], unproved: [] };
  private readonly own: Rows;
  private copied: Rows;
  /** Link before the entry that is looked at; null: it is missing. */
  private before: Buffer | null = CHAIN_START;
  /** Numbers of entries whose words are rightly missing: they were purged with their run, or lost before. */
  private readonly empty: ReadonlySet<number>;
  /** Hints that came back: what changes another one has nothing to change. */
  private readonly hints = new Set<string>();

  constructor(
    private readonly damaged: Statements | null,
    private readonly backup: Statements | null,
    private readonly run: string,
  ) {
    this.own = this.rowsOf(damaged);
    this.copied = this.rowsOf(backup);
    this.empty = this.emptyOf(damaged);
  }

  read(): ReadOutbox {
    for (const id of [...new Set([...this.own.keys(), ...this.copied.keys()])].sort((a, b) => a - b)) {
      this.take(id);
    }
    return this.result;
  }

  private take(id: number): void {
    const own = this.own.get(id);
    const copy = this.copied.get(id);
    if (own !== undefined && copy !== undefined && this.isAnother(own, copy)) {
      // The log went on in two places; the workspace's own side goes on, the other is in the backup.
      this.result.lost += [...this.copied.keys()].filter((each) => each >= id).length;
      this.copied = new Map();
      this.takeOwn(own);
    } else if (copy !== undefined) {
      // Purged since the backup was made: it stays so.
      const purged = own?.body === '' && own.hash.equals(copy.hash) && this.empty.has(id);
      this.put(purged ? own : copy, copy.hash);
    } else if (own !== undefined) {
      this.takeOwn(own);
    }
  }

  private takeOwn(own: OutboxRow): void {
    if (own.body === '' && this.empty.has(own.id)) {
      this.put(own, own.hash);
      return;
    }
    if (own.body === '' || !this.isSound(own)) {
      this.lose(own.id, own);
      return;
    }
    if (this.before !== null) {
      const link = chainHash(this.before, own.body);
      const next = [...this.own.keys()].sort((a, b) => a - b).find((id) => id > own.id);
      const after = next === undefined ? undefined : this.own.get(next);
      // Its own link may be what is damaged: then the entry behind it tells.
      const isProved = link.equals(own.hash) || (after && chainHash(link, after.body).equals(after.hash));
      if (isProved) {
        this.put(own, link);
        return;
      }
      const missing = this.missingBefore(own.id);
      if (missing === null) {
        this.lose(own.id, own);
        return;
      }
      this.lose(missing);
    }
    this.result.unproved.push(own.id);
    this.put(own, own.hash);
  }

  private put(row: OutboxRow, hash: Buffer): void {
    if (!this.hasItsHint(row)) {
      this.lose(row.id, { ...row, hash });
      return;
    }
    this.result.rows.push({ ...row, hash });
    this.before = hash.equals(LINK_LOST) ? null : hash;
  }

  private lose(id: number, row?: OutboxRow): void {
    this.result.lost += 1;
    const ulid = row !== undefined && isId(row.ulid) ? row.ulid : newUlid();
    const hash = row?.hash ?? LINK_LOST;
    this.result.rows.push({ id, ulid, purged: 1, body: '', hash });
    this.before = row === undefined ? null : hash;
  }

  private hasItsHint({ body }: OutboxRow): boolean {
    const op = body === '' ? undefined : (JSON.parse(body) as StoredOutboxEntry).body;
    if (op?.op === 'hint.queued') this.hints.add(op.hint);
    if (op?.op === 'hint.edited' || op?.op === 'hint.withdrawn') return this.hints.has(op.hint);
    return (
      op?.op !== 'hint.moved' ||
      (this.hints.has(op.hint) && (op.before === null || this.hints.has(op.before)))
    );
  }

  /** A number between this entry and the one before it that no entry of the workspace has: there its neighbour was lost. */
  private missingBefore(id: number): number | null {
    const last = this.result.rows.at(-1)?.id ?? 0;
    for (let free = id - 1; free > last; free -= 1) {
      const source = [this.damaged, this.backup].find(
        (each) => each?.get('SELECT 1 FROM outbox WHERE id = ?', free) !== undefined,
      );
      if (source === undefined) return free;
    }
    return null;
  }

  private emptyOf(source: Statements | null): Set<number> {
    const ids = new Set<number>();
    // A workspace too damaged to say keeps none of them: they count as lost.
    guarded(
      () => ids.clear(),
      () => {
        const rows = source?.all<{ id: number }>(
          `SELECT o.id FROM outbox o JOIN run r ON r.id = o.run WHERE r.ulid = ? AND o.body = '' AND ${mayBeEmpty}`,
          this.run,
        );
        for (const { id } of rows ?? []) ids.add(id);
      },
    );
    return ids;
  }

  private rowsOf(source: Statements | null): Rows {
    const rows = new Map<number, OutboxRow>();
    const read = (order: 'ASC' | 'DESC') => {
      const stored = source
        ?.prepare(
          `SELECT o.id, o.ulid, o.purged, o.body, o.hash FROM outbox o JOIN run r ON r.id = o.run WHERE r.ulid = ? ORDER BY o.id ${order}`,
        )
        .iterate(this.run) as IterableIterator<OutboxRow> | undefined;
      for (const row of stored ?? []) rows.set(row.id, row);
    };
    let isWhole = true;
    const stopped = (why: string) => {
      isWhole = false;
      this.result.unread.push(why);
    };
    guarded(stopped, () => read('ASC'));
    // The same damage ends the way back.
    if (!isWhole) {
      guarded(
        () => undefined,
        () => read('DESC'),
      );
    }
    return rows;
  }

  /** Two sound rows in one place that are not one entry. */
  private isAnother(own: OutboxRow, copy: OutboxRow): boolean {
    return own.ulid !== copy.ulid && !own.hash.equals(copy.hash) && (own.body === '' || this.isSound(own));
  }

  /** Of a known form, with columns that say the same. */
  private isSound({ ulid, body, hash }: OutboxRow): boolean {
    if (typeof body !== 'string' || !(hash instanceof Buffer) || hash.length !== 32 || !isId(ulid))
      return false;
    try {
      const entry = JSON.parse(body) as StoredOutboxEntry;
      return entry.ulid === ulid && entry.run === this.run && outboxOps.safeParse(entry.body).success;
    } catch (thrown) {
      if (thrown instanceof SyntaxError) return false;
      throw thrown;
    }
  }
}
