import { hasHiddenCharacters } from './visible-text';

/** Control characters a paste never sends: with them a text could press keys, or end the brackets around a paste. */
const sent = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;

/** What is about to be pasted, and whether a person has to look at it first. */
export interface PasteCheck {
  lines: number;
  /** Control characters besides tab and line feed; they are left out of what is sent. */
  controls: number;
  /** Characters a reader cannot see (see `visible-text.ts`). */
  hidden: boolean;
  ask: boolean;
}

export function checkPaste(text: string): PasteCheck {
  const plain = withPlainBreaks(text);
  const lines = plain.split('\n').length;
  const controls = plain.match(sent)?.length ?? 0;
  const hidden = hasHiddenCharacters(plain);
  return { lines, controls, hidden, ask: lines > 1 || controls > 0 || hidden };
}

/** What a paste sends: line breaks and text, no other control character. */
export function pastedText(text: string): string {
  return withPlainBreaks(text).replace(sent, '');
}

/** The same on one line: line breaks with the blanks around them become one blank, those at the ends go. */
export function pastedAsOneLine(text: string): string {
  return pastedText(text)
    .replace(/^\n+|\n+$/g, '')
    .replace(/[ \t]*\n[ \t\n]*/g, ' ');
}

function withPlainBreaks(text: string): string {
  return text.replace(/\r\n?/g, '\n');
}
