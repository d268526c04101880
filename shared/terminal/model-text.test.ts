import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fromLineStart, ModelText, modelText } from './model-text';

const encode = (text: string) => new TextEncoder().encode(text);
const read = (text: string) => modelText(encode(text));
const ESC = '\x1b';

describe('ModelText', () => {
  it.each([
    ['plain lines', 'a\r\nb\r\n', 'a\nb\n'],
    ['colours', `${ESC}[1;31merror${ESC}[0m: no\n`, 'error: no\n'],
    ['progress bar', 'start\n 10%|#    |\r 55%|##   |\r100%|#####|\ndone\n', 'start\n100%|#####|\ndone\n'],
    ['shorter last frame', 'downloading 1234\rdone\n', 'doneloading 1234\n'],
    ['shorter last frame, erased', `downloading 1234\r${ESC}[Kdone\n`, 'done\n'],
    ['cleared by blanks', 'working...\r          \rok\n', 'ok\n'],
    ['backspaces', 'passwrod\b\b\bord\n', 'password\n'],
    ['backspace at the left edge', '\b\bab\n', 'ab\n'],
    ['two bars', `one 0%\r\ntwo 0%\r\n${ESC}[2Aone 100%\r\ntwo 50%\r\n`, 'one 100%\ntwo 50%\n'],
    ['erase below', `a\nb\nc\n${ESC}[3A${ESC}[Jnew\n`, 'new\n'],
    [
      'title, link and marker',
      `${ESC}]0;t\x07x${ESC}]8;;http://a\x07y${ESC}]8;;\x07${ESC}]7717;n;D;1;2;0\x07z`,
      'xyz',
    ],
    ['device control string', `a${ESC}Pq#0;2${ESC}\\b`, 'ab'],
    [
      'full-screen program',
      `$ vim\n${ESC}[?1049h${ESC}[Hgarbage\n~\n${ESC}[?1049lafter\n`,
      '$ vim\n[full-screen program: its screen is not part of this text]\nafter\n',
    ],
    ['clear', `old\n${ESC}[H${ESC}[2J${ESC}[3Jnew\n`, 'old\nnew\n'],
    ['column jumps', `name${ESC}[10Gvalue${ESC}[3D__\n`, 'name     va__e\n'],
    ['delete and insert characters', `abcdef\r${ESC}[2P${ESC}[1@X\n`, 'Xcdef\n'],
    ['CJK', '中文\r\n', '中文\n'],
    ['overwritten half of a pair', '😀\rx\n', 'x\n'],
    ['huge movement', `a${ESC}[99999999Cb\n`, `a${' '.repeat(2048)}b\n`],
  ])('%s', (_name, input, output) => {
    expect(read(input)).toBe(output);
  });

  it('replaces bytes that are not UTF-8 and never splits a character', () => {
    expect(modelText(Uint8Array.from([0x61, 0xff, 0xfe, 0x62]))).toBe('a\ufffd\ufffdb');
    const bytes = encode('中😀');
    const text = new ModelText();
    let all = '';
    for (const byte of bytes) all += text.push(Uint8Array.of(byte));
    expect(all + text.end()).toBe('中😀');
  });

  it('collapses half a million frames and lets go of finished lines', () => {
    const text = new ModelText();
    let length = 0;
    for (let i = 0; i < 500; i += 1) {
      text.push(encode(Array.from({ length: 1000 }, (_, n) => `\r${i * 1000 + n}/500000`).join('')));
      length = text.push(encode('')).length;
    }
    expect(length).toBe(0);
    expect(text.end()).toBe('499999/500000');
    const long = new ModelText();
    let final = '';
    for (let i = 0; i < 1000; i += 1) final += long.push(encode(`line ${i}\n`));
    expect(final.split('\n').length).toBeGreaterThan(700);
    expect(final + long.end()).toBe(Array.from({ length: 1000 }, (_, i) => `line ${i}\n`).join(''));
  });

  it('does not depend on where chunks are cut', () => {
    const part = fc.oneof(
      fc.constantFrom(
        '\r',
        '\n',
        '\r\n',
        '\b',
        '\t',
        `${ESC}[A`,
        `${ESC}[2A`,
        `${ESC}[K`,
        `${ESC}[J`,
        `${ESC}[2J`,
        `${ESC}[5C`,
        `${ESC}[H`,
      ),
      fc.constantFrom(
        `${ESC}[?1049h`,
        `${ESC}[?1049l`,
        `${ESC}]0;x\x07`,
        `${ESC}[31m`,
        '中',
        '😀',
        'line of text\n'.repeat(90),
        `${ESC}[60A`,
      ),
      fc.string({ maxLength: 6 }),
    );
    fc.assert(
      fc.property(fc.array(part, { maxLength: 30 }), fc.array(fc.nat(), { maxLength: 8 }), (parts, cuts) => {
        const bytes = encode(parts.join(''));
        const whole = modelText(bytes);
        const text = new ModelText();
        const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
        let split = '';
        for (let i = 1; i < edges.length; i += 1) split += text.push(bytes.subarray(edges[i - 1], edges[i]));
        expect(split + text.end()).toBe(whole);
        // Well-formed: no half of a surrogate pair is left over.
        expect(new TextDecoder().decode(encode(whole))).toBe(whole);
      }),
      { numRuns: 1000 },
    );
  });

  it('cuts a slice at a line start', () => {
    expect(new TextDecoder().decode(fromLineStart(encode('half\nwhole')))).toBe('whole');
    expect(new TextDecoder().decode(fromLineStart(encode('one line')))).toBe('one line');
  });
});
