import type { GymNode, NodeMessage } from './node';
import { timeOf } from './node';

/** One answer of the model with what came of it, from a node of its own or from a later node's prompt. */
export interface GymTurn {
  /** Where it stands in the source. */
  source: string;
  text: string;
  reasoning: string;
  call: { id: string; name: string; arguments: string } | null;
  /** What the model read, verbatim; null when nothing came any more. */
  observed: string | null;
  /** What a person said right after it, tags included. */
  human: string | null;
  at: number | null;
  model: string | null;
  usage: { input: number; output: number; cached: number; reasoning: number } | null;
  finishReason: string | null;
  /** Parts with no place of their own. */
  unknown: Record<string, unknown>;
}

const places = ['id', 'timestamp', 'messages', 'response', 'observation', 'file'];

/** The answer of a node itself. `next`: the prompt of the node after it, which shows what the model read. */
export function turnOfNode(node: GymNode, next: readonly NodeMessage[] | null): GymTurn {
  const { response, observation } = node;
  const call = response?.tool_calls?.[0];
  const id = call?.call_id;
  const shown =
    id === undefined || next === null ? -1 : next.findLastIndex((m) => m.tool_result?.call_id === id);
  const human = shown < 0 ? undefined : next?.[shown + 1];
  const { content, reasoning, usage, model, finish_reason, tool_calls, ...rest } = response ?? {};
  const unknown: Record<string, unknown> = Object.fromEntries(
    Object.entries(node).filter(([key, value]) => !places.includes(key) && value !== null),
  );
  const odd = Object.entries(rest).filter(([key]) => key !== 'role');
  if (odd.length > 0) unknown.response = Object.fromEntries(odd);
  if (usage !== null && usage !== undefined) unknown.usage = usage;
  if ((tool_calls ?? []).length > 1) unknown.furtherCalls = tool_calls?.slice(1);
  return {
    source: `${node.file} ${node.id}`,
    text: content ?? '',
    reasoning: reasoning ?? '',
    call:
      call === undefined ? null : { id: call.call_id, name: call.name, arguments: textOf(call.arguments) },
    observed:
      next?.[shown]?.tool_result?.content ??
      (observation === null || observation === undefined ? null : JSON.stringify(observation)),
    human: human?.role === 'user' && isHuman(human) ? (human.content ?? '') : null,
    at: timeOf(node.timestamp),
    model: model ?? null,
    usage: usageOf(usage),
    finishReason: finish_reason ?? null,
    unknown,
  };
}

/** The answers inside a prompt, oldest first; `from` is the first message after the head. */
export function turnsOfPrompt(messages: readonly NodeMessage[], from: number, source: string): GymTurn[] {
  const turns: GymTurn[] = [];
  for (const [offset, message] of messages.slice(from).entries()) {
    const last = turns.at(-1);
    if (message.role === 'assistant') {
      const call = message.tool_call;
      turns.push({
        source: `${source}, message ${from + offset + 1} of its prompt`,
        text: message.content ?? '',
        reasoning: message.reasoning ?? '',
        call: call == null ? null : { id: call.call_id, name: call.name, arguments: textOf(call.arguments) },
        observed: null,
        human: null,
        at: null,
        model: null,
        usage: null,
        finishReason: null,
        unknown: {},
      });
    } else if (message.role === 'tool' && last !== undefined) {
      last.observed = message.tool_result?.content ?? message.content ?? '';
      last.at = stampIn(last.observed);
    } else if (message.role === 'user' && last !== undefined) {
      if (isHuman(message)) last.human = (last.human ?? '') + (message.content ?? '');
      else last.unknown.userMessage = message.content ?? '';
    }
  }
  return turns;
}

/** Messages before the first own or carried step: system, task, and the pair of a summary. */
export function headLength(messages: readonly NodeMessage[]): number {
  const first = messages.findIndex(({ role }) => role === 'assistant');
  if (first < 0) return messages.length;
  const pair = messages[first]?.tool_call == null && messages[first + 1]?.role === 'user';
  return pair && !isHuman(messages[first + 1]) ? first + 2 : first;
}

/** Equal for turns that are the same answer: long trees are looked up, not searched. */
export function turnKey({ call, text }: GymTurn): string {
  return JSON.stringify([call?.id, call?.arguments, text]);
}

/** The time that an observation's own text carries, ms. */
function stampIn(observed: string): number | null {
  return timeOf(/"timestamp": ?"([^"]{10,40})"/.exec(observed)?.[1]);
}

function isHuman(message: NodeMessage | undefined): boolean {
  return message?.content?.trimStart().startsWith('<real_user>') === true;
}

/** Their files keep arguments as parsed; the model's own text is gone where it was an object. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value ?? {});
}

function usageOf(usage: Record<string, unknown> | null | undefined): GymTurn['usage'] {
  if (usage === null || usage === undefined) return null;
  const count = (key: string) => {
    const value = usage[key];
    return typeof value === 'number' && value >= 0 ? Math.round(value) : 0;
  };
  return {
    input: count('input_tokens'),
    output: count('output_tokens'),
    cached: count('cache_read_input_tokens'),
    reasoning: count('reasoning_tokens'),
  };
}
