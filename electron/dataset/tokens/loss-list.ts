import type { TokenMessage } from '@shared/contract/export-views';
import { type ChatMessage, contentText } from '@shared/log/chat';
import { strip } from './jinja/text-methods';
import { fromJson, toJson } from './jinja/values';

type Lost = TokenMessage['lost'];

const mostExcerpt = 120;

/**
 * What of a message is not in the text that a template made of it. What was found counts for one part only, so that a name that
 * also stands in the content is not taken for the call.
 * @param rendered what the template printed for this message
 */
export function lostParts(message: ChatMessage, rendered: string): Lost {
  const left = new Remains(rendered);
  const lost: Lost = [];
  const content = strip(contentText(message), null, 'both');
  const reasoning = message.role === 'assistant' ? strip(message.reasoning_content ?? '', null, 'both') : '';
  const texts = [
    { part: 'content' as const, text: content },
    { part: 'reasoning' as const, text: reasoning },
  ].filter(({ text }) => text !== '');
  // The longer one first: the shorter may be a part of it.
  for (const { part, text } of texts.sort((a, b) => b.text.length - a.text.length))
    if (!left.take(text) && !takenInPieces(left, part, text))
      lost.push({ part, name: '', excerpt: excerpt(text) });
  const calls = message.role === 'assistant' ? (message.tool_calls ?? []) : [];
  const shown = calls.map(({ function: { arguments: text } }) => takeArguments(left, text));
  for (const [index, { function: call }] of calls.entries()) {
    const { name, arguments: text } = call;
    if (!left.take(name)) lost.push({ part: 'call', name, excerpt: excerpt(text) });
    else if (shown[index] !== true) lost.push({ part: 'arguments', name, excerpt: excerpt(text) });
  }
  return lost.sort((a, b) => order.indexOf(a.part) - order.indexOf(b.part));
}

const order = ['content', 'reasoning', 'call', 'arguments'];

/** Content that holds its own reasoning is split by templates: `<think>…</think>` before the answer. */
function takenInPieces(left: Remains, part: string, text: string): boolean {
  if (part !== 'content' || !text.includes('</think>')) return false;
  const [thought = '', answer = ''] = text.replace('<think>', '').split('</think>');
  return [thought, answer]
    .map((piece) => strip(piece, null, 'both'))
    .every((piece) => piece === '' || left.take(piece));
}

/** As the model wrote them, as JSON of the same meaning, as JSON within JSON, or key by key. */
function takeArguments(left: Remains, text: string): boolean {
  const trimmed = strip(text, null, 'both');
  if (trimmed === '') return true;
  if (left.take(trimmed) || left.take(JSON.stringify(trimmed).slice(1, -1))) return true;
  let value: unknown;
  try {
    value = JSON.parse(trimmed);
  } catch {
    return false;
  }
  if (left.take(toJson(fromJson(value))) || left.take(JSON.stringify(value))) return true;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  return Object.entries(value).every(([key, each]) => left.has(key) && leafShown(left, each));
}

function leafShown(left: Remains, value: unknown): boolean {
  if (typeof value === 'string') {
    const trimmed = strip(value, null, 'both');
    return trimmed === '' || left.take(trimmed) || left.take(JSON.stringify(trimmed).slice(1, -1));
  }
  const python = value === true ? 'True' : value === false ? 'False' : value === null ? 'None' : null;
  return left.take(toJson(fromJson(value))) || (python !== null && left.take(python));
}

/** A text of which parts are taken away once they were found. */
class Remains {
  private pieces: string[];

  constructor(text: string) {
    this.pieces = [text];
  }

  has(part: string): boolean {
    return this.pieces.some((piece) => piece.includes(part));
  }

  take(part: string): boolean {
    for (const [index, piece] of this.pieces.entries()) {
      const at = piece.indexOf(part);
      if (at < 0) continue;
      this.pieces.splice(index, 1, piece.slice(0, at), piece.slice(at + part.length));
      return true;
    }
    return false;
  }
}

function excerpt(text: string): string {
  if (text.length <= mostExcerpt) return text;
  const end = text.charCodeAt(mostExcerpt - 1);
  return `${text.slice(0, end >= 0xd800 && end <= 0xdbff ? mostExcerpt - 1 : mostExcerpt)}…`;
}
