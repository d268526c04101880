import type { Encoded } from './byte-level';
import type { TemplateRow, Training } from './conversation';
import type { MarkedText, Range } from './jinja/marks';
import type { RenderedMarked, TemplateInput } from './jinja/template';
import { type LoadedTokenizer, templateStopped } from './tokenizer';

/** A conversation rendered and tokenised at once, and where its messages are. */
export interface Whole {
  text: string;
  encoded: Encoded;
  marked: MarkedText;
  places: Range[];
  warnings: string[];
}

/**
 * Renders once with marks and tokenises the whole text: how a trainer sees a conversation that does not render message by message.
 * @throws WaymarkError refused, unsupported
 */
export function renderWhole(loaded: LoadedTokenizer, row: TemplateRow): Whole {
  const marked = markedText(loaded, inputOf(loaded, row));
  const placed = placesOf(marked, row);
  return {
    text: marked.text,
    encoded: loaded.tokenizer.encode(marked.text),
    marked,
    ...placed,
  };
}

export function inputOf(
  { variables }: LoadedTokenizer,
  { messages, tools }: Pick<TemplateRow, 'messages'> & { tools: readonly unknown[] | null },
): TemplateInput {
  return { messages, tools, addGenerationPrompt: false, variables };
}

export function markedText(loaded: LoadedTokenizer, input: TemplateInput): MarkedText {
  const run: RenderedMarked = loaded.template.renderMarked(input);
  if (!run.ok) throw templateStopped(run.failure, loaded.view.name);
  return run.marked;
}

/**
 * Where each message is. Text before the first lap belongs to the first message, where it has no lap of its own: templates print
 * system prompts and tools there.
 */
export function placesOf(
  marked: MarkedText,
  { messages, masks }: Pick<TemplateRow, 'messages' | 'masks'>,
): { places: Range[]; warnings: string[] } {
  const warnings: string[] = [];
  const spans: (Range & { laps: number })[] = messages.map(() => ({ from: -1, to: -1, laps: 0 }));
  for (const { index, from, to } of marked.spans) {
    const span = spans[index];
    if (span === undefined) continue;
    const blank = marked.text.slice(from, to).trim() === '';
    if (
      span.laps === 0 ||
      (span.laps === 1 && marked.text.slice(span.from, span.to).trim() === '' && !blank)
    ) {
      Object.assign(span, { from, to, laps: 1 });
    } else if (!blank) span.laps += 1;
  }
  const twice = spans.flatMap(({ laps }, index) => (laps > 1 && masks[index] !== null ? [index] : []));
  if (twice.length > 0)
    warnings.push(
      `The template prints ${messageList(twice)} more than once. Only the first place is counted; check what a trainer makes of it.`,
    );
  const first = marked.spans[0]?.from ?? marked.text.length;
  let next = marked.text.length;
  for (let index = spans.length - 1; index >= 0; index -= 1) {
    const span = spans[index];
    if (span === undefined) continue;
    if (span.laps === 0) {
      const head = index === 0 && first > 0;
      Object.assign(span, head ? { from: 0, to: first } : { from: next, to: next });
    }
    next = span.from;
  }
  return { places: spans.map(({ from, to }) => ({ from, to })), warnings };
}

/** `message 3`, `messages 3, 4 and 9 more`, from 1 as people count. */
export function messageList(indexes: readonly number[]): string {
  const shown = indexes.slice(0, 5).map((index) => index + 1);
  const more = indexes.length - shown.length;
  const list = more > 0 ? `${shown.join(', ')} and ${more} more` : shown.join(', ');
  return `${indexes.length === 1 ? 'message' : 'messages'} ${list}`;
}

export function training(
  { text, encoded, places, warnings }: Whole,
  rule: Pick<Training, 'owner' | 'trained' | 'warnings'>,
): Training {
  const { ids, starts } = encoded;
  return { text, ids, starts, places, ...rule, warnings: [...warnings, ...rule.warnings] };
}

/** Gives every token that holds a character of this part to a message. */
export function own(
  { owner, encoded }: { owner: Int32Array; encoded: Encoded },
  { from, to }: Range,
  index: number,
): void {
  for (let token = firstBehind(encoded.ends, from); token < owner.length; token += 1) {
    if ((encoded.starts[token] ?? to) >= to) return;
    owner[token] = index;
  }
}

/** First token that holds the character at `place`; null: none. */
export function tokenAt({ starts, ends }: Encoded, place: number): number | null {
  const token = firstBehind(ends, place);
  return token < starts.length && (starts[token] ?? 0) <= place ? token : null;
}

/** First token that ends behind `place`. */
function firstBehind(ends: readonly number[], place: number): number {
  let [low, high] = [0, ends.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((ends[middle] ?? 0) > place) high = middle;
    else low = middle + 1;
  }
  return low;
}
