import type { AnnotationEntry } from './annotations';

/**
 * The entry that an undo of this author would take out: their latest one that stands. "Latest" follows
 * `deviceSeq` of the device that asks; null when there is nothing left.
 */
export function undoable(
  entries: readonly AnnotationEntry[],
  author: string,
  device: string,
): AnnotationEntry | null {
  const standing = standingIds(entries);
  return lastOf(
    entries.filter(
      (entry) => entry.body.op !== 'undo' && isBy(entry, author, device) && standing.has(entry.ulid),
    ),
  );
}

/**
 * The standing undo that a redo of this author would take out, together with the entry that comes back. An undo
 * is open to redo only while the author has made no other entry after it on this device.
 */
export function redoable(
  entries: readonly AnnotationEntry[],
  author: string,
  device: string,
): { undo: AnnotationEntry; restores: AnnotationEntry } | null {
  const known = byId(entries);
  const own = [...known.values()].filter((entry) => isBy(entry, author, device));
  const lastOther = lastOf(own.filter((entry) => entry.body.op !== 'undo'));
  const standing = standingIds(entries);
  const open: { undo: AnnotationEntry; restores: AnnotationEntry }[] = [];
  for (const undo of own) {
    if (undo.body.op !== 'undo' || !standing.has(undo.ulid)) continue;
    if (lastOther && undo.deviceSeq < lastOther.deviceSeq) continue;
    const restores = known.get(undo.body.entry);
    if (restores && restores.body.op !== 'undo') open.push({ undo, restores });
  }
  open.sort((a, b) => a.undo.deviceSeq - b.undo.deviceSeq);
  return open.at(-1) ?? null;
}

function isBy(entry: AnnotationEntry, author: string, device: string): boolean {
  return entry.author.uuid === author && entry.device === device;
}

function lastOf(entries: AnnotationEntry[]): AnnotationEntry | null {
  return entries.reduce<AnnotationEntry | null>(
    (last, entry) => (last && last.deviceSeq > entry.deviceSeq ? last : entry),
    null,
  );
}

/** Ids of the entries, undo entries among them, that no standing undo takes out. */
export function standingIds(entries: readonly AnnotationEntry[]): Set<string> {
  const unique = [...byId(entries).values()];
  const dead = undoneIds(unique);
  return new Set(unique.map(({ ulid }) => ulid).filter((id) => !dead.has(id)));
}

/**
 * Ids that a standing undo of the same author takes out. An undo stands when no standing undo takes it out;
 * resolved from the ends of the chains inwards. Undo entries that name each other in a circle (only a forged log
 * holds such) never come up and change nothing, whatever the order they are read in.
 */
function undoneIds(entries: readonly AnnotationEntry[]): Set<string> {
  const known = byId(entries);
  const undoers = new Map<string, string[]>();
  const undoes = new Map<string, string>();
  for (const entry of entries) {
    if (entry.body.op !== 'undo') continue;
    const target = known.get(entry.body.entry);
    if (!target || target.author.uuid !== entry.author.uuid) continue;
    undoes.set(entry.ulid, target.ulid);
    undoers.set(target.ulid, [...(undoers.get(target.ulid) ?? []), entry.ulid]);
  }
  const dead = new Set<string>();
  const pending = new Map([...undoes.keys()].map((id) => [id, undoers.get(id)?.length ?? 0]));
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
