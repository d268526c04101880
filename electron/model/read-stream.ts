import type { Usage } from '@shared/event-parts';
import type { ModelAnswer, ModelPort } from '../agent/ports';

type Delta = Parameters<Parameters<ModelPort['ask']>[1]>[0];

/** What an endpoint sent is no chat completion; the message says why. */
export class MalformedAnswer extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'MalformedAnswer';
  }
}

type Json = Record<string, unknown>;

const isJson = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A piece of text as endpoints write it: a string, or a list of parts of which some hold text. */
function contentOf(value: unknown): string {
  if (Array.isArray(value)) {
    return value.map((part) => (isJson(part) ? textOf(part.text) : textOf(part))).join('');
  }
  return textOf(value);
}

/** Verbatim text; an endpoint that sends an object instead of its text gets it written out. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/**
 * Puts a streamed chat completion together. Takes anything: fields of the wrong type count as absent, and only
 * what leaves nothing to go on is a `MalformedAnswer`.
 */
export class AnswerBuilder {
  private text = '';
  private reasoning = '';
  private model = '';
  private usage: Usage | null = null;
  private finish: string | null = null;
  private readonly calls: { id: string; name: string; arguments: string }[] = [];
  /** Position in `calls` by the endpoint's own index. */
  private readonly byIndex = new Map<number, number>();

  constructor(private readonly onDelta: (delta: Delta) => void) {}

  /** One chunk of a stream. */
  add(chunk: unknown): void {
    const choice = this.header(chunk);
    if (choice === null) {
      return;
    }
    this.message(isJson(choice.delta) ? choice.delta : isJson(choice.message) ? choice.message : {});
    if (typeof choice.finish_reason === 'string') {
      this.finish = choice.finish_reason;
    }
  }

  /** @throws MalformedAnswer when the stream broke off: without a finish reason nobody knows what is missing. */
  answer(): ModelAnswer {
    if (this.finish === null) {
      throw new MalformedAnswer('The stream ended before the answer was complete.');
    }
    return {
      text: this.text,
      reasoning: this.reasoning,
      calls: this.calls,
      finishReason: this.finish,
      model: this.model,
      usage: this.usage,
    };
  }

  private header(chunk: unknown): Json | null {
    if (!isJson(chunk)) {
      return null;
    }
    if (isJson(chunk.usage)) {
      this.usage = usageOf(chunk.usage) ?? this.usage;
    }
    this.model ||= textOf(chunk.model);
    const choice = Array.isArray(chunk.choices) ? chunk.choices.find(isJson) : undefined;
    return choice ?? null;
  }

  private message(delta: Json): void {
    const text = contentOf(delta.content) || textOf(delta.refusal);
    const reasoning = contentOf(delta.reasoning_content) || contentOf(delta.reasoning);
    this.text += text;
    this.reasoning += reasoning;
    if (text !== '' || reasoning !== '') {
      this.onDelta({ ...(text === '' ? {} : { text }), ...(reasoning === '' ? {} : { reasoning }) });
    }
    const calls = Array.isArray(delta.tool_calls) ? delta.tool_calls.filter(isJson) : [];
    for (const call of calls) {
      this.call(call);
    }
  }

  private call(piece: Json): void {
    const id = textOf(piece.id);
    const made = isJson(piece.function) ? piece.function : {};
    const name = textOf(made.name);
    const text = argumentsOf(made.arguments);
    const at = this.place(typeof piece.index === 'number' ? piece.index : null, id);
    const call = this.calls[at];
    if (call === undefined) {
      return;
    }
    call.id ||= id;
    // Some endpoints repeat the whole name with every piece.
    call.name = call.name === name ? name : call.name + name;
    call.arguments += text;
    if (name !== '' || text !== '') {
      this.onDelta({
        call: { index: at, ...(name === '' ? {} : { name }), ...(text === '' ? {} : { arguments: text }) },
      });
    }
  }

  /** Where a piece belongs: some endpoints number every call 0, some give no number at all. */
  private place(index: number | null, id: string): number {
    const known = index === null ? this.calls.length - 1 : this.byIndex.get(index);
    const call = known === undefined ? undefined : this.calls[known];
    const another = call === undefined || (id !== '' && call.id !== '' && call.id !== id);
    if (known !== undefined && !another) {
      return known;
    }
    const at = this.calls.push({ id: '', name: '', arguments: '' }) - 1;
    if (index !== null) {
      this.byIndex.set(index, at);
    }
    return at;
  }
}

function usageOf(usage: Json): Usage | null {
  const input = isJson(usage.prompt_tokens_details) ? usage.prompt_tokens_details : {};
  const output = isJson(usage.completion_tokens_details) ? usage.completion_tokens_details : {};
  if (typeof usage.prompt_tokens !== 'number' && typeof usage.completion_tokens !== 'number') {
    return null;
  }
  return {
    inputTokens: countOf(usage.prompt_tokens),
    outputTokens: countOf(usage.completion_tokens),
    cachedTokens: countOf(input.cached_tokens) || countOf(usage.prompt_cache_hit_tokens),
    reasoningTokens: countOf(output.reasoning_tokens),
  };
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
