import { z } from 'zod';

/** Most characters of what a run is called, and of what sets it apart: experiment, arm, group. */
export const mostTitle = 120;
export const mostName = 80;

const breaks = /[\p{Cc}\p{Zl}\p{Zp}]/u;

/** Why a text is not fit to stand in a row of a list, as the end of a sentence that names it; null when it is. */
export function whyNoLine(text: string, most: number): string | null {
  if (breaks.test(text)) return 'holds a line break or another control character, and must be one line';
  if (text.length > most) return `has ${text.length} characters, and may have ${most}`;
  return null;
}

/** A text of others as it may stand in a row of a list: what would break the row is a blank. */
export const asOneLine = (text: string) => text.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ');

/** One line of at most so many characters. */
export const oneLine = (most: number) =>
  z.string().superRefine((text, context) => {
    const why = whyNoLine(text, most);
    if (why !== null) context.addIssue({ code: 'custom', message: why });
  });

/**
 * Replaces lone surrogates by U+FFFD. They cannot be written as UTF-8: a text with one would come back from the
 * store as another text, and the exact prompt would no longer hash to what was sent.
 */
export function wellFormed(text: string): string {
  return /[\ud800-\udfff]/u.test(text) ? text.replace(/[\ud800-\udfff]/gu, '\ufffd') : text;
}
