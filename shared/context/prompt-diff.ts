import type { PromptMessage, PromptView } from '../contract/views';
import type { Tool } from '../log/event-parts';
import { hasHumanTag } from './human-tag';

/** Why a message that stands in both requests is not the same in the later one. */
export type ChangeReason =
  /** Only the budgets at its end moved on: they always end the last message of a request. */
  | { why: 'budgets' }
  /** Hints were appended; `text` is what came. */
  | { why: 'hint'; text: string }
  /** Its middle was left out to save room; characters. `cut` is what is gone. */
  | { why: 'shortened'; was: number; kept: number; cut: string }
  | { why: 'text' };

/** One message of the later request, or one that is gone; `before` and `after` are indices of messages. */
export type PromptChange =
  | { kind: 'same'; before: number; after: number }
  | { kind: 'removed'; before: number }
  | { kind: 'added'; after: number }
  | { kind: 'changed'; before: number; after: number; reason: ChangeReason };

export interface PromptDiff {
  /** In the order of the later request; what is gone stands where it was. */
  changes: PromptChange[];
  /** Messages at the start that are byte for byte the same, and their tokens; none when what precedes them changed. */
  prefix: { messages: number; tokens: number };
  tools: { added: string[]; removed: string[]; changed: string[] };
  /** Values as JSON; null = absent. */
  parameters: { name: string; before: string | null; after: string | null }[];
  /** Steps whose messages a new head stands for, after a summary. */
  replaced: { from: number; to: number; messages: number; tokens: number } | null;
  tokens: { before: number; after: number };
}

type Request = Pick<PromptView, 'messages' | 'tools' | 'request' | 'tail'>;

/** What differs between two requests, message by message. Linear in the number of messages and their length. */
export function diffPrompts(before: Request, after: Request): PromptDiff {
  const tools = diffTools(before.tools, after.tools);
  const parameters = diffParameters(before.request, after.request);
  const changes = align(before, after);
  const opening =
    parameters.length > 0 || tools.added.length + tools.removed.length + tools.changed.length > 0;
  let same = 0;
  while (!opening && samePrefix(before.messages[same], after.messages[same])) same += 1;
  return {
    changes,
    prefix: { messages: same, tokens: sum(after.messages.slice(0, same)) },
    tools,
    parameters,
    replaced: replacedBy(changes, before.messages, after.messages),
    tokens: { before: sum(before.messages), after: sum(after.messages) },
  };
}

function samePrefix(before: PromptMessage | undefined, after: PromptMessage | undefined): boolean {
  return before !== undefined && after !== undefined && before.json === after.json;
}

function sum(messages: readonly PromptMessage[]): number {
  return messages.reduce((total, { tokens }) => total + tokens, 0);
}

/** Messages are paired by what they are: the n-th message of a step, the n-th of a role in the head. */
function align(before: Request, after: Request): PromptChange[] {
  const places = new Map(keysOf(before.messages).map((key, index) => [key, index]));
  const changes: PromptChange[] = [];
  let next = 0;
  const passUntil = (index: number) => {
    for (; next < index; next += 1) changes.push({ kind: 'removed', before: next });
  };
  for (const [index, key] of keysOf(after.messages).entries()) {
    const place = places.get(key);
    if (place === undefined || place < next) {
      changes.push({ kind: 'added', after: index });
      continue;
    }
    passUntil(place);
    changes.push(compare(before, after, place, index));
    next = place + 1;
  }
  passUntil(before.messages.length);
  return changes;
}

function keysOf(messages: readonly PromptMessage[]): string[] {
  const seen = new Map<string, number>();
  return messages.map(({ step, role }) => {
    const group = step === 0 ? `0 ${role}` : String(step);
    const nth = seen.get(group) ?? 0;
    seen.set(group, nth + 1);
    return `${group} ${nth}`;
  });
}

function compare(before: Request, after: Request, at: number, index: number): PromptChange {
  const old = before.messages[at];
  const now = after.messages[index];
  if (old === undefined || now === undefined || old.json === now.json) {
    return { kind: 'same', before: at, after: index };
  }
  const reason = reasonOf(
    old,
    now,
    at === before.messages.length - 1 ? withoutTail(old.content, before.tail) : old.content,
    index === after.messages.length - 1 ? withoutTail(now.content, after.tail) : now.content,
  );
  return { kind: 'changed', before: at, after: index, reason };
}

function withoutTail(content: string, tail: string): string {
  return tail !== '' && content.endsWith(tail) ? content.slice(0, -tail.length) : content;
}

function reasonOf(old: PromptMessage, now: PromptMessage, was: string, is: string): ChangeReason {
  if (frameOf(old) !== frameOf(now)) return { why: 'text' };
  if (was === is) return { why: 'budgets' };
  if (is.startsWith(was) && hasHumanTag(is.slice(was.length))) {
    return { why: 'hint', text: is.slice(was.length) };
  }
  return (now.role === 'tool' || now.role === 'user' ? shortened(was, is) : null) ?? { why: 'text' };
}

/** The message without its content, as JSON. */
function frameOf(message: PromptMessage): string {
  return JSON.stringify({ ...(JSON.parse(message.json) as Record<string, unknown>), content: '' });
}

/** What may stand in place of a cut middle, characters. */
const LONGEST_MARK = 400;

function shortened(was: string, is: string): ChangeReason | null {
  if (is.length >= was.length) return null;
  let start = 0;
  while (start < is.length && was.charCodeAt(start) === is.charCodeAt(start)) start += 1;
  let end = 0;
  while (
    end < is.length - start &&
    was.charCodeAt(was.length - 1 - end) === is.charCodeAt(is.length - 1 - end)
  ) {
    end += 1;
  }
  const kept = start + end;
  // Two texts that begin alike by chance are no shortened one: most of what is there must be the old text.
  if (is.length - kept > LONGEST_MARK || kept * 2 < is.length) return null;
  return { why: 'shortened', was: was.length, kept, cut: was.slice(start, was.length - end) };
}

function diffTools(before: readonly Tool[], after: readonly Tool[]): PromptDiff['tools'] {
  const old = new Map(before.map((tool) => [tool.function.name, JSON.stringify(tool)]));
  const now = new Map(after.map((tool) => [tool.function.name, JSON.stringify(tool)]));
  const both = [...now.keys()].filter((name) => old.has(name));
  return {
    added: [...now.keys()].filter((name) => !old.has(name)),
    removed: [...old.keys()].filter((name) => !now.has(name)),
    changed: both.filter((name) => old.get(name) !== now.get(name)),
  };
}

function diffParameters(
  before: Readonly<Record<string, unknown>>,
  after: Readonly<Record<string, unknown>>,
): PromptDiff['parameters'] {
  const json = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
  return [...new Set([...Object.keys(before), ...Object.keys(after)])]
    .map((name) => ({ name, before: json(before[name]), after: json(after[name]) }))
    .filter((each) => each.before !== each.after);
}

function replacedBy(
  changes: readonly PromptChange[],
  before: readonly PromptMessage[],
  after: readonly PromptMessage[],
): PromptDiff['replaced'] {
  const newHead = changes.some(
    (change) => (change.kind === 'added' || change.kind === 'changed') && after[change.after]?.step === 0,
  );
  const gone = changes.flatMap((change) => {
    const message = change.kind === 'removed' ? before[change.before] : undefined;
    return message === undefined || message.step === 0 ? [] : [message];
  });
  const first = gone[0];
  const last = gone.at(-1);
  if (!newHead || first === undefined || last === undefined) return null;
  return { from: first.step, to: last.step, messages: gone.length, tokens: sum(gone) };
}
