/** One word as the index sees it, with its place in the text (UTF-16 units). */
export interface Token {
  text: string;
  start: number;
  end: number;
}

const CJK = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}';
const CJK_CHARACTER = new RegExp(`[${CJK}]`, 'gu');
const NOT_ASCII = /[^\x00-\x7f]/;

/** Puts each CJK character into a word of its own, which makes words of any length findable. */
export function splitCjk(text: string): string {
  return NOT_ASCII.test(text) ? text.replace(CJK_CHARACTER, ' $& ') : text;
}

/** A pattern for words as FTS5's `unicode61` cuts them, after `splitCjk`. */
export function tokenPattern(): RegExp {
  return new RegExp(`[${CJK}]|(?:(?![${CJK}])[\\p{L}\\p{N}\\p{Co}\\p{M}])+`, 'gu');
}

/** `unicode61 remove_diacritics 2`: case and accents do not count. */
export function foldWord(word: string): string {
  return NOT_ASCII.test(word)
    ? word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
    : word.toLowerCase();
}

export function* tokensOf(text: string): Generator<Token> {
  for (const match of text.matchAll(tokenPattern())) {
    yield { text: foldWord(match[0]), start: match.index, end: match.index + match[0].length };
  }
}
