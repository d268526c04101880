import type { PlacedMessage } from '../log/chat';
import { hintName } from '../log/event-parts';
import type { EventBody } from '../log/events';
import type { ContextFold } from './context';
import { atHead, type ContextEntry, imagesOf, observationOf, placedTokens, tokensOf } from './context-entry';
import { shownOf } from './image-message';
import { hintsOfPair, type KnownHint } from './reflected-hints';
import { toolTokens } from './tokens';

type Started = EventBody<'summary.started'>;

/** Which part of the context is summarised: k and what follows from it (APOLLO Algorithm 1, l. 5-8). */
export interface SummaryPlan extends Pick<Started, 'entries' | 'pair' | 'steps' | 'carried'> {
  /** Hints inside the part or of an earlier summary in it, in order: each needs a reflection. `step` 0: of no step in the part. */
  hints: (KnownHint & { step: number; ofSummary: boolean })[];
  /** The last summarised step: its observation o_k stays word for word. */
  last: ContextEntry;
}

/**
 * k = ⌊t/2⌋ over the entries now in the context, the summary pair counting as one. Null when nothing would be gained: k is
 * 0, or only an earlier summary would be summarised again.
 */
export function planSummary(context: ContextFold): SummaryPlan | null {
  const pair = context.pair === null ? 0 : 1;
  const entries = Math.floor((context.entries.length + pair) / 2);
  const part = context.entries.slice(0, entries - pair);
  const kept = context.entries.slice(Math.max(0, entries - pair));
  const [first, last] = [part[0], part.at(-1)];
  if (entries === 0 || first === undefined || last === undefined) {
    return null;
  }
  const [from, to] = [kept[0], kept.at(-1)];
  const reflected = new Set(context.pair?.reflected.map(({ id }) => hintName(id)));
  const isReflected = ({ id }: KnownHint) => reflected.has(hintName(id));
  return {
    entries,
    pair: pair === 1,
    steps: { from: first.step, to: last.step },
    carried: from === undefined || to === undefined ? null : { from: from.step, to: to.step },
    hints: [
      ...hintsOfPair(context.pair).map((hint) => ({ ...hint, step: 0, ofSummary: isReflected(hint) })),
      ...part.flatMap(({ hints, step }) => hints.map((hint) => ({ ...hint, step, ofSummary: false }))),
    ],
    last,
  };
}

/** The part of a summary turn that is under way, from its event; the context has not changed since. */
export function summarised(
  context: ContextFold,
  started: Pick<Started, 'entries' | 'pair'>,
): { messages: PlacedMessage[]; last: ContextEntry | undefined } {
  const messages = context.summarisedMessages(started);
  return { messages, last: context.entries[started.entries - (started.pair ? 1 : 0) - 1] };
}

/** Estimated tokens of the summary's own request. */
export function summaryRequestTokens(
  context: ContextFold,
  turn: Pick<Started, 'entries' | 'pair' | 'head' | 'closing' | 'tools'>,
): number {
  const own = [...turn.head, { role: 'user' as const, content: turn.closing }];
  return (
    toolTokens(turn.tools) +
    own.reduce((sum, message) => sum + placedTokens(atHead(message)), 0) +
    tokensOf(context.summarisedMessages(turn))
  );
}

/**
 * Head of the next context: system and task as they stand, the summary, and o_k with its images and hints in a message that
 * says to go on. The last two are the summary pair.
 */
export function nextHead(
  context: ContextFold,
  parts: { summary: string; goOn: string; last: ContextEntry },
): EventBody<'segment.started'>['head'] {
  const head = context.storedHead();
  const base = context.pair === null ? head : head.slice(0, -2);
  const images = shownOf(imagesOf(parts.last) ?? []);
  return [
    ...base,
    { role: 'assistant', content: parts.summary },
    {
      role: 'user',
      content: `${parts.goOn}\n\n${observationOf(parts.last)}`,
      ...(images.length === 0 ? {} : { images }),
    },
  ];
}

/** Estimated tokens of the context that begins with `head` and keeps the steps from `carried` on. */
export function tokensAfter(
  context: ContextFold,
  head: EventBody<'segment.started'>['head'],
  carried: Started['carried'],
): number {
  const kept = carried === null ? [] : context.entries.filter(({ step }) => step >= carried.from);
  return (
    toolTokens(context.tools) +
    head.reduce((sum, message) => sum + placedTokens(atHead(message)), 0) +
    kept.reduce((sum, entry) => sum + context.tokensOf(entry), 0)
  );
}
