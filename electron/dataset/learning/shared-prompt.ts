import { type ChatMessage, contentText } from '@shared/log/chat';
import { argumentsAsObject } from '../targets/argument-text';
import type { AssistantMessage } from '../targets/own-answers';

const BUDGET = '\n\n[Budget: ';
const HINT = '\n\n<real_user>';
const HINT_END = '</real_user>';

/**
 * A text without the lines on budgets and the hints at its end: they were added to the message after the observation and may
 * differ between two runs that stood at the same place. Time is linear in the length.
 */
export function withoutEnd(text: string): string {
  let end = text.length;
  for (;;) {
    const rest = text.slice(0, end);
    const open = rest.endsWith(HINT_END)
      ? rest.lastIndexOf(HINT)
      : rest.endsWith(']')
        ? rest.lastIndexOf(BUDGET)
        : -1;
    if (open < 0 || (rest.endsWith(']') && rest.indexOf(']', open) !== end - 1)) return rest;
    end = open;
  }
}

/**
 * Whether two runs were shown the same after the same answer, apart from what was added at the end. `branched`: one of them may
 * also have been told that it is a branch, in a user message or at the end of one.
 */
export function sameTurn(a: readonly ChatMessage[], b: readonly ChatMessage[], branched: boolean): boolean {
  const shared = Math.min(a.length, b.length);
  const left = [...a.slice(shared), ...b.slice(shared)];
  if (left.some(({ role }) => role !== 'user' || !branched)) return false;
  return a.slice(0, shared).every((one, index) => sameMessage(one, b[index] as ChatMessage, branched));
}

function sameMessage(a: ChatMessage, b: ChatMessage, branched: boolean): boolean {
  if (a.role !== b.role || restOf(a) !== restOf(b)) return false;
  const [one, other] = [withoutEnd(contentText(a)), withoutEnd(contentText(b))];
  if (one === other) return true;
  const [short, long] = one.length < other.length ? [one, other] : [other, one];
  return branched && a.role === 'user' && long.startsWith(`${short}\n\n`);
}

/** All of a message but its text: images, calls, the call that it answers. */
function restOf(message: ChatMessage): string {
  const { content, ...rest } = message;
  const images = typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text');
  return JSON.stringify([rest, images]);
}

/** Whether two answers say and do the same; the ids of calls are the endpoint's and do not count, nor does reasoning. */
export function sameAnswer(a: AssistantMessage, b: AssistantMessage): boolean {
  const said = ({ content, tool_calls = [] }: AssistantMessage) =>
    JSON.stringify([
      content,
      tool_calls.map((call) => [call.function.name, meaning(call.function.arguments)]),
    ]);
  return said(a) === said(b);
}

/** The arguments with their keys in order and without the white space between them. */
function meaning(text: string): string {
  const read = argumentsAsObject(text);
  return 'why' in read ? text : JSON.stringify(sorted(read.object));
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return entries.map(([key, item]) => [key, sorted(item)]);
}
