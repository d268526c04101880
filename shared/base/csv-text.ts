/** Trimmed or not seen: blanks, line ends, control and zero-width characters, byte order marks. */
const seen = /[^\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]/u;
/** A sign that begins a formula, also in its full-width form. */
const signs = '=+-@\uff1d\uff0b\uff0d\uff20';

/**
 * What a spreadsheet would run: a formula, also behind what it trims or does not show, or a tab or carriage return at the front.
 * The first character that is seen is looked for by itself: one pattern for both overflows on millions of blanks.
 */
function isFormula(text: string): boolean {
  if (text.startsWith('\t') || text.startsWith('\r')) return true;
  const first = text.search(seen);
  return first >= 0 && signs.includes(text[first] ?? ' ');
}

/** A text as a field of RFC 4180 CSV. What a spreadsheet would take for a formula is quoted with an apostrophe. */
export function csvText(text: string): string {
  const safe = isFormula(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
