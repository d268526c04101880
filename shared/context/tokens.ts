import type { Tool } from '../log/event-parts';

/**
 * Estimates the tokens of a text without any model's tokenizer: about 3.6 characters of code or prose per
 * token, one token per CJK character, half a token per other non-ASCII character. Deterministic; the context
 * limit and the window use it between two answers that report their true usage.
 */
export function estimateTokens(text: string): number {
  const first = text.search(BEYOND_ASCII);
  if (first === -1) return Math.ceil(text.length / ASCII_PER_TOKEN);
  let ascii = first;
  let wide = 0;
  let other = 0;
  for (let index = first; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code < 0x80) {
      ascii += 1;
    } else if (code >= 0x2e80 && code < 0xd800) {
      wide += 1;
    } else {
      other += 1;
    }
  }
  return Math.ceil(ascii / ASCII_PER_TOKEN + wide + other / 2);
}

const ASCII_PER_TOKEN = 3.6;
const BEYOND_ASCII = /\P{ASCII}/u;

/** What a chat template adds around one message, tokens. */
export const TOKENS_PER_MESSAGE = 5;

/** Estimated tokens of the tools a request offers. */
export function toolTokens(tools: readonly Tool[]): number {
  return tools.length > 0 ? estimateTokens(JSON.stringify(tools)) : 0;
}
