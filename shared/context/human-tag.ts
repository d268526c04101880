/**
 * Only the outbox can produce `<real_user>`. What a model, a tool or a file says in that tag is escaped before
 * a model, a judge or a dataset sees it; the log keeps the raw text. The tag is the one of APOLLO §3.3.
 */
const INVISIBLE = '[\\s\\u00ad\\u200b-\\u200f\\u2060\\ufeff]*';

/** `<`, then perhaps a slash (the paper also writes a backslash), then the name; in any case, with white space. */
const TAG = `<(?=${INVISIBLE}(?:[/\\\\]${INVISIBLE})?real${INVISIBLE}_${INVISIBLE}user)`;

/** Replaces the `<` of every opening or closing human tag by `&lt;`. Idempotent; other text is untouched. */
export function escapeHumanTag(text: string): string {
  return text.includes('<') ? text.replace(new RegExp(TAG, 'giu'), '&lt;') : text;
}

/** Whether `text` holds something that reads as a human tag. */
export function hasHumanTag(text: string): boolean {
  return text.includes('<') && new RegExp(TAG, 'iu').test(text);
}

/**
 * As `escapeHumanTag`, for the JSON text of a call's arguments: a tag spelled with JSON escapes
 * (`\u003creal_user>`, `<\/real_user>`) would come alive in a chat template that decodes the arguments.
 * Text without such a tag comes back byte for byte.
 */
export function escapeHumanTagInJson(json: string): string {
  const plain = escapeHumanTag(json);
  if (!plain.includes('\\')) {
    return plain;
  }
  const value = parseJson(plain);
  return value !== undefined && anyString(value, hasHumanTag)
    ? JSON.stringify(mapStrings(value, escapeHumanTag))
    : plain;
}

/** Whether the JSON text of arguments holds the tag, decoded or not. */
export function hasHumanTagInJson(json: string): boolean {
  return escapeHumanTagInJson(json) !== json;
}

/**
 * The exact text that hints add to the context, tags included, hints in queue order (APOLLO Algorithm 1, l. 14).
 * A tag inside a hint is escaped, so that no hint can close or open another.
 */
export function hintBlock(texts: readonly string[]): string {
  return texts.map((text) => `\n\n<real_user>${escapeHumanTag(text)}</real_user>`).join('');
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // Not JSON: such arguments are only ever quoted as text, where escapes are never decoded.
    return undefined;
  }
}

function anyString(value: unknown, test: (text: string) => boolean): boolean {
  if (typeof value === 'string') {
    return test(value);
  }
  if (Array.isArray(value)) {
    return value.some((item) => anyString(item, test));
  }
  return (
    typeof value === 'object' &&
    value !== null &&
    Object.entries(value).some(([key, item]) => test(key) || anyString(item, test))
  );
}

function mapStrings(value: unknown, map: (text: string) => string): unknown {
  if (typeof value === 'string') {
    return map(value);
  }
  if (Array.isArray(value)) {
    return value.map((item) => mapStrings(item, map));
  }
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [map(key), mapStrings(item, map)]));
  }
  return value;
}
