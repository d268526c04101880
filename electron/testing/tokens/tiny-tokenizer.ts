import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const templates = join(import.meta.dirname, 'templates');

/** Names of the templates in `templates/`, without their ending. */
export const templateNames: readonly string[] = readdirSync(templates)
  .filter((name) => name.endsWith('.jinja'))
  .map((name) => name.slice(0, -'.jinja'.length))
  .sort();

export function templateText(name: string): string {
  return readFileSync(join(templates, `${name}.jinja`), 'utf8');
}

/** Tokens of the families that templates print whole. */
const special = [
  ...['<|endoftext|>', '<|im_start|>', '<|im_end|>', '[gMASK]', '<sop>', '<|system|>', '<|user|>'],
  ...['<|assistant|>', '<|observation|>', '<|begin_of_text|>', '<|start_header_id|>', '<|end_header_id|>'],
  ...['<|eot_id|>', '<|start|>', '<|message|>', '<|channel|>', '<|end|>', '<|call|>', '<|return|>'],
  ...['<\uff5cUser\uff5c>', '<\uff5cAssistant\uff5c>', '<\uff5cend\u2581of\u2581sentence\uff5c>'],
];
const plain = ['<think>', '</think>', '<tool_call>', '</tool_call>', '<tool_response>', '</tool_response>'];

/** As GPT-2 writes bytes: those that print as themselves, the others from U+0100 on. */
function byteCharacters(): string[] {
  let next = 0x100;
  return Array.from({ length: 256 }, (_, byte) => {
    const prints = (byte >= 0x21 && byte <= 0x7e) || (byte >= 0xa1 && byte <= 0xac) || byte >= 0xae;
    if (prints) return String.fromCharCode(byte);
    next += 1;
    return String.fromCharCode(next - 1);
  });
}

const pattern =
  "(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\\r\\n\\p{L}\\p{N}]?\\p{L}+|\\p{N}| ?[^\\s\\p{L}\\p{N}]+[\\r\\n]*|\\s*[\\r\\n]+|\\s+(?!\\S)|\\s+";
const words =
  /'(?:s|t|re|ve|m|ll|d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+/giu;

export interface TinyTokenizer {
  [field: string]: unknown;
}

let made: string | null = null;

/**
 * A byte-level BPE tokenizer of our own in the form of Qwen's `tokenizer.json`: 256 bytes, 600 merges learnt from the templates
 * here, and the special tokens of the families. The same each time.
 * @param without special tokens that it shall not have
 */
export function tinyTokenizer(without: readonly string[] = []): TinyTokenizer {
  made ??= JSON.stringify(learn(templateNames.map(templateText).join('\n'), 600));
  const tokenizer = JSON.parse(made) as TinyTokenizer & { added_tokens: { content: string }[] };
  return {
    ...tokenizer,
    added_tokens: tokenizer.added_tokens.filter(({ content }) => !without.includes(content)),
  };
}

function learn(text: string, count: number): TinyTokenizer {
  const bytes = byteCharacters();
  const counts = new Map<string, number>();
  for (const [word] of text.matchAll(words)) counts.set(word, (counts.get(word) ?? 0) + 1);
  const pieces = [...counts].map(([word, times]) => ({
    times,
    parts: [...Buffer.from(word)].map((byte) => bytes[byte] ?? ''),
  }));
  const merges: [string, string][] = [];
  while (merges.length < count) {
    const pairs = new Map<string, number>();
    for (const { parts, times } of pieces)
      for (let at = 0; at + 1 < parts.length; at += 1) {
        const pair = `${parts[at]} ${parts[at + 1]}`;
        pairs.set(pair, (pairs.get(pair) ?? 0) + times);
      }
    const best = [...pairs].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1))[0];
    if (best === undefined) break;
    const [left = '', right = ''] = best[0].split(' ');
    merges.push([left, right]);
    for (const piece of pieces) {
      for (let at = 0; at + 1 < piece.parts.length; at += 1)
        if (piece.parts[at] === left && piece.parts[at + 1] === right)
          piece.parts.splice(at, 2, left + right);
    }
  }
  const tokens = [...bytes, ...new Set(merges.map(([left, right]) => left + right))];
  const added = (content: string, index: number, isSpecial: boolean) => ({
    id: tokens.length + index,
    content,
    special: isSpecial,
    single_word: false,
    lstrip: false,
    rstrip: false,
    normalized: false,
  });
  const level = { type: 'ByteLevel', add_prefix_space: false, trim_offsets: false, use_regex: false };
  const split = { type: 'Split', pattern: { Regex: pattern }, behavior: 'Isolated', invert: false };
  return {
    version: '1.0',
    truncation: null,
    padding: null,
    added_tokens: [
      ...special.map((content, index) => added(content, index, true)),
      ...plain.map((content, index) => added(content, special.length + index, false)),
    ],
    normalizer: { type: 'NFC' },
    pre_tokenizer: { type: 'Sequence', pretokenizers: [split, level] },
    post_processor: null,
    decoder: level,
    model: {
      type: 'BPE',
      dropout: null,
      unk_token: null,
      fuse_unk: false,
      byte_fallback: false,
      continuing_subword_prefix: '',
      end_of_word_suffix: '',
      ignore_merges: false,
      vocab: Object.fromEntries(tokens.map((token, id) => [token, id])),
      merges,
    },
  };
}
