import { type ChatMessage, contentText } from '../log/chat';
import { hintName, hintNamesIn } from '../log/event-parts';
import type { EventBody } from '../log/events';

export type Missing = EventBody<'summary.ended'>['missing'][number];

/** At most so many are named; hints come first, then what was mentioned most often. */
const MOST_NAMED = 50;
/** A longer string is no name that anybody would look up. */
const LONGEST = 300;

const URL = /\bhttps?:\/\/[^\s"'<>`\\)\]}]+/gu;
const PATH = /(?<![\w./:~-])~?\/(?:[\w.@+=-]+\/)*[\w.@+=-]*\w/gu;
const SCORE = /\bscore\b[^\d\n-]{0,24}(-?\d+(?:\.\d+)?)/giu;

/** What stands beside a name when it is only a part of a longer name or number. */
const INSIDE_BEFORE = /(?:[\p{L}\p{N}_]|\p{N}\.)$/u;
const INSIDE_AFTER = /^(?:[\p{L}\p{N}_]|\.\p{N})/u;

/** Arguments of actions that name a session. */
const SESSION_KEYS = new Set(['session_id', 'session']);

/**
 * What the summarised messages mention and the summary does not, by exact string: hints (by the name a summary gives
 * them), file paths, sessions, scores, addresses (semantics, Context). `hints`: ids of those inside the part.
 */
export function missingIn(
  summary: string,
  part: { messages: readonly ChatMessage[]; hints: readonly string[] },
): Missing[] {
  const found = new Map<string, { kind: Missing['kind']; text: string; count: number }>();
  const add = (kind: Missing['kind'], text: string) => {
    if (text === '' || text.length > LONGEST) return;
    const key = `${kind} ${text}`;
    const known = found.get(key);
    if (known === undefined) found.set(key, { kind, text, count: 1 });
    else known.count += 1;
  };
  for (const id of part.hints) add('hint', hintName(id));
  for (const message of part.messages) {
    for (const text of textsOf(message)) {
      const withoutUrls = text.replace(URL, (url) => {
        add('url', url.replace(/[.,;:!?]+$/u, ''));
        return ' ';
      });
      for (const name of hintNamesIn(text)) add('hint', name);
      for (const [path] of withoutUrls.matchAll(PATH)) {
        if (path.split('/').length > 2) add('path', path);
      }
      for (const [, score = ''] of text.matchAll(SCORE)) add('score', score);
    }
    for (const session of sessionsOf(message)) add('session', session);
  }
  return [...found.values()]
    .filter(({ text }) => !mentions(summary, text))
    .sort((a, b) => Number(b.kind === 'hint') - Number(a.kind === 'hint') || b.count - a.count)
    .slice(0, MOST_NAMED)
    .map(({ kind, text }) => ({ kind, text }));
}

/** The whole name: session `a` is not mentioned by "at", nor score 6.1 by "16.15". */
function mentions(summary: string, name: string): boolean {
  for (let at = summary.indexOf(name); at >= 0; at = summary.indexOf(name, at + name.length)) {
    const [before, after] = [summary.slice(Math.max(0, at - 2), at), summary.slice(at + name.length)];
    if (!INSIDE_BEFORE.test(before) && !INSIDE_AFTER.test(after.slice(0, 2))) return true;
  }
  return false;
}

function textsOf(message: ChatMessage): string[] {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return [
    contentText(message),
    ...calls.flatMap((call) => Object.values(argumentsOf(call.function.arguments))),
  ];
}

function sessionsOf(message: ChatMessage): string[] {
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  return calls.flatMap((call) =>
    Object.entries(argumentsOf(call.function.arguments)).flatMap(([key, value]) =>
      SESSION_KEYS.has(key) ? [value] : [],
    ),
  );
}

/** Arguments that are texts. Valid calls hold JSON; anything else has none. */
function argumentsOf(json: string): Record<string, string> {
  try {
    const value: unknown = JSON.parse(json);
    const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
    return Object.fromEntries(
      entries.flatMap(([key, item]): [string, string][] => (typeof item === 'string' ? [[key, item]] : [])),
    );
  } catch {
    // An endpoint may accept an empty text as "no arguments".
    return {};
  }
}
