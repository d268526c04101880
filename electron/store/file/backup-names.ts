export const BACKUP_NAME = /^logs-.*\.db$/;

const MINUTE = 60_000;

/**
 * Slots of time, ms, and of how many of them the newest copy stays. Slots begin at fixed times, so that a copy that ends one
 * stays its newest however many follow: many copies in a row replace each other and never those of earlier hours and days.
 */
const SLOTS: readonly { ms: number; keep: number }[] = [
  { ms: 15 * MINUTE, keep: 4 },
  { ms: 60 * MINUTE, keep: 8 },
  { ms: 24 * 60 * MINUTE, keep: 7 },
  { ms: 28 * 24 * 60 * MINUTE, keep: 3 },
];

/** Always kept: the newest may be the first with a mistake in it. */
const NEWEST = 2;

/** `logs-2026-01-02T03-04-05-678Z.db`. `at`: ms since 1970. */
export function backupName(at: number): string {
  return `logs-${new Date(at).toISOString().replace(/[:.]/g, '-')}.db`;
}

/** When a copy was made, by its name: the file's own time changes when a folder is copied. Null: it does not say. */
export function stampOf(name: string): number | null {
  const found = /^logs-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)-(\d{3}Z)\.db$/.exec(name);
  const at =
    found === null ? Number.NaN : Date.parse(`${found[1]}T${found[2]}:${found[3]}:${found[4]}.${found[5]}`);
  return Number.isNaN(at) ? null : at;
}

/** Copies that go; of a file whose name says no time nobody knows whose it is, and it stays. */
export function outlived(names: readonly string[]): string[] {
  const stamped = names
    .flatMap((name) => {
      const at = stampOf(name);
      return at === null ? [] : [{ name, at }];
    })
    .sort((one, other) => other.at - one.at);
  const kept = new Set(stamped.slice(0, NEWEST).map(({ name }) => name));
  for (const { ms, keep } of SLOTS) {
    const seen = new Set<number>();
    for (const { name, at } of stamped) {
      const slot = Math.floor(at / ms);
      if (seen.has(slot)) continue;
      seen.add(slot);
      if (seen.size > keep) break;
      kept.add(name);
    }
  }
  return stamped.filter(({ name }) => !kept.has(name)).map(({ name }) => name);
}
