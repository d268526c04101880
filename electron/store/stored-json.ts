/**
 * Large strings leave an event's body before it is stored: each string of more than 4,096 UTF-16 units
 * becomes `{"$text": sha256}` and is kept once, as a blob. Hash chains cover the stored form. An object of
 * the original that would look like such a reference is wrapped as `{"$object": …}`.
 */
export const TEXT_THRESHOLD = 4096;

const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/** Replaces large strings; `keep` stores a text and returns its sha256 in hex. Returns the value itself when nothing changed. */
export function externalise(value: unknown, keep: (text: string) => string): unknown {
  if (typeof value === 'string') {
    // A lone surrogate does not survive UTF-8, so such a text stays inline, escaped by JSON.
    return value.length > TEXT_THRESHOLD && !LONE_SURROGATE.test(value) ? { $text: keep(value) } : value;
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  return Array.isArray(value) ? externaliseArray(value, keep) : externaliseObject(value, keep);
}

function externaliseArray(items: unknown[], keep: (text: string) => string): unknown[] {
  let copy: unknown[] | undefined;
  for (let index = 0; index < items.length; index += 1) {
    const next = externalise(items[index], keep);
    if (next !== items[index]) {
      copy ??= [...items];
      copy[index] = next;
    }
  }
  return copy ?? items;
}

/** Copies only what changes: most bodies hold no large text. */
function externaliseObject(value: object, keep: (text: string) => string): object {
  let entries: [string, unknown][] | undefined;
  const keys = Object.keys(value);
  for (const [index, key] of keys.entries()) {
    const item: unknown = (value as Record<string, unknown>)[key];
    const next = externalise(item, keep);
    if (next !== item) {
      entries ??= Object.entries(value);
      entries[index] = [key, next];
    }
  }
  const stored = entries === undefined ? value : Object.fromEntries(entries);
  return keys.length === 1 && (keys[0] === '$text' || keys[0] === '$object') ? { $object: stored } : stored;
}

/** Inverse of `externalise`; `load` returns the text of a sha256 in hex. */
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
    found.push(sha);
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
