/** Characters that move the cursor, hide text or turn its direction: C0, C1, zero-width, bidirectional, tags. */
const unshown =
  /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

const maxLine = 400;
const maxText = 4_000;

/** One line of text from a host as a person may see it: nothing hidden, at most 400 characters. */
export function shortLine(text: string): string {
  return cut(shown(text).replace(/\s+/g, ' ').trim(), maxLine);
}

/** Text of several lines from a host: line ends and nothing else unseen, at most 4,000 characters. */
export function shortText(text: string): string {
  return cut(shown(text).trim(), maxText);
}

function shown(text: string): string {
  return text
    .slice(0, 16 * maxText)
    .replace(/\r\n?/g, '\n')
    .replaceAll('\t', ' ')
    .replace(unshown, '');
}

function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // A character of two units is kept whole or left out.
  const end = /[\ud800-\udbff]/.test(text[most - 2] ?? '') ? most - 2 : most - 1;
  return `${text.slice(0, end)}…`;
}
