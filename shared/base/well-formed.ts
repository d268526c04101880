/**
 * Replaces lone surrogates by U+FFFD. They cannot be written as UTF-8: a text with one would come back from the
 * store as another text, and the exact prompt would no longer hash to what was sent.
 */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/u.test(text) ? text.replace(/[\ud800-\udfff]/gu, '\ufffd') : text;
}
