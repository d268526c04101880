import type { AnnotationEntry } from '../log/annotations';

/** What undo and redo need of an entry. */
export interface UndoRecord {
  ulid: string;
  device: string;
  /** The entry that it takes out; null for one that says something itself. */
  undoes: string | null;
}

/**
 * What undo and redo of one author would take out on some devices, kept up to date entry by entry, so that neither
 * reads all that the author ever said. Entries come in the order they were stored; a device's own are in its order.
 */
export class UndoHistory {
  private readonly undoes = new Map<string, string>();
  private readonly undoers = new Map<string, string[]>();
  private readonly known = new Set<string>();
  private readonly gone = new Set<string>();
  /** Own entries that say something, and how many records were there before each. */
  private readonly said: { ulid: string; at: number }[] = [];
  private readonly ownUndos: { ulid: string; at: number }[] = [];
  private records = 0;

  constructor(private readonly devices: ReadonlySet<string>) {}

  add({ ulid, device, undoes }: UndoRecord): void {
    if (this.known.has(ulid)) return;
    this.known.add(ulid);
    this.records += 1;
    const own = { ulid, at: this.records };
    if (undoes === null) {
      if (this.devices.has(device)) this.said.push(own);
    } else {
      if (this.devices.has(device)) this.ownUndos.push(own);
      this.undoes.set(ulid, undoes);
      this.undoers.set(undoes, [...(this.undoers.get(undoes) ?? []), ulid]);
    }
    if (undoes !== null || this.undoers.has(ulid)) this.settle(ulid);
  }

  /** The latest own entry that stands; null when there is nothing left. */
  undoable(): string | null {
    for (let index = this.said.length - 1; index >= 0; index -= 1) {
      const entry = this.said[index];
      if (entry && !this.gone.has(entry.ulid)) return entry.ulid;
    }
    return null;
  }

  /**
   * The latest own undo that stands, with the entry that comes back. An undo is open to redo only while the author
   * has said nothing else after it on these devices.
   */
  redoable(): { undo: string; restores: string } | null {
    const last = this.said.at(-1)?.at ?? 0;
    for (let index = this.ownUndos.length - 1; index >= 0; index -= 1) {
      const undo = this.ownUndos[index];
      if (undo === undefined || undo.at < last) return null;
      const restores = this.undoes.get(undo.ulid);
      const open = restores !== undefined && this.known.has(restores) && !this.undoes.has(restores);
      if (open && !this.gone.has(undo.ulid)) return { undo: undo.ulid, restores };
    }
    return null;
  }

  /** Decides again about the few entries that undo each other. */
  private settle(ulid: string): void {
    const chain = new Set([ulid]);
    for (const id of chain) {
      const target = this.undoes.get(id);
      if (target !== undefined && this.known.has(target)) chain.add(target);
      for (const undoer of this.undoers.get(id) ?? []) chain.add(undoer);
    }
    const links = [...chain].map((id) => ({ ulid: id, undoes: this.undoes.get(id) ?? null }));
    const dead = undoneAmong(links);
    for (const id of chain) {
      if (dead.has(id)) this.gone.add(id);
      else this.gone.delete(id);
    }
  }
}

/** Ids of the entries, undo entries among them, that no standing undo takes out. */
export function standingIds(entries: readonly AnnotationEntry[]): Set<string> {
  if (!entries.some(({ body }) => body.op === 'undo')) return new Set(entries.map(({ ulid }) => ulid));
  const unique = [...byId(entries).values()];
  const dead = undoneIds(unique);
  return new Set(unique.map(({ ulid }) => ulid).filter((id) => !dead.has(id)));
}

/** Ids that a standing undo of the same author takes out. */
function undoneIds(entries: readonly AnnotationEntry[]): Set<string> {
  const known = byId(entries);
  return undoneAmong(
    entries.map(({ ulid, author, body }) => {
      const target = body.op === 'undo' ? known.get(body.entry) : undefined;
      return { ulid, undoes: target?.author.uuid === author.uuid ? target.ulid : null };
    }),
  );
}

/**
 * An undo stands when no standing undo takes it out; resolved from the ends of the chains inwards. Undo entries that
 * name each other in a circle (only a forged log holds such) never come up and change nothing, whatever the order
 * they are read in.
 */
function undoneAmong(links: readonly { ulid: string; undoes: string | null }[]): Set<string> {
  const known = new Set(links.map(({ ulid }) => ulid));
  const undoers = new Map<string, number>();
  const undoes = new Map<string, string>();
  for (const { ulid, undoes: target } of links) {
    if (target === null || !known.has(target)) continue;
    undoes.set(ulid, target);
    undoers.set(target, (undoers.get(target) ?? 0) + 1);
  }
  const dead = new Set<string>();
  const pending = new Map([...undoes.keys()].map((id) => [id, undoers.get(id) ?? 0]));
  const standing = [...pending].filter(([, open]) => open === 0).map(([id]) => id);
  for (let id = standing.pop(); id !== undefined; id = standing.pop()) {
    const killed = undoes.get(id);
    if (killed === undefined || dead.has(killed)) continue;
    dead.add(killed);
    const freed = undoes.get(killed);
    if (freed === undefined) continue;
    const left = (pending.get(freed) ?? 0) - 1;
    pending.set(freed, left);
    if (left === 0 && !dead.has(freed)) standing.push(freed);
  }
  return dead;
}

export function byId(entries: readonly AnnotationEntry[]): Map<string, AnnotationEntry> {
  return new Map(entries.map((entry) => [entry.ulid, entry]));
}
