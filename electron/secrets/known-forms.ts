import { withoutBreaks } from './plain-text';

/** Shorter ones would be found in ordinary words. */
const SHORTEST = 4;
/** From here on a secret is also looked for in other writings. */
const LONG = 8;
/** Characters that a form is found by; no form is shorter. */
const KEY = 4;

export interface Found {
  start: number;
  end: number;
  /** Which secret: its place in the list. */
  secret: number;
}

/** Looks for secrets that are known, however they are written, in one pass per text. */
export class KnownForms {
  /** Forms by a hash of their first characters, the longest first. */
  readonly #buckets = new Map<number, { form: string; secret: number }[]>();
  readonly #present = new Uint8Array(1 << 16);

  constructor(secrets: readonly string[]) {
    secrets.forEach((secret, index) => {
      for (const form of formsOf(secret)) this.#add(form, index);
    });
    for (const bucket of this.#buckets.values()) bucket.sort((a, b) => b.form.length - a.form.length);
  }

  get empty(): boolean {
    return this.#buckets.size === 0;
  }

  /** Finds that do not overlap, in order; of several at one place the longest. */
  find(text: string): Found[] {
    const found: Found[] = [];
    if (this.empty) return found;
    for (let at = 0; at + KEY <= text.length; at += 1) {
      const hash = hashAt(text, at);
      if (this.#present[hash] === 0) continue;
      const hit = this.#buckets.get(hash)?.find(({ form }) => text.startsWith(form, at));
      if (hit === undefined) continue;
      found.push({ start: at, end: at + hit.form.length, secret: hit.secret });
      at += hit.form.length - 1;
    }
    return found;
  }

  #add(form: string, secret: number): void {
    if (form.length < KEY) return;
    const hash = hashAt(form, 0);
    const bucket = this.#buckets.get(hash) ?? [];
    if (bucket.some((other) => other.form === form)) return;
    bucket.push({ form, secret });
    this.#buckets.set(hash, bucket);
    this.#present[hash] = 1;
  }
}

function hashAt(text: string, at: number): number {
  const first = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  return ((first * 31 + text.charCodeAt(at + 2)) * 31 + text.charCodeAt(at + 3)) & 0xffff;
}

/** As it is, inside JSON once and twice, in an address, in base64 at any place of a longer one, in hex; each also unfolded. */
function formsOf(secret: string): Set<string> {
  if (secret.length < SHORTEST) return new Set();
  const once = insideJson(secret);
  const forms = [secret, once, insideJson(once), once.replaceAll('/', '\\/')];
  if (secret.length >= LONG) {
    const inAddress = encodeURIComponent(secret);
    const bytes = Buffer.from(secret, 'utf8');
    forms.push(inAddress, inAddress.replaceAll('%20', '+'));
    forms.push(inAddress.replace(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()));
    forms.push(bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...base64Forms(bytes));
  }
  return new Set(forms.flatMap((form) => [form, withoutBreaks(form)?.text ?? form]));
}

function insideJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** What of base64 is the same whatever stands before and after it, for each of the three places it can begin at. */
function base64Forms(bytes: Buffer): string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64');
    const open = (before + bytes.length) % 3;
    const start = [0, 2, 3][before] ?? 0;
    // The last group mixes with what follows; its padding is no part of it.
    const end = open === 0 ? encoded.length : encoded.length - 4 + open;
    const sure = encoded.slice(start, end);
    return [sure, sure.replaceAll('+', '-').replaceAll('/', '_')];
  });
}
