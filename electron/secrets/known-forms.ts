import { withoutBreaks } from './plain-text';

/** Shorter ones would be found in ordinary words. */
const SHORTEST = 4;
/** From here on a secret is also looked for in other writings. */
const LONG = 8;
/** From here on a form is also found where a line ends within its first characters. */
const FOLDED = 12;
/** Characters that a form is found by; no form is shorter. */
const KEY = 4;

export interface Found {
  start: number;
  end: number;
  secret: string;
}

/** A form, or what of it is left after its first characters. */
interface Entry {
  form: string;
  /** Characters of it that are not looked for first. */
  skip: number;
  secret: string;
}

/** Ends of lines, as they are or inside JSON, and what may stand before the next line: blanks, a number, the mark of a difference. */
const BREAK = '(?:\\r?\\n|\\r|\\\\{1,8}[rn])+';
const MARK = '(?:[ \\t]{0,40}\\d{1,6}[\\t|:] ?|[+\\-|>] ?|[ \\t]{1,40})';
const BREAKS = new RegExp(BREAK, 'y');
const MARKS = new RegExp(MARK, 'y');
const BREAK_BEFORE = new RegExp(`${BREAK}${MARK}?$`);
/** The longest that a break and a mark may be, where a form began before them. */
const BEFORE = 64;

/** Looks for secrets that are known, however they are written and folded into lines, in one pass per text. */
export class KnownForms {
  /** Forms by a hash of their first characters, the longest first. */
  readonly #buckets = new Map<number, Entry[]>();
  readonly #present = new Uint8Array(1 << 16);

  /** `writings`: how each of them may be written; absent: in every way. */
  constructor(secrets: readonly string[], writings: (secret: string) => Iterable<string> = formsOf) {
    for (const secret of secrets) for (const form of writings(secret)) this.#add(form, secret);
    for (const bucket of this.#buckets.values())
      bucket.sort((a, b) => b.form.length - b.skip - (a.form.length - a.skip));
  }

  get empty(): boolean {
    return this.#buckets.size === 0;
  }

  /** Finds that do not overlap, in order; of several at one place the longest. */
  find(text: string): Found[] {
    const found: Found[] = [];
    if (this.empty) return found;
    const present = this.#present;
    let [first, second, third] = [text.charCodeAt(0), text.charCodeAt(1), text.charCodeAt(2)];
    for (let at = 0; at + KEY <= text.length; at += 1) {
      const fourth = text.charCodeAt(at + 3);
      const hash = (((first * 31 + second) * 31 + third) * 31 + fourth) & 0xffff;
      const hit = present[hash] === 1 ? this.#at(hash, text, at) : null;
      if (hit === null) {
        first = second;
        second = third;
        third = fourth;
        continue;
      }
      const { end } = hit;
      hit.start = Math.max(hit.start, found.at(-1)?.end ?? 0);
      found.push(hit);
      at = end - 1;
      [first, second, third] = [text.charCodeAt(end), text.charCodeAt(end + 1), text.charCodeAt(end + 2)];
    }
    return found;
  }

  /** The longest form that stands there. */
  #at(hash: number, text: string, at: number): Found | null {
    for (const { form, skip, secret } of this.#buckets.get(hash) ?? []) {
      const end = endOf(text, at, form, skip);
      if (end !== -1) return { start: skip === 0 ? at : startOf(text, at, form.slice(0, skip)), end, secret };
    }
    return null;
  }

  #add(form: string, secret: string): void {
    for (let skip = 0; skip < (form.length >= FOLDED ? KEY : 1) && skip + KEY <= form.length; skip += 1) {
      const hash = hashAt(form, skip);
      const bucket = this.#buckets.get(hash) ?? [];
      if (bucket.some((other) => other.form === form && other.skip === skip)) continue;
      bucket.push({ form, skip, secret });
      this.#buckets.set(hash, bucket);
      this.#present[hash] = 1;
    }
  }
}

/** Where a form that goes on at `at` with its character `from` ends, whatever lines it is folded into; -1: it does not. */
function endOf(text: string, at: number, form: string, from: number): number {
  if (text.startsWith(from === 0 ? form : form.slice(from), at)) return at + form.length - from;
  let place = at;
  let index = from;
  for (;;) {
    const same = sameFor(text, place, form, index);
    index += same;
    place += same;
    if (index === form.length) return place;
    BREAKS.lastIndex = place;
    // A form's first characters are looked for where they stand together.
    if (index < from + KEY || !BREAKS.test(text)) return -1;
    place = BREAKS.lastIndex;
    MARKS.lastIndex = place;
    const marked = MARKS.test(text) ? MARKS.lastIndex : place;
    if (sameFor(text, marked, form, index) > sameFor(text, place, form, index)) place = marked;
    if (text[place] !== form[index]) return -1;
  }
}

/** How many characters of the form, from `index` on, stand at `place`. */
function sameFor(text: string, place: number, form: string, index: number): number {
  let same = 0;
  while (index + same < form.length && text[place + same] === form[index + same]) same += 1;
  return same;
}

/** Where the first characters of a form stand that a line's end parts from the rest at `at`; `at` where they do not. */
function startOf(text: string, at: number, first: string): number {
  const before = text.slice(Math.max(0, at - BEFORE), at);
  const rest = before.replace(BREAK_BEFORE, '');
  return rest.endsWith(first) ? at - before.length + rest.length - first.length : at;
}

function hashAt(text: string, at: number): number {
  const first = text.charCodeAt(at) * 31 + text.charCodeAt(at + 1);
  return ((first * 31 + text.charCodeAt(at + 2)) * 31 + text.charCodeAt(at + 3)) & 0xffff;
}

/**
 * As it is, inside JSON once and twice, in an address, in markup, in base64 at any place of a longer one, in hex; each also
 * without its own ends of lines.
 */
function formsOf(secret: string): Set<string> {
  if (secret.length < SHORTEST) return new Set();
  const once = insideJson(secret);
  const forms = [secret, once, insideJson(once), once.replaceAll('/', '\\/'), inMarkup(secret)];
  if (secret.length >= LONG) {
    const inAddress = encodeURIComponent(secret);
    const bytes = Buffer.from(secret, 'utf8');
    forms.push(inAddress, inAddress.replaceAll('%20', '+'));
    forms.push(inAddress.replace(/%[0-9A-F]{2}/gu, (code) => code.toLowerCase()));
    forms.push(bytes.toString('hex'), bytes.toString('hex').toUpperCase(), ...base64Forms(bytes));
  }
  return new Set(forms.flatMap((form) => [form, withoutBreaks(form)?.text ?? form]));
}

const MARKUP: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const inMarkup = (text: string): string => text.replace(/[&<>"']/gu, (mark) => MARKUP[mark] ?? mark);

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
