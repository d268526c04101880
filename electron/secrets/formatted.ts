import { Beginnings } from './beginnings';
import { type Format, formats } from './formats';
import { privateKeys } from './private-keys';

/** What looks like a secret of a known format in a text, and where the secret alone stands. */
export interface Formatted {
  format: Pick<Format, 'kind' | 'rule' | 'doubtful' | 'begins'>;
  start: number;
  end: number;
}

const PEM = { kind: 'private_key', rule: 'private-key', begins: ['-----BEGIN '] } as const;
const beginnings = new Beginnings(formats);

/**
 * In the order they were found. Doubtful ones may overlap the others: they are looked for by themselves, or `TOKEN=` would hide
 * the key behind it.
 */
export function formatted(text: string): Formatted[] {
  const found: Formatted[] = privateKeys(text).map((block) => ({ ...block, format: PEM }));
  /** What lies before is taken already; doubtful ones have an end of their own. */
  const ends = { sure: 0, doubtful: 0 };
  for (let at = beginnings.next(text, 0); at !== -1; at = beginnings.next(text, at + 1)) {
    const done = { sure: false, doubtful: false };
    for (const format of beginnings.at(text, at)) {
      const side = format.doubtful === true ? 'doubtful' : 'sure';
      if (done[side] || at < ends[side]) continue;
      const match = matchAt(format, text, at, ends[side]);
      if (match === null) continue;
      found.push(match);
      done[side] = true;
      ends[side] = match.end;
    }
  }
  return found;
}

const HERE = [0] as const;

function matchAt(format: Format, text: string, at: number, from: number): Formatted | null {
  const { pattern, accepts, behind = HERE } = format;
  for (const back of behind) {
    if (at - back < from) continue;
    pattern.lastIndex = at - back;
    const match = pattern.exec(text);
    if (match === null) continue;
    const [all, secret = all] = match;
    const start = at - back + all.lastIndexOf(secret);
    if (accepts?.(secret, text.slice(at - back, start)) === false) continue;
    return { format, start, end: start + secret.length };
  }
  return null;
}
