import { estimateTokens } from '@shared/context/tokens';
import type { Usage } from '@shared/log/event-parts';
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

/** A piece of text as endpoints write it: a string, or a list of parts of which some hold text, of this kind only. */
function contentOf(value: unknown, kind: 'said' | 'thought' = 'said'): string {
  if (!Array.isArray(value)) {
    return kind === 'said' ? textOf(value) : '';
  }
  return value
    .map((part) => {
      if (!isJson(part)) {
        return kind === 'said' ? textOf(part) : '';
      }
      const thought = typeof part.type === 'string' && /^(thinking|reasoning)/u.test(part.type);
      return thought === (kind === 'thought') ? wordsOf(part) : '';
    })
    .join('');
}

/** Text of one part: `text`, or below the name of what it is. */
function wordsOf(part: Json): string {
  return textOf(part.text) || allText(part.thinking) || allText(part.reasoning) || textOf(part.summary);
}

/** A string, or the texts of a list of parts, whatever they are called. */
function allText(value: unknown): string {
  return Array.isArray(value)
    ? value.map((part) => (isJson(part) ? wordsOf(part) : textOf(part))).join('')
    : textOf(value);
}

/** Reasoning by the many names it has; an endpoint that sends it twice means the same. */
function reasoningOf(delta: Json): string {
  return (
    allText(delta.reasoning_content) ||
    allText(delta.reasoning) ||
    allText(delta.reasoning_details) ||
    allText(delta.thinking) ||
    contentOf(delta.content, 'thought')
  );
}

const THINK = /^\s*<think>([\s\S]*?)(?:<\/think>\s*|$)/u;

/** Verbatim text; an endpoint that sends an object instead of its text gets it written out. */
function argumentsOf(value: unknown): string {
  if (typeof value === 'string') {
    return value;
  }
  return value === undefined || value === null ? '' : JSON.stringify(value);
}

/**
 * Puts a streamed chat completion together. Takes anything: fields of the wrong type count as absent, and only
 * what leaves nothing to go on is a `MalformedAnswer`. A `<think>` block that opens the text, as servers without a parser
 * for it send, is reasoning. Words of a refusal are the text, and the finish reason is then `refusal`.
 */
export class AnswerBuilder {
  private text = '';
  private reasoning = '';
  private model = '';
  private refusal = '';
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
      this.finish = choice.native_finish_reason === 'refusal' ? 'refusal' : choice.finish_reason;
    }
  }

  /** @throws MalformedAnswer when the stream broke off: without a finish reason nobody knows what is missing. */
  answer(): ModelAnswer {
    if (this.finish === null) {
      throw new MalformedAnswer('The stream ended before the answer was complete.');
    }
    if (this.finish === 'error') {
      throw new MalformedAnswer('It says itself that the answer failed.');
    }
    const thought = this.reasoning === '' ? THINK.exec(this.text) : null;
    return {
      text: this.text.slice(thought?.[0].length ?? 0) + this.refusal,
      reasoning: thought?.[1]?.trim() ?? this.reasoning,
      calls: this.calls,
      finishReason: this.refusal === '' ? this.finish : 'refusal',
      model: this.model,
      usage: this.usage,
    };
  }

  /** Of all that has come so far: what was reported, else an estimate. */
  get outputTokens(): number {
    if (this.usage !== null) {
      return this.usage.outputTokens;
    }
    const calls = this.calls.map((call) => call.name + call.arguments).join('');
    return estimateTokens(this.text + this.refusal + this.reasoning + calls);
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
    if (isJson(choice?.usage)) {
      this.usage = usageOf(choice.usage) ?? this.usage;
    }
    return choice ?? null;
  }

  private message(delta: Json): void {
    const said = contentOf(delta.content);
    const refused = said === '' ? textOf(delta.refusal) : '';
    const text = said + refused;
    const reasoning = reasoningOf(delta);
    this.text += said;
    this.refusal += refused;
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

/**
 * Tokens by OpenAI's names or Anthropic's, and what routers add to them. Anthropic counts cached input apart from
 * `input_tokens`; here input always includes it.
 */
function usageOf(usage: Json): Usage | null {
  const names = ['prompt_tokens', 'completion_tokens', 'input_tokens', 'output_tokens'];
  if (!names.some((name) => typeof usage[name] === 'number')) {
    return null;
  }
  const input = detailsOf(usage.prompt_tokens_details, usage.input_tokens_details);
  const output = detailsOf(usage.completion_tokens_details, usage.output_tokens_details);
  const cached =
    countOf(input.cached_tokens) ||
    countOf(usage.prompt_cache_hit_tokens) ||
    countOf(usage.cache_read_input_tokens) ||
    countOf(usage.cached_tokens);
  const apart = typeof usage.prompt_tokens !== 'number' && 'cache_read_input_tokens' in usage;
  const beside = apart ? cached + countOf(usage.cache_creation_input_tokens) : 0;
  return {
    inputTokens: (countOf(usage.prompt_tokens) || countOf(usage.input_tokens)) + beside,
    outputTokens: countOf(usage.completion_tokens) || countOf(usage.output_tokens),
    cachedTokens: cached,
    reasoningTokens: countOf(output.reasoning_tokens) || countOf(usage.reasoning_tokens),
  };
}

function detailsOf(...named: unknown[]): Json {
  return named.find(isJson) ?? {};
}

function countOf(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value > 0 ? value : 0;
}
