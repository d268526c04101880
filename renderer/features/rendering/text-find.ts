/** More hits than this are not counted. */
const MAX_HITS = 10_000;
/** Text shown around a hit, UTF-16 units to each side. */
const AROUND = 3000;

/** Where the text holds the words, ignoring case; ascending. */
export function findInText(text: string, words: string): number[] {
  const wanted = words.toLowerCase();
  if (wanted === '') return [];
  // Lower case may be longer (İ); places would no longer fit, so such a text is searched as it is.
  const lower = text.toLowerCase();
  const [haystack, needle] = lower.length === text.length ? [lower, wanted] : [text, words];
  const hits: number[] = [];
  for (let at = haystack.indexOf(needle); at >= 0 && hits.length < MAX_HITS; ) {
    hits.push(at);
    at = haystack.indexOf(needle, at + needle.length);
  }
  return hits;
}

export interface Surroundings {
  before: string;
  hit: string;
  after: string;
  /** Line of the hit, from 1. */
  line: number;
  cut: { start: boolean; end: boolean };
}

/** What stands around a hit, from a line's start to a line's end where those are near. */
export function around(text: string, at: number, length: number): Surroundings {
  const from = Math.max(0, at - AROUND);
  const to = Math.min(text.length, at + length + AROUND);
  const start = from === 0 ? 0 : Math.min(at, text.indexOf('\n', from) + 1 || from);
  const feed = text.lastIndexOf('\n', to);
  const end = to === text.length || feed < at + length ? to : feed;
  let line = 1;
  for (let feedAt = text.indexOf('\n'); feedAt >= 0 && feedAt < at; feedAt = text.indexOf('\n', feedAt + 1))
    line += 1;
  return {
    before: text.slice(start, at),
    hit: text.slice(at, at + length),
    after: text.slice(at + length, end),
    line,
    cut: { start: start > 0, end: end < text.length },
  };
}
