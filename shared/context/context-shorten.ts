import type { EventBody } from '../log/events';
import type { ContextFold } from './context';
import { type Kept, shortened, splitHints, tokensOf } from './context-entry';
import { estimateTokens } from './tokens';

type Shortened = EventBody<'context.shortened'>;

/** No observation is shortened below this, UTF-16 units; below twice that there is nothing to gain. */
const LEAST_KEPT = 2_000;

interface Candidate {
  step: number;
  call: number;
  text: string;
  kept: Kept | null;
  tokens: number;
}

/** Observations in (a part of) the context that can still be shortened, as they stand there; the largest first. */
function candidates(context: ContextFold, part: { pair: boolean; entries: number } | null): Candidate[] {
  const withPair = context.pair !== null && (part === null || part.pair);
  const last = part === null ? context.entries.length : part.entries - (part.pair ? 1 : 0);
  const all = context.entries
    .slice(0, last)
    .flatMap(({ step, observations }) =>
      observations.map(({ call, text, kept }) => ({ step, call, text, kept })),
    );
  if (withPair && context.pair !== null) {
    const { text } = splitHints(context.pairObservation);
    all.push({ step: 0, call: 0, text, kept: context.pair.kept });
  }
  return all
    .filter(({ text, kept }) => lengthOf(text, kept) > 2 * LEAST_KEPT)
    .map((each) => ({ ...each, tokens: estimateTokens(shortened(each.text, each.kept)) }))
    .sort((a, b) => b.tokens - a.tokens);
}

/**
 * How the largest observation of the context, or of a part of it, is shortened so that `excess` tokens less are sent, if it is
 * long enough for that. Null when none is long enough to be shortened.
 */
export function shortenLargest(
  context: ContextFold,
  excess: number,
  part: { pair: boolean; entries: number } | null = null,
): { body: Shortened; saved: number } | null {
  const [largest] = candidates(context, part);
  return largest === undefined ? null : shortenOne(context.segment, largest, excess);
}

/** Shortens the largest observations of a part, one after another, until `excess` tokens less are sent or none is left. */
export function shortenMany(
  context: ContextFold,
  excess: number,
  part: { pair: boolean; entries: number },
): { bodies: Shortened[]; left: number } {
  const bodies: Shortened[] = [];
  let left = excess;
  for (const candidate of candidates(context, part)) {
    if (left <= 0) break;
    const { body, saved } = shortenOne(context.segment, candidate, left);
    bodies.push(body);
    left -= saved;
  }
  return { bodies, left };
}

/** What takes the most room, for a person: the observation of a step, or what stands before all steps. */
export function largestPart(context: ContextFold): { step: number; tokens: number } {
  const head = tokensOf(context.headMessages());
  return context.entries
    .map((entry) => ({ step: entry.step, tokens: context.tokensOf(entry) }))
    .reduce((most, each) => (each.tokens > most.tokens ? each : most), { step: 0, tokens: head });
}

/** Share of what is kept on one side that may be given up so that the cut stands between two lines. */
const GIVEN_UP = 0.25;

/** The last place up to `at` where a line begins; `at` itself, or the place before half a character there, in a long line. */
function lineBefore(text: string, at: number): number {
  const line = text.lastIndexOf('\n', at - 1) + 1;
  return line >= at * (1 - GIVEN_UP) ? line : at - (splitsPair(text, at) ? 1 : 0);
}

/** The first place from `at` on where a line begins; else as `lineBefore`, the other way round. */
function lineAfter(text: string, at: number): number {
  const line = text[at - 1] === '\n' ? at : text.indexOf('\n', at) + 1;
  return line > 0 && line - at <= (text.length - at) * GIVEN_UP ? line : at + (splitsPair(text, at) ? 1 : 0);
}

function shortenOne(
  segment: number,
  { step, call, text, kept, tokens }: Candidate,
  excess: number,
): { body: Shortened; saved: number } {
  const now = lengthOf(text, kept);
  const share = tokens === 0 ? 0 : Math.max(0, tokens - excess) / tokens;
  const keep = Math.max(LEAST_KEPT, Math.floor(now * share) - MARKER);
  const half = Math.floor(keep / 2);
  const keepStart = lineBefore(text, half);
  const keepEnd = text.length - lineAfter(text, text.length - (keep - half));
  const body = { segment, step, call, keepStart, keepEnd, was: text.length, lines: true as const };
  return { body, saved: tokens - estimateTokens(shortened(text, body)) };
}

/** About what the sentence in the middle takes, UTF-16 units. */
const MARKER = 140;

function lengthOf(text: string, kept: Kept | null): number {
  return kept === null ? text.length : Math.min(text.length, kept.keepStart + kept.keepEnd);
}

/** Whether a cut before unit `at` would leave half a character. */
function splitsPair(text: string, at: number): boolean {
  const code = text.charCodeAt(at);
  return code >= 0xdc00 && code <= 0xdfff;
}
