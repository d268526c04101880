/** How a hint speaks of a word: it forbids it, it asks for it, or it only mentions it. */
export type Tone = 'against' | 'for' | 'neutral';

export interface Term {
  /** As it is looked for: lower case, plain words by their stem. */
  word: string;
  /** As it is shown. */
  shown: string;
  /** How much it tells: 1 a plain word or a pair of CJK characters, 2 an abbreviation or a number with its unit, 3 a name. */
  weight: 1 | 2 | 3;
  tone: Tone;
}

/** The words of a text by which another text may be recognised. */
export interface Words {
  /** Stems of plain words, numbers with units, pairs of CJK characters. */
  simple: ReadonlySet<string>;
  /** The text itself, lower case: names with marks inside are looked for in it. */
  text: string;
}

const CJK = /[\u3400-\u9fff\uf900-\ufaff]+/gu;
/** A path, a file, an identifier with marks inside, a flag, a dotted name. */
const NAME =
  /(?:\.{0,2}\/|~\/|--?(?=[a-z]))?[\p{Script=Latin}\p{N}]+(?:[_./:=+@-]+[\p{Script=Latin}\p{N}]+)+\/?|(?:\/|~\/|--)[\p{Script=Latin}\p{N}]+/giu;
const UNIT =
  /(?<![\w.])(\d+(?:\.\d+)?)\s?(%|seconds?|secs?|s|minutes?|mins?|min|hours?|h|gb|mb|kb|k|gpus?|epochs?|tokens?|samples?|examples?|points?|秒|分钟|小时|轮|张|条|个)(?![\p{Script=Latin}\d])/giu;
const SCIENTIFIC = /(?<![\w.])\d+(?:\.\d+)?e-?\d+(?!\w)/giu;
const WORD = /\p{Script=Latin}[\p{Script=Latin}\p{N}]*/gu;

const units: Readonly<Record<string, string>> = {
  second: 's',
  seconds: 's',
  sec: 's',
  secs: 's',
  秒: 's',
  minute: 'min',
  minutes: 'min',
  mins: 'min',
  分钟: 'min',
  hour: 'h',
  hours: 'h',
  小时: 'h',
  轮: 'epoch',
  张: 'gpu',
  条: 'sample',
  个: '',
};

const stopWords = new Set(
  `a about above after again all already also always am an and another any are around as ask at away back be because been
  before being better both but by can cannot come could did do does doing done down each either else enough even every few
  find first for from full get give go going good got great had has have having he help her here his how however i if in
  into is it its just keep know last leave less let like look made make many may maybe me mean might more most much must my
  need never new next no none nor not nothing now of off ok okay on once one only or other our out over own please put
  rather really right run running said same say see seem set she should since so some something step steps still such sure
  take tell than thank thanks that the their them then there these they thing things think this those though three through
  to too try trying two under until up us use used useful using very via want was way we well were what when where whether
  which while who why will with within without work would wrong yes yet you your yourself instead stop avoid don t s re ve
  ll don't doesn't isn't won't can't first second finish`.split(/\s+/u),
);

/** Pairs with one of these say nothing by themselves. */
const stopCharacters = new Set([
  ...'的了是在不要用把和与或就都也很再请你我它这那个们到从被让会能可以应该别没有先后上下中里对为而且但如果已经还只得着过吗呢吧一些什么怎样',
]);

interface Span {
  from: number;
  to: number;
}

const END = String.raw`(?=[,;:!?\n，。；：！？、]|\.(?:\s|$)|\b(?:but|and (?:use|run|try)|instead(?! of)|use|try|switch to|prefer)\b|而是|改用|应该|请|$)`;
const AGAINST = [
  new RegExp(
    String.raw`\b(?:do not|don['’]t|does not|never|no longer|no need (?:to|for)|stop|avoid|without|instead of|rather than|must not|should not|shouldn['’]t|cannot|not)\b(?:\s+(?:use|try|switch to|prefer))?(.*?)${END}`,
    'gisu',
  ),
  new RegExp(
    `(?:不要|不能|不应该|不应|不该|不再|不用|不许|禁止|停止|避免|无需|请勿|而不是|代替|取代|别|勿)(.*?)${END}`,
    'gisu',
  ),
  // What stands before the verdict is what is meant.
  /([^,;:!?\n，。；：！？、]*?)(?:\b(?:is|are|was|were) (?:wrong|forbidden|not allowed|useless|too (?:slow|small|large|short|long))\b|(?:是错的|不对|有问题|太慢|太小|太大|太短))/giu,
];
/** What is named right behind these is the very thing that is not wanted. */
const OBJECT = [
  new RegExp(
    String.raw`\b(?:instead of|rather than|without|(?:do not|don['’]t|never|not|stop|avoid|must not|should not|shouldn['’]t|cannot)\s+(?:use|using|try|switch to|prefer))\b(.*?)${END}`,
    'gisu',
  ),
  new RegExp(
    `(?:而不是|代替|取代|不用|(?:不要|不能|不应该|不该|不再|别|禁止|停止|避免)(?:使)?用)(.*?)${END}`,
    'gisu',
  ),
];
const FOR = [
  /\b(?:use|try|switch to|prefer|go with)\b(.*?)(?=[,;:!?\n]|\.(?:\s|$)|\b(?:instead of|rather than|not|but)\b|$)/gisu,
  /(?:改用|使用|换成|应该用|请用)(.*?)(?=[,;:!?\n，。；：！？、]|而不是|不要|代替|$)/gisu,
];

function spans(text: string, patterns: readonly RegExp[]): Span[] {
  return patterns.flatMap((pattern) =>
    [...text.matchAll(pattern)].flatMap((match) => {
      const inner = match[1];
      if (inner === undefined || inner === '') return [];
      const from = match.index + match[0].indexOf(inner);
      return [{ from, to: from + inner.length }];
    }),
  );
}

function within(at: number, list: readonly Span[]): boolean {
  return list.some(({ from, to }) => from <= at && at < to);
}

/** The telling words of a hint, each once, with what the hint says of it; forbidding outweighs the rest. */
export function hintTerms(hint: string): Term[] {
  const against = spans(hint, AGAINST);
  const wanted = spans(hint, FOR);
  const found = pieces(hint);
  const objects = new Set(
    spans(hint, OBJECT).map(({ from, to }) =>
      Math.min(...found.filter(({ at }) => from <= at && at < to).map(({ at }) => at)),
    ),
  );
  const terms = new Map<string, Term>();
  const add = (shown: string, word: string, weight: Term['weight'], at: number): void => {
    const tone: Tone = within(at, against) ? 'against' : within(at, wanted) ? 'for' : 'neutral';
    const known = terms.get(word);
    if (known === undefined || (known.tone !== 'against' && tone === 'against'))
      terms.set(word, { word, shown, weight: known === undefined ? weight : known.weight, tone });
  };
  for (const { word, shown, weight, at } of found) {
    add(shown, word, weight === 1 && objects.has(at) ? 2 : weight, at);
  }
  return [...terms.values()];
}

interface Piece {
  word: string;
  shown: string;
  weight: Term['weight'];
  at: number;
}

function pieces(text: string): Piece[] {
  const found: Piece[] = [];
  const taken: Span[] = [];
  const take = (at: number, length: number): void => {
    taken.push({ from: at, to: at + length });
  };
  for (const match of text.matchAll(SCIENTIFIC)) {
    found.push({ word: match[0].toLowerCase(), shown: match[0], weight: 3, at: match.index });
    take(match.index, match[0].length);
  }
  for (const match of text.matchAll(UNIT)) {
    if (within(match.index, taken)) continue;
    const unit = unitOf(match[2] ?? '');
    if (unit === '') continue;
    found.push({ word: `${match[1]} ${unit}`, shown: match[0].trim(), weight: 2, at: match.index });
  }
  for (const match of text.matchAll(NAME)) {
    if (within(match.index, taken) || /^\d+(?:[.:/-]\d+)*$/u.test(match[0])) continue;
    const shown = match[0].replace(/[.:/=+@-]+$/u, '');
    // "and/or", "step-by-step": words tied together, no name.
    if (/^[a-z]+(?:[-/][a-z]+)+$/iu.test(shown) && !shown.startsWith('/') && shown.includes('-')) continue;
    found.push({ word: shown.toLowerCase(), shown, weight: 3, at: match.index });
    const file = shown.split('/').pop() ?? '';
    const last = file === shown ? (shown.split('.').pop() ?? '') : file;
    if (last !== shown && last.length > (file === shown ? 5 : 3))
      found.push({ word: last.toLowerCase(), shown: last, weight: 3, at: match.index });
    take(match.index, match[0].length);
  }
  const quoted = spans(text, [/`([^`\n]+)`/gu]);
  for (const match of text.matchAll(WORD)) {
    if (within(match.index, taken)) continue;
    const shown = match[0];
    const lower = shown.toLowerCase();
    const named = within(match.index, quoted) || /[a-z][A-Z]|[A-Z]{2}/u.test(shown);
    if (lower.length < 3 || stopWords.has(lower)) continue;
    const weight = within(match.index, quoted) ? 3 : named ? 2 : 1;
    found.push({ word: stem(lower), shown, weight, at: match.index });
  }
  for (const match of text.matchAll(CJK)) {
    for (const { word, at } of pairs(match[0]))
      found.push({ word, shown: word, weight: 1, at: match.index + at });
  }
  return found;
}

function unitOf(unit: string): string {
  const lower = unit.toLowerCase();
  return units[lower] ?? (/^[a-z]{3,}s$/u.test(lower) ? lower.slice(0, -1) : lower);
}

function pairs(run: string): { word: string; at: number }[] {
  const found: { word: string; at: number }[] = [];
  for (let at = 0; at + 1 < run.length; at++) {
    const word = run.slice(at, at + 2);
    if (![...word].some((character) => stopCharacters.has(character))) found.push({ word, at });
  }
  return found;
}

/** One form for "train", "trains", "trained" and "training". */
function stem(word: string): string {
  if (word.length > 5 && word.endsWith('ing')) return undouble(word.slice(0, -3));
  if (word.length > 4 && word.endsWith('ed')) return undouble(word.slice(0, -2));
  if (word.length > 3 && word.endsWith('s') && !word.endsWith('ss')) return bare(word.slice(0, -1));
  return bare(word);
}

function undouble(word: string): string {
  return bare(word.at(-1) === word.at(-2) && !/(?:ss|ll)$/u.test(word) ? word.slice(0, -1) : word);
}

function bare(word: string): string {
  return word.length > 4 && word.endsWith('e') ? word.slice(0, -1) : word;
}

/** What a step says, ready for looking terms up. */
export function wordsOf(text: string): Words {
  const simple = new Set<string>();
  for (const match of text.matchAll(WORD)) simple.add(stem(match[0].toLowerCase()));
  for (const match of text.matchAll(SCIENTIFIC)) simple.add(match[0].toLowerCase());
  for (const match of text.matchAll(UNIT)) simple.add(`${match[1]} ${unitOf(match[2] ?? '')}`);
  for (const match of text.matchAll(CJK)) for (const { word } of pairs(match[0])) simple.add(word);
  return { simple, text: text.toLowerCase() };
}

/** Whether a text holds a term: a plain word by its stem, a name as a whole. */
export function holds(words: Words, { word, weight }: Term): boolean {
  if (words.simple.has(word)) return true;
  if (weight !== 3) return false;
  for (let at = words.text.indexOf(word); at >= 0; at = words.text.indexOf(word, at + 1)) {
    const before = words.text.slice(Math.max(0, at - 2), at);
    const after = words.text.slice(at + word.length, at + word.length + 2);
    // A dot or a dash that ties it to more makes it another name.
    if (!/[\p{L}\p{N}_][._-]?$/u.test(before) && !/^[._-]?[\p{L}\p{N}_]/u.test(after)) return true;
  }
  return false;
}
