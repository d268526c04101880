import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { Tokenizer } from 'tokenizers';
import { describe, expect, it, test } from 'vitest';
import { realTokenizer } from '../../testing/tokens/real-tokenizer';
import { type TinyTokenizer, tinyTokenizer } from '../../testing/tokens/tiny-tokenizer';
import { nastyText } from '../../testing/tokens/token-rows';
import { ByteLevelTokenizer } from './byte-level';

const runs = process.env.WAYMARK_FULL === '1' ? 20_000 : 600;

/** Marks, singletons, exclusions and Hangul: what NFC changes in every way it can. */
const normalized = fc.constantFrom(
  ...['\u0338', '\u0301', '\u0327', '\u0344', '\u212b', '\u2126', '\ufb2a', '\u1100\u1161\u11a8', '가\u11a8'],
  ...[
    '\u0915\u093c',
    '\u09c7\u09be',
    '\u0f71\u0f72',
    '\u{1d15e}',
    '\u{110a5}\u{110ba}',
    'ñ',
    'n\u0331\u0303',
    '=',
  ],
);
const unicode = fc
  .array(fc.oneof(nastyText(3), normalized, fc.string({ unit: 'grapheme', maxLength: 4 })), { maxLength: 8 })
  .map((parts) => parts.join(''));

/** The Rust library's ids and offsets; it counts code points. */
async function byRust(rust: Tokenizer, text: string) {
  const encoding = await rust.encode(text, null, { addSpecialTokens: false });
  const units = [0];
  for (const char of text) units.push((units.at(-1) ?? 0) + char.length);
  const place = (at: number | undefined) => units[at ?? -1] ?? -1;
  return {
    ids: encoding.getIds(),
    starts: encoding.getOffsets().map(([from]) => place(from)),
    ends: encoding.getOffsets().map(([, to]) => place(to)),
  };
}

function agrees(json: unknown): () => Promise<void> {
  const ours = ByteLevelTokenizer.from(json, 'tokenizer.json');
  const rust = Tokenizer.fromString(JSON.stringify(json));
  return () =>
    fc.assert(
      fc.asyncProperty(unicode, async (text) => {
        expect(ours.encode(text)).toEqual(await byRust(rust, text));
        expect(ours.ids(text)).toEqual(ours.encode(text).ids);
      }),
      { numRuns: runs },
    );
}

describe('ids and offsets are those of the Rust library', () => {
  test('under a tokenizer of our own', { timeout: 600_000 }, agrees(tinyTokenizer()));

  test(
    'under one that does not normalize',
    { timeout: 600_000 },
    agrees({ ...tinyTokenizer(), normalizer: null }),
  );

  describe.each(['qwen3', 'gpt-oss'] as const)('of %s', (model) => {
    test('under its own tokenizer', { timeout: 900_000 }, async (context) => {
      // 28 MB, and 20 s to prepare in both libraries.
      if (model === 'gpt-oss' && process.env.WAYMARK_FULL !== '1')
        return context.skip('only with WAYMARK_FULL=1');
      const real = realTokenizer(model);
      if ('missing' in real) return context.skip(real.missing);
      await agrees(JSON.parse(readFileSync(real.path, 'utf8')))();
    });
  });
});

it('a token that begins in the middle of a character starts where the character does', () => {
  const { starts, ends } = ByteLevelTokenizer.from(tinyTokenizer(), 't').encode('a👩b');
  expect(starts).toEqual([0, 1, 1, 1, 1, 3]);
  expect(ends).toEqual([1, 3, 3, 3, 3, 4]);
});

describe('a tokenizer that is refused names why', () => {
  const tiny = tinyTokenizer();
  const model = tiny.model as Record<string, unknown>;
  const level = { type: 'ByteLevel', add_prefix_space: false };
  const refused: [change: TinyTokenizer, code: string, words: RegExp][] = [
    [{ model: { type: 'Unigram', vocab: [['a', 0]] } }, 'unsupported', /its model is Unigram/],
    [{ model: { ...model, byte_fallback: true } }, 'unsupported', /falls back to bytes/],
    [{ model: { ...model, end_of_word_suffix: '</w>' } }, 'unsupported', /end_of_word_suffix/],
    [{ pre_tokenizer: { type: 'Metaspace' } }, 'unsupported', /not byte-level/],
    [{ pre_tokenizer: null }, 'unsupported', /not byte-level/],
    [{ pre_tokenizer: { ...level, add_prefix_space: true } }, 'unsupported', /puts a space before/],
    [
      { pre_tokenizer: { type: 'Sequence', pretokenizers: [{ type: 'WhitespaceSplit' }, level] } },
      'unsupported',
      /WhitespaceSplit may leave out/,
    ],
    [
      { normalizer: { type: 'Sequence', normalizers: [{ type: 'NFC' }, { type: 'Lowercase' }] } },
      'unsupported',
      /Lowercase changes the text/,
    ],
    [
      {
        pre_tokenizer: Array.from({ length: 5_000 }).reduce(
          (inner: object) => ({ type: 'Sequence', pretokenizers: [inner] }),
          level,
        ),
      },
      'unsupported',
      /nested without end/,
    ],
    [{ model: { ...model, vocab: { a: 'one' } } }, 'bad_input', /"model.vocab" is not valid/],
    [{ model: { ...model, merges: [['a']] } }, 'bad_input', /"model.merges" is not valid/],
    [{ added_tokens: [{ id: -1, content: 'x' }] }, 'bad_input', /"added_tokens.0.id" is not valid/],
    [
      {
        pre_tokenizer: {
          type: 'Sequence',
          pretokenizers: [{ type: 'Split', behavior: 'Isolated', pattern: { Regex: '(' } }, level],
        },
      },
      'bad_input',
      /cannot be used as a tokenizer/,
    ],
  ];

  it.each(refused)('%#', (change, code, words) => {
    const given = { ...tiny, ...change };
    expect(() => ByteLevelTokenizer.from(given, 'tokenizer.json')).toThrow(
      expect.objectContaining({ code, message: expect.stringMatching(words) }),
    );
  });

  it.each([null, 7, [], 'text', {}])('%j is no tokenizer', (given) => {
    expect(() => ByteLevelTokenizer.from(given, 'tokenizer.json')).toThrow(
      expect.objectContaining({ code: 'bad_input' }),
    );
  });
});

it('a text of which the tokenizer leaves out a part is not shown', () => {
  const { model, ...rest } = tinyTokenizer();
  const { vocab, ...others } = model as { vocab: Record<string, number> };
  const without = Object.fromEntries(Object.entries(vocab).filter(([token]) => !token.includes('q')));
  const lossy = ByteLevelTokenizer.from({ ...rest, model: { ...others, vocab: without } }, 't');
  expect(() => lossy.encode('aqb')).toThrow(/leaves out characters/);
});

it('a token that takes in the space beside it is named when it stands in the text', () => {
  const tiny = tinyTokenizer();
  const added = [
    ...(tiny.added_tokens as object[]),
    { id: 5_000, content: '<mask>', special: true, lstrip: true },
  ];
  const greedy = ByteLevelTokenizer.from({ ...tiny, added_tokens: added }, 't');
  expect(greedy.encode('a b').ids).toHaveLength(greedy.encode('a b').starts.length);
  expect(() => greedy.encode('a <mask>b')).toThrow(/"<mask>" takes in the white space/);
});
