import type { PromptMessage, PromptView } from '@shared/contract/views';

export type PartKind = 'system' | 'tools' | 'task' | 'steps' | 'hints';

export interface PromptPart {
  kind: PartKind;
  tokens: number;
}

const humanText = /<real_user>[\s\S]*?<\/real_user>/g;
/** English and code: about four characters a token. Only for shares of a bar, never for limits. */
const charactersPerToken = 4;

/** Tokens by what they are for the bar; the parts add up to the whole prompt. */
export function promptParts(prompt: PromptView): PromptPart[] {
  const sums: Record<PartKind, number> = { system: 0, tools: 0, task: 0, steps: 0, hints: 0 };
  sums.tools = Math.round(JSON.stringify(prompt.tools).length / charactersPerToken);
  for (const message of prompt.messages) {
    const hints = hintTokens(message);
    sums.hints += hints;
    const rest = Math.max(0, message.tokens - hints);
    if (message.role === 'system') sums.system += rest;
    else if (message.step === 0) sums.task += rest;
    else sums.steps += rest;
  }
  return (Object.keys(sums) as PartKind[])
    .map((kind) => ({ kind, tokens: sums[kind] }))
    .filter((part) => part.tokens > 0);
}

function hintTokens(message: PromptMessage): number {
  if (message.role !== 'tool' && message.role !== 'user') return 0;
  const characters = (message.content.match(humanText) ?? []).reduce((sum, text) => sum + text.length, 0);
  return Math.round(characters / charactersPerToken);
}

/** First line of a message for the list; a call without text shows its calls. */
export function gistOf(message: PromptMessage): string {
  const line = message.content.split('\n').find((each) => each.trim() !== '');
  if (line !== undefined) return line.trim().slice(0, 160);
  const calls = /"name":"([^"]+)"/.exec(message.json);
  return calls?.[1] ?? '';
}

/** What a reader of the message sees: its text, then its calls as the model wrote them. */
export function readable(message: PromptMessage): string {
  const parsed: unknown = JSON.parse(message.json);
  const calls =
    typeof parsed === 'object' &&
    parsed !== null &&
    'tool_calls' in parsed &&
    Array.isArray(parsed.tool_calls)
      ? parsed.tool_calls
      : [];
  const lines = calls.map((call: { function?: { name?: string; arguments?: string } }) => {
    return `${call.function?.name ?? ''}(${call.function?.arguments ?? ''})`;
  });
  return [message.content, ...lines].filter((part) => part !== '').join('\n\n');
}
