/**
 * Large strings leave an event's body before it is stored: each string of more than 4,096 UTF-16 units
 * becomes `{"$text": sha256}` and is kept once, as a blob; a file in base64 becomes `{"$text": "base64:" + sha256}`, and its blob
 * holds the file itself. Hash chains cover the stored form. An object of
 * the original that would look like such a reference is wrapped as `{"$object": …}`.
 */
export const TEXT_THRESHOLD = 4096;

/** Before the hash of a blob that holds bytes, which a body has in base64. */
const BASE64 = 'base64:';

/** Stores a text, or bytes, once; returns its sha256 in hex. */
export type Keep = (content: string | Uint8Array) => string;

/** Objects of a body whose `data` is a file in base64: it leaves the body whatever its length, and as bytes. */
type Images = ReadonlySet<object>;

const NO_IMAGES: Images = new Set();

const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/**
 * A value as it is stored; `keep` as for `externalise`. A text that is no longer than the threshold holds no string that is, and
 * without a name that begins with a dollar nothing that looks like a reference.
 */
export function storedText(value: object, keep: Keep, images: Images = NO_IMAGES): string {
  const text = JSON.stringify(value);
  if (text.length <= TEXT_THRESHOLD && !text.includes('"$') && images.size === 0) return text;
  const stored = externalise(value, keep, images);
  return stored === value ? text : JSON.stringify(stored);
}

/** Replaces large strings, and the bytes of `images`. Returns the value itself when nothing changed. */
export function externalise(value: unknown, keep: Keep, images: Images = NO_IMAGES): unknown {
  if (typeof value === 'string') {
    // A lone surrogate does not survive UTF-8, so such a text stays inline, escaped by JSON.
    return value.length > TEXT_THRESHOLD && !LONE_SURROGATE.test(value) ? { $text: keep(value) } : value;
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  return Array.isArray(value)
    ? externaliseArray(value, keep, images)
    : externaliseObject(value, keep, images);
}

function externaliseArray(items: unknown[], keep: Keep, images: Images): unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const next = externalise(items[index], keep, images);
    if (next !== items[index]) {
      copy ??= [...items];
      copy[index] = next;
    }
  }
  return copy ?? items;
}

/** Copies only what changes: most bodies hold no large text. */
function externaliseObject(value: object, keep: Keep, images: Images): object {
  let entries: [string, unknown][] | undefined;
  const keys = Object.keys(value);
  for (const [index, key] of keys.entries()) {
    const item: unknown = (value as Record<string, unknown>)[key];
    const isImage = key === 'data' && typeof item === 'string' && images.has(value);
    const next = isImage ? keptBytes(item, keep) : externalise(item, keep, images);
    if (next !== item) {
      entries ??= Object.entries(value);
      entries[index] = [key, next];
    }
  }
  const stored = entries === undefined ? value : Object.fromEntries(entries);
  return keys.length === 1 && (keys[0] === '$text' || keys[0] === '$object') ? { $object: stored } : stored;
}

function keptBytes(base64: string, keep: Keep): unknown {
  // A run whose texts were removed has none.
  return base64 === '' ? '' : { $text: BASE64 + keep(Buffer.from(base64, 'base64')) };
}

/** What a reference names: a text, or bytes that are wanted in base64, by the sha256 (hex) of the blob. */
export function parsedReference(reference: string): { sha: string; form: 'utf8' | 'base64' } {
  return reference.startsWith(BASE64)
    ? { sha: reference.slice(BASE64.length), form: 'base64' }
    : { sha: reference, form: 'utf8' };
}

/** Inverse of `externalise`; `load` returns what a reference names (`parsedReference`). */
export function hydrate(value: unknown, load: (sha: string) => string): unknown {
  if (value === null || typeof value !== 'object') {
    return value;
  }
  if (Array.isArray(value)) {
    return value.map((item: unknown) => hydrate(item, load));
  }
  const entries = Object.entries(value);
  if (looksReserved(entries)) {
    const [key, inner] = entries[0] ?? ['', null];
    return key === '$text' ? load(String(inner)) : hydrateEntries(Object.entries(inner ?? {}), load);
  }
  return hydrateEntries(entries, load);
}

/** Whether JSON gives the value back as it is: nothing in it is left out, changed or made of another class. */
export function survivesJson(value: unknown): boolean {
  switch (typeof value) {
    case 'string':
    case 'boolean':
      return true;
    case 'number':
      return Number.isFinite(value) && !Object.is(value, -0);
    case 'object':
      return value === null || (Array.isArray(value) ? isWholeList(value) : isPlainObject(value));
    default:
      return false;
  }
}

function isWholeList(items: unknown[]): boolean {
  // By index: a hole counts as undefined, which becomes null.
  for (let index = 0; index < items.length; index += 1) {
    if (!survivesJson(items[index])) return false;
  }
  return true;
}

function isPlainObject(value: object): boolean {
  if (Object.getPrototypeOf(value) !== Object.prototype) return false;
  for (const key of Object.keys(value)) {
    if (!survivesJson((value as Record<string, unknown>)[key])) return false;
  }
  return true;
}

/** Every sha256 a stored body refers to, without loading any text. */
export function textReferences(value: unknown): string[] {
  const found: string[] = [];
  hydrate(value, (sha) => {
    found.push(parsedReference(sha).sha);
    return '';
  });
  return found;
}

function hydrateEntries(entries: [string, unknown][], load: (sha: string) => string): unknown {
  return Object.fromEntries(entries.map(([key, item]) => [key, hydrate(item, load)]));
}

function looksReserved(entries: [string, unknown][]): boolean {
  const only = entries.length === 1 ? entries[0]?.[0] : undefined;
  return only === '$text' || only === '$object';
}
