/** Characters to insert, remove or replace until one text is the other (Levenshtein). Its time is the product of the lengths. */
export function editDistance(one: string, other: string): number {
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const next = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const change = (row[j - 1] ?? 0) + (one[i - 1] === other[j - 1] ? 0 : 1);
      next.push(Math.min(change, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[other.length] ?? 0;
}

/** No name is longer; a longer word is near none. */
const LONGEST = 100;

/** The name that a word was probably meant to be: within a third of the name's letters, or two, and no more than half of them. Case, `-` and `_` do not count. */
export function nearestName(word: string, names: readonly string[]): string | null {
  if (word.length > LONGEST) return null;
  const plain = (text: string) => text.toLowerCase().replaceAll('-', '_');
  let best: string | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const name of names) {
    const distance = editDistance(plain(word), plain(name));
    if (distance < least) [best, least] = [name, distance];
  }
  if (best === null) return null;
  return least <= Math.max(2, Math.floor(best.length / 3)) && least * 2 <= best.length ? best : null;
}
