/**
 * Large strings leave an event's body before it is stored: each string of more than 1,024 UTF-16 units
 * becomes `{"$text": sha256}` and is kept once, as a blob. Hash chains cover the stored form. An object of
 * the original that would look like such a reference is wrapped as `{"$object": …}`.
 */
export const TEXT_THRESHOLD = 1024;

const LONE_SURROGATE = /[\uD800-\uDFFF]/u;

/** Cheap test on a body's JSON: false means that `externalise` would change nothing. */
export function mayNeedExternalising(json: string): boolean {
  return json.length > TEXT_THRESHOLD || json.includes('"$text"') || json.includes('"$object"');
}

/** Replaces large strings; `keep` stores a text and returns its sha256 in hex. Returns the value itself when nothing changed. */
export function externalise(value: unknown, keep: (text: string) => string): unknown {
  if (typeof value === 'string') {
    // A lone surrogate does not survive UTF-8, so such a text stays inline, escaped by JSON.
    return value.length > TEXT_THRESHOLD && !LONE_SURROGATE.test(value) ? { $text: keep(value) } : value;
  }
  if (value === null || typeof value !== 'object') {
    return value;
  }
  if (Array.isArray(value)) {
    let changed = false;
    const items = value.map((item: unknown) => {
      const next = externalise(item, keep);
      changed ||= next !== item;
      return next;
    });
    return changed ? items : value;
  }
  let changed = false;
  const entries = Object.entries(value).map(([key, item]): [string, unknown] => {
    const next = externalise(item, keep);
    changed ||= next !== item;
    return [key, next];
  });
  const stored = changed ? Object.fromEntries(entries) : value;
  return looksReserved(entries) ? { $object: stored } : stored;
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
