import type { TemplateRow } from './conversation';
import type { Whole } from './rendering';
import { inputOf, messageList } from './rendering';
import type { LoadedTokenizer } from './tokenizer';

/** Renderings in vain for one kind of place, after which the answer is taken as known. */
const confirmations = 3;
/** Renderings of a prefix for one row, after which what was found last holds: each costs as much as the row. */
const mostRenderings = 60;

/**
 * Where the model's own part of a message begins: behind what the template prints to ask for an answer. Found by rendering what
 * was before with and without `add_generation_prompt`, remembered for each kind of place, and verified for each message by its
 * own text.
 */
export class Headers {
  private readonly known = new Map<string, { prompt: string | null; seen: number }>();
  private readonly differing: number[] = [];
  private readonly unknown: number[] = [];
  private renderings = 0;

  constructor(
    private readonly loaded: LoadedTokenizer,
    private readonly row: TemplateRow,
    private readonly whole: Pick<Whole, 'text' | 'places'>,
  ) {}

  /** First unit of the text that the model says in a message. */
  partOf(index: number): number {
    const { from = 0, to = 0 } = this.whole.places[index] ?? {};
    const own = this.whole.text.slice(from, to);
    const key = this.kindOf(index);
    const known = this.known.get(key);
    if (known !== undefined && known.prompt !== null && own.startsWith(known.prompt))
      return from + known.prompt.length;
    const prompt =
      known !== undefined && (known.seen >= confirmations || this.renderings >= mostRenderings)
        ? known.prompt
        : this.promptBefore(index);
    const seen = known?.prompt === prompt ? known.seen + 1 : 1;
    this.known.set(key, { prompt, seen });
    if (prompt === null) {
      this.unknown.push(index);
      return from;
    }
    if (own.startsWith(prompt)) return from + prompt.length;
    this.differing.push(index);
    let shared = 0;
    while (shared < prompt.length && prompt[shared] === own[shared]) shared += 1;
    return from + shared;
  }

  warnings(): string[] {
    const differ =
      this.differing.length === 0
        ? []
        : [
            `The prompt at sampling differs from what is trained in ${messageList(this.differing)}: the template asks for an answer with other text than the message begins with.`,
          ];
    const unclear =
      this.unknown.length === 0
        ? []
        : [
            `The preview cannot tell where the model's part begins in ${messageList(this.unknown)}: the template does not render what comes before alone. All of it counts.`,
          ];
    return [...differ, ...unclear];
  }

  private kindOf(index: number): string {
    const before = this.row.messages[index - 1];
    const calls = Array.isArray(before?.tool_calls) && before.tool_calls.length > 0;
    const asked = this.row.messages.slice(0, index).some(({ role }) => role === 'user');
    return `${String(before?.role)} ${calls} ${asked}`;
  }

  /** What asks for message `index`; null: the template does not render what is before it. */
  private promptBefore(index: number): string | null {
    this.renderings += 1;
    const { template } = this.loaded;
    const input = inputOf(this.loaded, { ...this.row, messages: this.row.messages.slice(0, index) });
    const asking = template.render({ ...input, addGenerationPrompt: true });
    if (!asking.ok) return null;
    const before = template.render(input);
    if (before.ok && asking.text.startsWith(before.text)) return asking.text.slice(before.text.length);
    const marked = template.renderMarked({ ...input, addGenerationPrompt: true });
    const last = marked.ok ? marked.marked.spans.at(-1) : undefined;
    return last === undefined ? null : asking.text.slice(last.to);
  }
}
