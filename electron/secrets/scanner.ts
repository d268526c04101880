import { createHash } from 'node:crypto';
import type { SecretKind } from '@shared/log/run-change-events';
import { beginnings, type Format, formats } from './formats';
import { KnownForms } from './known-forms';
import { type PlainText, whole, withoutBreaks, withoutEscapes } from './plain-text';
import { privateKeys } from './private-keys';

export interface SecretHit {
  kind: SecretKind;
  /** In the text that was scanned, escape sequences inside it included. */
  start: number;
  end: number;
  /** The same for the same secret, however it is written. */
  identity: string;
  /** Sure enough to tell a person of it. */
  certain: boolean;
}

/** Numbers are remembered for so many secrets; more of them share the number 0. */
const MOST_NUMBERS = 10_000;

/** What is doubtful is looked for by itself, or `TOKEN=` would hide the key behind it. */
const SEARCHES = [
  formats.filter(({ doubtful }) => doubtful !== true),
  formats.filter(({ doubtful }) => doubtful === true),
].map((some) => ({ some, begin: beginnings(some) }));

/**
 * Finds secrets in text of any origin: those that the application holds, however they are written, and those that look like keys
 * of known services. Its time grows with the length of the text and no faster. One scanner numbers the secrets it meets, so that
 * `<<secret:kind:n>>` stands for the same one wherever it redacts.
 */
export class SecretScanner {
  readonly #secrets: () => readonly string[];
  readonly #numbers = new Map<string, number>();
  readonly #counts = new Map<SecretKind, number>();
  #known: readonly string[] = [];
  #forms = new KnownForms([]);

  /** `secrets`: what the application holds now; read at every scan. */
  constructor(secrets: () => readonly string[] = () => []) {
    this.#secrets = secrets;
  }

  /** In order of the text; none overlaps another. */
  find(text: string): SecretHit[] {
    this.#refresh();
    const plain = withoutEscapes(text);
    const views = plain === null ? [whole(text)] : [whole(text), plain];
    const hits = views.flatMap((view) => [...this.#knownIn(view), ...formatted(view)]);
    const unfolded = withoutBreaks(plain?.text ?? text);
    if (unfolded !== null && !this.#forms.empty) {
      const origin = (at: number) => (plain ?? whole(text)).origin(unfolded.origin(at));
      hits.push(...this.#knownIn({ text: unfolded.text, origin }));
    }
    return joined(hits);
  }

  /** The text with `<<secret:kind:n>>` in place of each secret. */
  redact(text: string): string {
    const pieces: string[] = [];
    let from = 0;
    for (const { kind, start, end, identity } of this.find(text)) {
      pieces.push(text.slice(from, start), `<<secret:${kind}:${this.#numberOf(kind, identity)}>>`);
      from = end;
    }
    return from === 0 ? text : `${pieces.join('')}${text.slice(from)}`;
  }

  #refresh(): void {
    const now = this.#secrets();
    if (now.length === this.#known.length && now.every((secret, index) => secret === this.#known[index]))
      return;
    this.#known = [...now];
    this.#forms = new KnownForms(this.#known);
  }

  #knownIn({ text, origin }: PlainText): SecretHit[] {
    return this.#forms.find(text).map(({ start, end, secret }) => {
      const value = this.#known[secret] ?? '';
      return {
        ...{ kind: 'known' as const, start: origin(start), end: origin(end - 1) + 1 },
        ...{ identity: identityOf(value), certain: isTelling(value) },
      };
    });
  }

  #numberOf(kind: SecretKind, identity: string): number {
    const known = this.#numbers.get(identity);
    if (known !== undefined) return known;
    if (this.#numbers.size >= MOST_NUMBERS) return 0;
    const next = (this.#counts.get(kind) ?? 0) + 1;
    this.#counts.set(kind, next);
    this.#numbers.set(identity, next);
    return next;
  }
}

/** Servers of one's own are often given a key such as `EMPTY`, which stands in many a text. */
function isTelling(secret: string): boolean {
  return secret.length >= 8 && (/\d/u.test(secret) || (/[a-z]/u.test(secret) && /[A-Z]/u.test(secret)));
}

/** What is remembered of a secret is no secret. */
function identityOf(secret: string): string {
  return createHash('sha256').update(secret).digest('base64');
}

function formatted({ text, origin }: PlainText): SecretHit[] {
  const hits: SecretHit[] = [];
  const add = (kind: SecretKind, start: number, end: number, certain: boolean) => {
    const identity = identityOf(text.slice(start, end));
    hits.push({ kind, start: origin(start), end: origin(end - 1) + 1, identity, certain });
  };
  for (const { start, end } of privateKeys(text)) add('private_key', start, end, true);
  for (const { some, begin } of SEARCHES) {
    begin.lastIndex = 0;
    for (let found = begin.exec(text); found !== null; found = begin.exec(text)) {
      const match = firstAt(some, text, found.index);
      begin.lastIndex = match === null ? found.index + 1 : match.end;
      if (match !== null) add(match.format.kind, match.start, match.end, match.format.doubtful !== true);
    }
  }
  return hits;
}

function firstAt(
  some: readonly Format[],
  text: string,
  at: number,
): { format: Format; start: number; end: number } | null {
  for (const format of some) {
    format.pattern.lastIndex = at;
    const match = format.pattern.exec(text);
    if (match === null) continue;
    const [all, secret = all] = match;
    const start = at + all.lastIndexOf(secret);
    if (format.accepts?.(secret, text.slice(at, start)) === false) continue;
    return { format, start, end: start + secret.length };
  }
  return null;
}

/** Overlapping ones become one: what the application knows of them counts, then what is certain, then the first. */
function joined(hits: SecretHit[]): SecretHit[] {
  hits.sort((a, b) => a.start - b.start || b.end - a.end);
  const apart: SecretHit[] = [];
  for (const hit of hits) {
    const last = apart.at(-1);
    if (last === undefined || hit.start >= last.end) {
      apart.push({ ...hit });
      continue;
    }
    const better = (hit.kind === 'known' && last.kind !== 'known') || (hit.certain && !last.certain);
    if (better && last.kind !== 'known') Object.assign(last, { kind: hit.kind, identity: hit.identity });
    last.end = Math.max(last.end, hit.end);
    last.certain ||= hit.certain;
  }
  return apart;
}
