import { createHash } from 'node:crypto';
import type { SecretKind } from '@shared/log/run-change-events';
import { formatted } from './formatted';
import { KnownForms } from './known-forms';
import { type PlainText, whole, withoutEscapes } from './plain-text';

export interface SecretHit {
  kind: SecretKind;
  /** Of which format it is; `known` for what the application holds. */
  rule: string;
  /** In the text that was scanned, escape sequences inside it included. */
  start: number;
  end: number;
  /** The same for the same secret, however it is written. */
  identity: string;
  /** Sure enough to tell a person of it. */
  certain: boolean;
  /** Characters of the secret, as it is when nothing is written around it. */
  length: number;
  /** What every secret of its format begins with; empty where nothing of it may be shown. */
  shows: string;
}

/** Numbers are remembered for so many secrets; more of them share the number 0. */
const MOST_NUMBERS = 10_000;

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

  /** What the application holds now, for who redacts an export. It never leaves the application's own processes. */
  held(): readonly string[] {
    return this.#secrets();
  }

  /** In order of the text; none overlaps another. */
  find(text: string): SecretHit[] {
    this.#refresh();
    const plain = withoutEscapes(text);
    const views = plain === null ? [whole(text)] : [whole(text), plain];
    const hits = views.flatMap((view) => [...knownIn(view, this.#forms), ...formattedIn(view)]);
    return joinedHits(hits);
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
export function isTelling(secret: string): boolean {
  return secret.length >= 8 && (/\d/u.test(secret) || (/[a-z]/u.test(secret) && /[A-Z]/u.test(secret)));
}

/** What is remembered of a secret is no secret. Line ends of an armoured key are no part of it. */
export function identityOf(kind: SecretKind, secret: string): string {
  const value = kind === 'private_key' ? secret.replace(/\\{1,16}[nr]|[\s+-]/gu, '') : secret;
  return createHash('sha256').update(value).digest('base64');
}

/** What is known, in a view of a text; places are those of the whole. */
export function knownIn({ text, origin, after }: PlainText, forms: KnownForms): SecretHit[] {
  return forms.find(text).map(({ start, end, secret }) => ({
    kind: 'known' as const,
    rule: 'known',
    start: origin(start),
    end: after(end),
    identity: identityOf('known', secret),
    certain: isTelling(secret),
    length: secret.length,
    shows: '',
  }));
}

/** What has a known format, in a view of a text; places are those of the whole. */
export function formattedIn({ text, origin, after }: PlainText): SecretHit[] {
  return formatted(text).map(({ format: { kind, rule, doubtful, begins }, start, end }) => {
    const secret = text.slice(start, end);
    return {
      kind,
      rule,
      start: origin(start),
      end: after(end),
      identity: identityOf(kind, secret),
      certain: doubtful !== true,
      length: secret.length,
      shows: begins.find((each) => secret.startsWith(each)) ?? '',
    };
  });
}

/** Overlapping ones become one: what the application knows of them counts, then what is certain, then the first. Sorts `hits`. */
export function joinedHits<Hit extends SecretHit>(hits: Hit[]): Hit[] {
  hits.sort((a, b) => a.start - b.start || b.end - a.end);
  const apart: Hit[] = [];
  for (const hit of hits) {
    const last = apart.at(-1);
    if (last === undefined || hit.start >= last.end) {
      apart.push({ ...hit });
      continue;
    }
    const better = (hit.kind === 'known' && last.kind !== 'known') || (hit.certain && !last.certain);
    const [start, end] = [last.start, Math.max(last.end, hit.end)];
    if (better && last.kind !== 'known') Object.assign(last, hit, { certain: hit.certain || last.certain });
    Object.assign(last, { start, end, certain: hit.certain || last.certain });
  }
  return apart;
}
