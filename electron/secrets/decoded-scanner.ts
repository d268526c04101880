import { decodedBlobs, type Readings, readings, unfolded } from './decoded-views';
import { KnownForms } from './known-forms';
import { type PlainText, through, whole } from './plain-text';
import { formattedIn, identityOf, isTelling, joinedHits, knownIn, type SecretHit } from './scanner';

/** Part of a secret that the application holds; the rest may stand in the next text. */
export interface SecretPart {
  secret: string;
  /** What of it was found, UTF-16 units. */
  from: number;
  to: number;
}

export interface DecodedHit extends SecretHit {
  part?: SecretPart;
}

/** From here on half a secret is looked for, too: of one that was cut in two, one piece holds a half of it. */
const HALVED = 32;
/** Base64 in base64, and no deeper. */
const DEEPEST = 2;

/**
 * Finds secrets as `SecretScanner` does, and besides wherever a text holds them in another writing: inside layers of JSON, between
 * escape sequences, percent-encoded, in base64 and hex, folded into lines, behind the marks of a difference. For what leaves this
 * machine; logs are looked at by `SecretScanner`, which costs less. Time grows with the length of the text and no faster.
 */
export class DecodedScanner {
  readonly #forms: KnownForms;
  readonly #halves: KnownForms;
  /** Half → where it stands in which secret. */
  readonly #halfOf = new Map<string, { secret: string; at: number }>();

  /** `secrets`: what the application holds; it does not change, so that two passes find the same. */
  constructor(secrets: readonly string[]) {
    this.#forms = new KnownForms(secrets);
    for (const secret of secrets) {
      if (secret.length < HALVED) continue;
      const middle = Math.floor(secret.length / 2);
      const halves = [
        [0, secret.slice(0, middle)],
        [middle, secret.slice(middle)],
      ] as const;
      for (const [at, half] of halves)
        if (isTelling(half) && /\d/u.test(half) && /[A-Za-z]/u.test(half))
          this.#halfOf.set(half, { secret, at });
    }
    this.#halves = new KnownForms([...this.#halfOf.keys()], (half) => [half]);
  }

  /** In order of the text; none overlaps another. */
  find(text: string, read: Readings = readings(whole(text))): DecodedHit[] {
    const hits: DecodedHit[] = [];
    this.#look(read, 0, hits);
    return hits.length === 0 ? hits : joinedHits(hits);
  }

  #look({ raw, plain, decoded }: Readings, depth: number, hits: DecodedHit[]): void {
    this.#lookAt(raw, hits);
    if (plain !== raw) this.#lookAt(plain, hits);
    for (const view of decoded) this.#lookAt(view, hits);
    this.#lookAtParts(plain, hits);
    this.#lookAtLines(plain, hits);
    if (depth === DEEPEST) return;
    for (const blob of decodedBlobs(plain.text)) this.#look(readings(through(plain, blob)), depth + 1, hits);
  }

  #lookAt(view: PlainText, hits: DecodedHit[]): void {
    for (const hit of formattedIn(view)) hits.push(hit);
    for (const hit of knownIn(view, this.#forms)) hits.push(hit);
  }

  #lookAtLines(view: PlainText, hits: DecodedHit[]): void {
    const folded = unfolded(view.text);
    if (folded === null) return;
    for (const hit of formattedIn(through(view, folded))) if (hit.certain) hits.push(hit);
  }

  #lookAtParts({ text, origin, after }: PlainText, hits: DecodedHit[]): void {
    if (this.#halves.empty) return;
    for (const { start, end, secret: half } of this.#halves.find(text)) {
      const { secret, at } = this.#halfOf.get(half) ?? { secret: half, at: 0 };
      let [from, to] = [at, at + half.length];
      while (from > 0 && text[start - (at - from) - 1] === secret[from - 1]) from -= 1;
      while (to < secret.length && text[end + (to - at - half.length)] === secret[to]) to += 1;
      const part = from === 0 && to === secret.length ? {} : { part: { secret, from, to } };
      hits.push({
        kind: 'known',
        rule: 'known',
        identity: identityOf('known', secret),
        certain: true,
        ...part,
        start: origin(start - (at - from)),
        end: after(end + (to - at - half.length)),
        length: to - from,
        shows: '',
      });
    }
  }
}
