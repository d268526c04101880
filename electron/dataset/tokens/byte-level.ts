import { Tokenizer } from '@huggingface/tokenizers';
import { WaymarkError } from '@shared/contract/errors';
import { z } from 'zod';

/** A text as tokens; offsets count UTF-16 units of the text, as Hugging Face's offsets but for that unit. */
export interface Encoded {
  ids: number[];
  /** First unit of the first character that the token holds a byte of. */
  starts: number[];
  /** Behind the last character that it holds a byte of. */
  ends: number[];
}

const addedToken = z.looseObject({
  id: z.int().nonnegative(),
  content: z.string().min(1),
  single_word: z.boolean().optional(),
  lstrip: z.boolean().optional(),
  rstrip: z.boolean().optional(),
  normalized: z.boolean().optional(),
  special: z.boolean().optional(),
});
const part = z.looseObject({ type: z.string() });
const mergePair = z.union([z.string(), z.array(z.string()).length(2)]);

/** What of `tokenizer.json` decides whether it can be used. */
const tokenizerFile = z.looseObject({
  model: z.looseObject({
    type: z.string().optional(),
    vocab: z.record(z.string(), z.int().nonnegative()),
    merges: z.array(mergePair),
  }),
  added_tokens: z.array(addedToken).default([]),
  normalizer: part.nullable().optional(),
  pre_tokenizer: part.nullable().optional(),
});
type TokenizerFile = z.infer<typeof tokenizerFile>;

/**
 * A byte-level BPE tokenizer: text to ids by `@huggingface/tokenizers`, and where each token is in the text by counting the bytes
 * that its characters stand for.
 */
export class ByteLevelTokenizer {
  readonly vocabulary: number;
  private readonly added: ReadonlySet<string>;
  private readonly splitter: RegExp | null;
  private readonly normalizes: boolean;
  /** Added tokens that would take in what is beside them. */
  private readonly greedy: readonly string[];

  private constructor(
    private readonly tokenizer: Tokenizer,
    file: TokenizerFile,
  ) {
    const contents = file.added_tokens.map(({ content }) => content);
    this.added = new Set(contents);
    this.vocabulary = new Set([
      ...Object.values(file.model.vocab),
      ...file.added_tokens.map(({ id }) => id),
    ]).size;
    this.normalizes = file.normalizer !== null && file.normalizer !== undefined;
    this.greedy = file.added_tokens
      .filter(({ lstrip, rstrip, single_word }) => lstrip === true || rstrip === true || single_word === true)
      .map(({ content }) => content);
    const whole = file.added_tokens
      .filter(({ normalized, special }) => !(normalized ?? special !== true) || !this.normalizes)
      .map(({ content }) => content)
      .sort((a, b) => b.length - a.length);
    this.splitter =
      whole.length === 0
        ? null
        : new RegExp(`(${whole.map((each) => each.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&')).join('|')})`);
  }

  /** @throws WaymarkError bad_input: no tokenizer; unsupported: one whose offsets are not those of bytes. Both name the reason */
  static from(json: unknown, name: string): ByteLevelTokenizer {
    const parsed = tokenizerFile.safeParse(json);
    if (!parsed.success) {
      const why = whyNoBpe(json);
      if (why !== null) throw refused(name, why);
      const issue = parsed.error.issues[0];
      throw new WaymarkError(
        'bad_input',
        `${name} is not a tokenizer of the Hugging Face format: "${issue?.path.join('.') ?? ''}" is not valid. Choose the folder of a model.`,
      );
    }
    const why = whyNotByteLevel(parsed.data);
    if (why !== null) throw refused(name, why);
    try {
      const filled = { decoder: null, post_processor: null, normalizer: null, ...parsed.data };
      return new ByteLevelTokenizer(new Tokenizer(filled, {}), parsed.data);
    } catch (thrown) {
      throw new WaymarkError(
        'bad_input',
        `${name} cannot be used as a tokenizer: ${thrown instanceof Error ? thrown.message : String(thrown)}. Choose the folder of a model.`,
      );
    }
  }

  hasAdded(content: string): boolean {
    return this.added.has(content);
  }

  ids(text: string): number[] {
    return this.tokenizer.encode(text, { add_special_tokens: false }).ids;
  }

  /** @throws WaymarkError unsupported when the tokens do not hold exactly the bytes of the text */
  encode(text: string): Encoded {
    const { ids, tokens } = this.tokenizer.encode(text, { add_special_tokens: false });
    const units = this.#normalized(text);
    const starts: number[] = new Array(ids.length);
    const ends: number[] = new Array(ids.length);
    const { normal, origin } = units;
    let [at, left] = [0, 0];
    for (const [index, token] of tokens.entries()) {
      let bytes = this.added.has(token) ? Buffer.byteLength(token) : codePoints(token);
      // `left`: bytes of the character before `at` that no token holds yet.
      const first = left > 0 ? before(normal, at) : at;
      starts[index] = origin === null ? first : (origin[first] ?? text.length);
      if (bytes <= left) {
        left -= bytes;
      } else {
        bytes -= left;
        left = 0;
        while (bytes > 0) {
          const code = normal.codePointAt(at);
          if (code === undefined) throw this.#lost(text);
          const size = utf8Size(code);
          at += code > 0xffff ? 2 : 1;
          left = Math.max(0, size - bytes);
          bytes -= size;
        }
      }
      ends[index] = origin === null ? at : endOf(origin, at, text.length);
    }
    if (left > 0 || at !== normal.length || ids.some((id) => id === undefined)) throw this.#lost(text);
    return { ids, starts, ends };
  }

  #lost(text: string): WaymarkError {
    const greedy = this.greedy.find((content) => text.includes(content));
    return new WaymarkError(
      'unsupported',
      greedy === undefined
        ? 'The tokenizer leaves out characters of this text, so its tokens cannot be shown beside it. Use the tokenizer of the model itself.'
        : `The tokenizer's token "${greedy}" takes in the white space beside it, which the preview does not support. Use another tokenizer.`,
    );
  }

  /** The text as the model's vocabulary sees it, and for each unit of that the unit of the text; null: they are the same. */
  #normalized(text: string): { normal: string; origin: number[] | null } {
    if (!this.normalizes) return { normal: text, origin: null };
    const sections = this.splitter === null ? [text] : text.split(this.splitter);
    const normals = sections.map((section) => section.normalize('NFC'));
    if (normals.every((normal, index) => normal === sections[index])) return { normal: text, origin: null };
    const origin: number[] = [];
    let at = 0;
    for (const [index, section] of sections.entries()) {
      const normal = normals[index] ?? '';
      if (normal === section) for (let unit = 0; unit < section.length; unit += 1) origin.push(at + unit);
      else pushComposed(origin, section, at);
      at += section.length;
    }
    origin.push(text.length);
    return { normal: normals.join(''), origin };
  }
}

/** Vowels and trailing consonants of Hangul compose with what is before them, as marks do. */
const clusters = /[^\p{M}\u1161-\u1175\u11a8-\u11c2]?[\p{M}\u1161-\u1175\u11a8-\u11c2]*/gu;

/** Of a section that NFC changes: what composed is where its first character was. */
function pushComposed(origin: number[], section: string, at: number): void {
  for (const match of section.matchAll(clusters)) {
    const cluster = match[0];
    const normal = cluster.normalize('NFC');
    const from = at + match.index;
    if (normal === cluster || normal.length >= cluster.length) {
      for (let unit = 0; unit < normal.length; unit += 1)
        origin.push(from + Math.min(unit, cluster.length - 1));
      continue;
    }
    // The first character took in as many marks as are missing.
    const taken = cluster.length - normal.length;
    const first = (normal.codePointAt(0) ?? 0) > 0xffff ? 2 : 1;
    for (let unit = 0; unit < normal.length; unit += 1) origin.push(from + (unit < first ? 0 : unit + taken));
  }
}

/** Where the original of the units before `at` ends. */
function endOf(origin: readonly number[], at: number, length: number): number {
  return origin[at] ?? length;
}

function before(text: string, at: number): number {
  const low = text.charCodeAt(at - 1);
  return low >= 0xdc00 && low <= 0xdfff ? at - 2 : at - 1;
}

function utf8Size(code: number): number {
  if (code < 0x80) return 1;
  if (code < 0x800) return 2;
  return code < 0x10000 ? 3 : 4;
}

function codePoints(token: string): number {
  // The characters that stand for bytes are all below U+0200.
  return token.length;
}

function refused(name: string, why: string): WaymarkError {
  return new WaymarkError(
    'unsupported',
    `${name} holds a tokenizer that the preview does not support: ${why}. It supports byte-level BPE, as of Qwen, Llama 3, DeepSeek V3, GLM-4.5 and gpt-oss.`,
  );
}

function whyNoBpe(json: unknown): string | null {
  const model = (json as { model?: { type?: unknown } } | null)?.model;
  const type = model?.type;
  return typeof type === 'string' && type !== 'BPE' ? `its model is ${type.slice(0, 40)}` : null;
}

const kept: ReadonlySet<string> = new Set(['ByteLevel', 'Split', 'Digits', 'Punctuation', 'Sequence']);

function whyNotByteLevel({ model, normalizer, pre_tokenizer }: TokenizerFile): string | null {
  if (model.type !== undefined && model.type !== 'BPE') return `its model is ${model.type.slice(0, 40)}`;
  if (model.byte_fallback === true) return 'it falls back to bytes only for unknown characters';
  for (const field of ['continuing_subword_prefix', 'end_of_word_suffix'] as const)
    if (typeof model[field] === 'string' && model[field] !== '') return `its tokens carry a ${field}`;
  const normalizers = normalizer === null || normalizer === undefined ? [] : flat(normalizer, 'normalizers');
  const changes = normalizers.find(({ type }) => type !== 'NFC');
  if (changes !== undefined) return `its normalizer ${changes.type.slice(0, 40)} changes the text`;
  const parts =
    pre_tokenizer === null || pre_tokenizer === undefined ? [] : flat(pre_tokenizer, 'pretokenizers');
  const levels = parts.filter(({ type }) => type === 'ByteLevel');
  if (levels.length === 0) return 'its pre-tokenizer is not byte-level';
  if (levels.some(({ add_prefix_space }) => add_prefix_space === true))
    return 'it puts a space before the text';
  const other = parts.find(({ type, behavior }) => !kept.has(type) || behavior === 'Removed');
  return other === undefined ? null : `its pre-tokenizer ${other.type.slice(0, 40)} may leave out characters`;
}

function flat(value: z.infer<typeof part>, key: string): z.infer<typeof part>[] {
  if (value.type !== 'Sequence') return [value];
  const parsed = z.array(part).safeParse(value[key]);
  return parsed.success ? parsed.data.flatMap((each) => flat(each, key)) : [];
}
