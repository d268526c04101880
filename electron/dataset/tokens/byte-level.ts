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
/** Checked by hand: there are some 150,000 of each, and a schema would copy them. */
const vocabulary = z.custom<Readonly<Record<string, number>>>((value) => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return false;
  const ids: unknown[] = Object.values(value);
  return ids.every((id) => typeof id === 'number' && Number.isSafeInteger(id) && id >= 0 && id < mostId);
}, 'not a vocabulary');
const merges = z.custom<readonly (string | readonly string[])[]>(
  (value) => Array.isArray(value) && value.every(isMerge),
  'not a list of merges',
);
const mostId = 16 * 1024 * 1024;

function isMerge(value: unknown): boolean {
  if (typeof value === 'string') return true;
  return Array.isArray(value) && value.length === 2 && value.every((each) => typeof each === 'string');
}

/** What of `tokenizer.json` decides whether it can be used. */
const tokenizerFile = z.looseObject({
  model: z.looseObject({
    type: z.string().optional(),
    vocab: vocabulary,
    merges,
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
    const { vocab } = file.model;
    this.vocabulary =
      Object.keys(vocab).length + contents.filter((content) => !Object.hasOwn(vocab, content)).length;
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
    if (parsed.success && depthOf(json) > mostDepth) throw refused(name, 'its parts are nested without end');
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
    const units = this.normalized(text);
    const starts: number[] = new Array(ids.length);
    const ends: number[] = new Array(ids.length);
    const { normal, origin } = units;
    let [at, left] = [0, 0];
    for (const [index, token] of tokens.entries()) {
      let bytes = this.added.has(token) ? Buffer.byteLength(token) : codePoints(token);
      // `left`: bytes of the character before `at` that no token holds yet.
      const first = left > 0 ? before(normal, at) : at;
      starts[index] = origin === null ? first : (origin.starts[first] ?? text.length);
      if (bytes <= left) {
        left -= bytes;
      } else {
        bytes -= left;
        left = 0;
        while (bytes > 0) {
          const code = normal.codePointAt(at);
          if (code === undefined) throw this.lost(text);
          const size = utf8Size(code);
          at += code > 0xffff ? 2 : 1;
          left = Math.max(0, size - bytes);
          bytes -= size;
        }
      }
      ends[index] = origin === null ? at : (origin.ends[at - 1] ?? text.length);
    }
    if (left > 0 || at !== normal.length || ids.some((id) => id === undefined)) throw this.lost(text);
    return { ids, starts, ends };
  }

  private lost(text: string): WaymarkError {
    const greedy = this.greedy.find((content) => text.includes(content));
    return new WaymarkError(
      'unsupported',
      greedy === undefined
        ? 'The tokenizer leaves out characters of this text, so its tokens cannot be shown beside it. Use the tokenizer of the model itself.'
        : `The tokenizer's token "${greedy}" takes in the white space beside it, which the preview does not support. Use another tokenizer.`,
    );
  }

  /** The text as the model's vocabulary sees it, and where each unit of that is from; null: they are the same. */
  private normalized(text: string): { normal: string; origin: Origin | null } {
    // What is normal as a whole is normal in every part.
    if (!this.normalizes || text.normalize('NFC') === text) return { normal: text, origin: null };
    const sections = this.splitter === null ? [text] : text.split(this.splitter);
    const normals = sections.map((section) => section.normalize('NFC'));
    if (normals.every((normal, index) => normal === sections[index])) return { normal: text, origin: null };
    const origin: Origin = { starts: [], ends: [] };
    let at = 0;
    for (const [index, section] of sections.entries()) {
      if (normals[index] === section) pushSame(origin, section, at);
      else pushNormalized(origin, section, at);
      at += section.length;
    }
    return { normal: normals.join(''), origin };
  }
}

/** For each unit of a normalized text, the character of the text that it comes from. */
interface Origin {
  starts: number[];
  ends: number[];
}

function pushSame(origin: Origin, section: string, at: number): void {
  let from = at;
  for (const char of section) {
    for (let unit = 0; unit < char.length; unit += 1) {
      origin.starts.push(from);
      origin.ends.push(from + char.length);
    }
    from += char.length;
  }
}

/** Vowels and trailing consonants of Hangul compose with what is before them, as marks do. */
const clusters = /[^\p{M}\u1161-\u1175\u11a8-\u11c2]?[\p{M}\u1161-\u1175\u11a8-\u11c2]*/gu;

function pushNormalized(origin: Origin, section: string, at: number): void {
  for (const { 0: cluster, index } of section.matchAll(clusters)) {
    if (cluster.normalize('NFC') === cluster) pushSame(origin, cluster, at + index);
    else pushCluster(origin, cluster, at + index);
  }
}

/**
 * As the Rust library aligns what NFC changed: each character of the result counts how many more (or fewer) it has than it was made
 * from; one that was added belongs to the character before, one that took others in belongs to the first of them.
 */
function pushCluster(origin: Origin, cluster: string, at: number): void {
  const chars = [...cluster];
  const places = chars.map((_, index) => at + chars.slice(0, index).join('').length);
  const parts = chars.flatMap((char) =>
    [...char.normalize('NFD')].map((part, index) => ({ part, change: index === 0 ? 0 : 1, used: false })),
  );
  const take = (part: string) => {
    const found = parts.find((each) => each.part === part && !each.used);
    if (found !== undefined) found.used = true;
    return found?.change ?? 0;
  };
  let cursor = 0;
  for (const char of cluster.normalize('NFC')) {
    const made = [...char.normalize('NFD')];
    const change = made.reduce((sum, part) => sum + take(part), 1 - made.length);
    const from = Math.min(change > 0 ? Math.max(0, cursor - 1) : cursor, chars.length - 1);
    const start = places[from] ?? at;
    for (let unit = 0; unit < char.length; unit += 1) {
      origin.starts.push(start);
      origin.ends.push(start + (chars[from]?.length ?? 1));
    }
    if (change <= 0) cursor += 1 - change;
  }
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

const mostDepth = 32;

/** How deep the parts of the pipeline are nested; the vocabulary is not looked at. */
function depthOf(json: unknown): number {
  const { normalizer, pre_tokenizer, post_processor, decoder } = json as Record<string, unknown>;
  let level: unknown[] = [normalizer, pre_tokenizer, post_processor, decoder];
  for (let depth = 0; depth <= mostDepth; depth += 1) {
    level = level.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (level.length === 0) return depth;
  }
  return mostDepth + 1;
}

function flat(value: z.infer<typeof part>, key: string): z.infer<typeof part>[] {
  if (value.type !== 'Sequence') return [value];
  const parsed = z.array(part).safeParse(value[key]);
  return parsed.success ? parsed.data.flatMap((each) => flat(each, key)) : [];
}
