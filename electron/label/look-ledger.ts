interface Look {
  /** Moment of the look within the run's own order. */
  at: number;
  step: number;
}

/** Looks kept per folder or file name; older ones are forgotten. */
const kept = 16;

/**
 * Remembers what was looked at: files, whole folders (`grep -r`, `git diff`), patterns (`cat src/*.py`), and
 * relative paths of a shell whose folder is unknown. Every question costs the depth of the path, not the number
 * of looks.
 */
export class LookLedger {
  private readonly exact = new Map<string, Look>();
  private readonly within = new Map<string, (Look & { pattern: RegExp })[]>();
  private readonly loose = new Map<string, (Look & { ending: string })[]>();

  /** `changedAt`: moment of the file's last change; a look before it shows what is gone. */
  add({ path, placed, at, step }: Look & { path: string; placed: boolean }, changedAt: number): void {
    const glob = path.search(/[*?[]/);
    if (!placed) {
      const ending = `/${path.replace(/^(?:\.{1,2}\/)+/, '')}`;
      remember(this.loose, lastPart(ending), { ending, at, step });
    } else if (glob >= 0) {
      const folder = path.slice(0, path.lastIndexOf('/', glob));
      remember(this.within, folder, { pattern: globPattern(path.slice(folder.length + 1)), at, step });
    } else if (at > changedAt) {
      const before = this.exact.get(path);
      this.exact.set(path, { at: Math.max(at, before?.at ?? 0), step: Math.max(step, before?.step ?? 0) });
    }
  }

  /** Latest step that showed the file's content after the moment `since`; null = none. */
  latest(path: string, since: number): number | null {
    let step: number | null = null;
    const take = (look: Look | undefined) => {
      if (look && look.at > since) step = Math.max(step ?? 0, look.step);
    };
    take(this.exact.get(path));
    for (const look of this.loose.get(lastPart(path)) ?? []) {
      if (path.endsWith(look.ending)) take(look);
    }
    for (let cut = path.lastIndexOf('/'); cut >= 0; cut = cut === 0 ? -1 : path.lastIndexOf('/', cut - 1)) {
      const folder = path.slice(0, cut);
      take(this.exact.get(folder === '' ? '/' : folder));
      for (const look of this.within.get(folder) ?? []) {
        if (look.pattern.test(path.slice(cut + 1))) take(look);
      }
    }
    return step;
  }
}

function remember<T>(map: Map<string, T[]>, key: string, value: T): void {
  const list = map.get(key) ?? [];
  list.push(value);
  if (list.length > kept) list.shift();
  map.set(key, list);
}

function lastPart(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

/** Shell pattern → expression over the path below the folder; a matched folder covers what is in it. */
function globPattern(glob: string): RegExp {
  // Many stars make matching slow; such a pattern stands for its whole folder.
  if (glob.split('*').length > 6) return /^/;
  const source = glob
    .replace(/[.+^${}()|\\]/g, '\\$&')
    .replace(/\*+/g, '[^/]*')
    .replace(/\?/g, '[^/]');
  const whole = `^${source}(?:/|$)`;
  try {
    return new RegExp(whole);
  } catch (error) {
    // An unclosed `[` is an ordinary character to a shell.
    if (error instanceof SyntaxError) return new RegExp(whole.replace(/\[(?!\^\/\])/g, '\\['));
    throw error;
  }
}
