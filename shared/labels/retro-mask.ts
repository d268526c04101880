import { hintTerms, holds, type Term, wordsOf } from './retro-words';

/** Most steps before a hint that are looked at. */
export const RETRO_STEPS = 60;

/** So many steps without a word of the hint between two that have one part the range. */
const GAP = 6;
/** A step needs this much in common with the hint: one name, or one rare abbreviation, or three plain words. */
const ENOUGH = 3;
/** What the hint forbids tells three times as much, half of that for a plain word among other forbidden ones. */
const FORBIDDEN = 3;
/** Rare among so many steps at least; fewer steps cannot tell what is rare. */
const TELLING_FROM = 8;

export interface RetroStep {
  step: number;
  /** Thought and call of the step, as one text. */
  text: string;
}

export interface RetroProposal {
  from: number;
  to: number;
  /** Ascending by step, from the first step of the range to its last. */
  evidence: { step: number; words: string[] }[];
}

/**
 * The steps that a hint contradicts, as far as words tell: a person's hint makes earlier steps that go against it unfit for
 * training (APOLLO appendix E, priority 7). A step counts when its thought or call shares telling words with the hint; what the
 * hint forbids ("do not use X", "instead of X") weighs more, and where some step holds a forbidden word, only those words count.
 * The range goes from the earliest to the latest of them; a gap of more than six steps ends it, and the weightier side stays.
 * Nothing is made up: when no step shares a telling word with the hint, there is no proposal.
 *
 * @param steps Ascending, the last one carries the hint; at most `RETRO_STEPS` are looked at.
 */
export function proposeRetroMask(hint: string, steps: readonly RetroStep[]): RetroProposal | null {
  const seen = steps.slice(-RETRO_STEPS);
  const best = weightiest(clusters(hits(hint, seen)));
  const [first] = best;
  const end = best.at(-1);
  if (first === undefined || end === undefined) return null;
  const evidence = best.map(({ step, words }) => ({ step, words }));
  return { from: first.step, to: end.step, evidence };
}

/** Text of an argument for looking words up: the strings of its JSON, else the text itself. */
export function argumentText(raw: string): string {
  try {
    return strings(JSON.parse(raw)).join('\n');
  } catch {
    return raw.replaceAll(/\\[nrt"]/gu, ' '); // not JSON: the model wrote something else, and its words still tell
  }
}

function strings(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value === 'number') return [String(value)];
  if (typeof value !== 'object' || value === null) return [];
  // `num_epochs: 3` is "num_epochs 3", so that the name of an argument tells as well.
  return Object.entries(value).flatMap(([key, inner]) => [
    Array.isArray(value) ? '' : key,
    ...strings(inner),
  ]);
}

interface Hit {
  step: number;
  words: string[];
  weight: number;
}

function hits(hint: string, steps: readonly RetroStep[]): Hit[] {
  const terms = hintTerms(hint);
  const forbidden = terms.filter(({ tone }) => tone === 'against');
  const read = steps.map(({ step, text }) => {
    const words = wordsOf(text);
    return { step, has: terms.filter((term) => holds(words, term)) };
  });
  const frequency = new Map<string, number>();
  for (const { has } of read) for (const { word } of has) frequency.set(word, (frequency.get(word) ?? 0) + 1);
  const alone = forbidden.filter(({ weight }) => weight === 1).length < 2;
  const tried = read.map(({ step, has }) =>
    hitOf(step, has.filter(isForbidden), (term) =>
      term.weight === 1 && !alone ? FORBIDDEN / 2 : term.weight * FORBIDDEN,
    ),
  );
  const forbade = tried.filter((hit) => hit.weight >= ENOUGH);
  if (forbade.length > 0) return forbade;
  // What the hint asks for instead is no fault in a step.
  const open = (term: Term) =>
    !(forbidden.length > 0 && term.tone === 'for') && tells(frequency.get(term.word) ?? 0, steps.length);
  return read
    .map(({ step, has }) =>
      hitOf(step, has.filter(open), (term) => weightOf(term, frequency.get(term.word) ?? 0, steps.length)),
    )
    .filter((hit) => hit.weight >= ENOUGH);
}

function hitOf(step: number, terms: readonly Term[], weigh: (term: Term) => number): Hit {
  return {
    step,
    words: terms.map(({ shown }) => shown),
    weight: terms.reduce((sum, term) => sum + weigh(term), 0),
  };
}

function isForbidden({ tone }: Term): boolean {
  return tone === 'against';
}

/** A word that most steps hold tells nothing. */
function tells(frequency: number, steps: number): boolean {
  return steps < TELLING_FROM || frequency <= steps / 2;
}

function weightOf(term: Term, frequency: number, steps: number): number {
  const rare = steps < TELLING_FROM || frequency <= steps / 4;
  return term.weight === 2 && rare ? 3 : term.weight;
}

function clusters(found: readonly Hit[]): Hit[][] {
  const groups: Hit[][] = [];
  for (const hit of found) {
    const group = groups.at(-1);
    const before = group?.at(-1);
    if (group !== undefined && before !== undefined && hit.step - before.step - 1 <= GAP) group.push(hit);
    else groups.push([hit]);
  }
  return groups;
}

/** Of equal ones the later: a hint mostly speaks of what was just done. */
function weightiest(groups: readonly Hit[][]): Hit[] {
  let best: Hit[] = [];
  let most = 0;
  for (const group of groups) {
    const weight = group.reduce((sum, hit) => sum + hit.weight, 0);
    if (weight >= most) {
      most = weight;
      best = group;
    }
  }
  return best;
}
