/** One word as the index sees it, with its place in the text (UTF-16 units). */
export interface Token {
  text: string;
  start: number;
  end: number;
}

// The long vowel marks belong to no script, but stand between characters of Japanese. Voice marks of half width join the one before.
const CJK = '\\p{sc=Han}\\p{sc=Hiragana}\\p{sc=Katakana}\\p{sc=Hangul}\\u30fc\\uff70';
// Longer words than this are cut: patterns without a limit overflow the stack on a million marks.
const WORD = `[${CJK}][\\uff9e\\uff9f\\u3099\\u309a]?|(?:(?![${CJK}])[\\p{L}\\p{N}\\p{Co}\\p{M}]){1,65536}`;
const STARTS_CJK = new RegExp(`^[${CJK}]`, 'u');
const NOT_ASCII = /[^\x00-\x7f]/;

/**
 * The words of a text: letters and digits that stand together, and every CJK character for itself, which makes words of any
 * length findable. Case, accents and width do not count.
 */
export function* tokensOf(text: string): Generator<Token> {
  for (const match of text.matchAll(new RegExp(WORD, 'gu'))) {
    const folded = foldWord(match[0]);
    if (folded !== '') yield { text: folded, start: match.index, end: match.index + match[0].length };
  }
}

/** Whether a word is one character that is a word by itself. */
export function isCjk(word: string): boolean {
  return STARTS_CJK.test(word);
}

/** One word as it is compared. CJK keeps its marks, which make other letters there. */
export function foldWord(word: string): string {
  if (!NOT_ASCII.test(word)) return word.toLowerCase();
  if (word.length === 1 && isUnified(word.charCodeAt(0))) return word;
  if (STARTS_CJK.test(word)) return word.normalize('NFKC');
  const bare = word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase().replace(/\p{M}/gu, '');
  return bare.replace(/ς/g, 'σ');
}

/** One of the 20,992 unified ideographs of the first block, none of which any normal form changes. */
const isUnified = (code: number): boolean => code >= 0x4e00 && code <= 0x9fff;

/**
 * The text to hand to FTS5's `unicode61`, which cuts and folds it as `tokensOf` does. ASCII stays as it is; only what stands
 * around other characters is rewritten, which keeps indexing fast.
 */
export function indexedText(text: string): string {
  if (!NOT_ASCII.test(text)) return text;
  let result = '';
  let copied = 0;
  for (const match of text.matchAll(/[^\x00-\x7f]+/g)) {
    if (match.index < copied) continue;
    let from = match.index;
    while (from > copied && isAlphanumeric(text.charCodeAt(from - 1))) from -= 1;
    let to = match.index + match[0].length;
    while (to < text.length && (isAlphanumeric(text.charCodeAt(to)) || text.charCodeAt(to) > 0x7f)) to += 1;
    result += `${text.slice(copied, from)} `;
    for (const token of tokensOf(text.slice(from, to))) result += `${token.text} `;
    copied = to;
  }
  return result + text.slice(copied);
}

function isAlphanumeric(code: number): boolean {
  return (code >= 48 && code <= 57) || (code >= 65 && code <= 90) || (code >= 97 && code <= 122);
}
