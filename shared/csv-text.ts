/**
 * What a spreadsheet would run: a sign that begins a formula, also in its full-width form, behind anything that is trimmed or
 * not seen (blanks, line ends, control and zero-width characters, byte order marks), or a tab or carriage return at the front.
 */
const formula = /^(?:[\t\r]|[\s\p{C}\p{Z}\p{Default_Ignorable_Code_Point}]*[=+\-@\uff1d\uff0b\uff0d\uff20])/u;

/** A text as a field of RFC 4180 CSV. What a spreadsheet would take for a formula is quoted with an apostrophe. */
export function csvText(text: string): string {
  const safe = formula.test(text) ? `'${text}` : text;
  return /[",;\t\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}
