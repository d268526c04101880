import { contentText } from '@shared/log/chat';
import { callText } from './argument-text';
import { argumentsOf, LeftOut, type RowMessage } from './chat-rows';

type Assistant = Extract<RowMessage['message'], { role: 'assistant' }>;

/** What a model was asked between two answers, and what it said. */
export interface Exchange {
  /** `observation`: results of tools are in it. */
  asked: 'user' | 'observation';
  text: string;
  answer: Assistant;
  trained: boolean;
  /** Place of the answer among the row's answers, from 0. */
  at: number;
}

/**
 * Messages as strictly alternating turns, for loaders that skip a conversation with two messages of one side in a row: results
 * of tools are joined by `joint`, and what a person or the program said after them follows in the same turn.
 * @throws LeftOut at an answer that nothing was asked before
 */
export function* exchangesOf(messages: readonly RowMessage[], joint: string): Generator<Exchange> {
  let asked: Exchange['asked'] = 'user';
  let text: string | null = null;
  let lastTool = false;
  let at = 0;
  for (const { message, trained } of messages) {
    if (message.role === 'system') {
      if (text !== null || at > 0) throw new LeftOut('A system message stands after the beginning');
      continue;
    }
    if (message.role === 'assistant') {
      if (text === null) throw new LeftOut('An answer follows another with nothing between them');
      yield { asked, text, answer: message, trained, at };
      at += 1;
      asked = 'user';
      text = null;
      continue;
    }
    const tool = message.role === 'tool';
    const said = contentText(message);
    text = text === null ? said : text + (tool && lastTool ? joint + said : apart(said));
    if (tool) asked = 'observation';
    lastTool = tool;
  }
}

/** Joined by an empty line; hints begin with theirs. */
const apart = (text: string) => (text.startsWith('\n\n') ? text : `\n\n${text}`);

/** The system prompt, '' without one. */
export function systemText(messages: readonly RowMessage[]): string {
  const texts = messages.flatMap(({ message }) => (message.role === 'system' ? [message.content] : []));
  return texts.join('\n\n');
}

/**
 * Reasoning and text of an answer as one text, in the form in which Qwen3, GLM-4.5 and DeepSeek R1 write it, line breaks at the
 * seams as in their templates.
 * @throws LeftOut when the reasoning would end early
 */
export function answerText({ reasoning_content: reasoning = '', content }: Assistant): string {
  if (reasoning === '') return content;
  if (/<\/?think>/.test(reasoning)) {
    throw new LeftOut(
      'The reasoning of an answer holds the tag that ends it, so a loader would cut it in two',
    );
  }
  return `<think>\n${reasoning.replace(/^\n+|\n+$/g, '')}\n</think>\n\n${content.replace(/^\n+/, '')}`;
}

/**
 * The calls of an answer as JSON text, one object, or a list where there are several; the arguments as the model wrote them.
 * @throws LeftOut when arguments are no object
 */
export function callsText({ tool_calls: calls = [] }: Pick<Assistant, 'tool_calls'>): string {
  const texts = calls.map((call) => callText(call.function.name, argumentsOf(call)));
  return texts.length === 1 ? (texts[0] ?? '') : `[${texts.join(', ')}]`;
}
