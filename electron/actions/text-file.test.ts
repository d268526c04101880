import { bodyLimit, boundText, cutLine, fewOf, leftOutAbout, quotable } from '@shared/base/bounded-text';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fittingWindow, type LineWindow, renderWindow, windowAround, windowBeside } from './line-window';
import { decodeFile, encodeFile, replaceLines, splitLines, type TextFile, textOf } from './text-file';

const decoded = (bytes: Uint8Array): TextFile => {
  const result = decodeFile(bytes);
  if (result.kind !== 'text') throw new Error(result.why);
  return result.file;
};
const utf8 = (text: string) => decoded(Buffer.from(text));
const edited = (text: string, start: number, end: number, content: string) =>
  Buffer.from(encodeFile(replaceLines(utf8(text), start, end, content).file)).toString();

const lineText = fc
  .array(fc.constantFrom('a', 'b', '\n', '\r\n', '\r', 'é', '漢', '😀', ' '), { maxLength: 30 })
  .map((parts) => parts.join(''));

describe('text files', () => {
  test('are put together again byte for byte, in every encoding', () => {
    fc.assert(
      fc.property(lineText, fc.constantFrom('utf8', 'bom', 'le', 'be'), (text, kind) => {
        const plain = Buffer.from(
          kind === 'utf8' ? text : `\uFEFF${text}`,
          kind === 'utf8' || kind === 'bom' ? 'utf8' : 'utf16le',
        );
        const bytes = kind === 'be' ? plain.swap16() : plain;
        const file = decoded(bytes);
        expect(file.damaged).toBe(false);
        expect(textOf(file)).toBe(text);
        expect(Buffer.from(encodeFile(file)).equals(bytes)).toBe(true);
      }),
    );
  });

  test('lines and endings make up the text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('x', '\n', '\r') }), (text) => {
        const { lines, endings } = splitLines(text);
        expect(lines.map((line, i) => line + (endings[i] ?? '')).join('')).toBe(text);
        expect(lines.length).toBe(endings.length);
        expect(lines.every((line) => !line.includes('\n'))).toBe(true);
      }),
    );
  });

  test('binary is told from text; bytes that are no text are not passed off as it', () => {
    expect(decodeFile(Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1])).kind).toBe('binary');
    expect(decodeFile(Buffer.from(Array.from({ length: 400 }, (_, i) => 128 + (i % 128)))).kind).toBe(
      'binary',
    );
    expect(decoded(Buffer.from('caf\xe9 au lait', 'latin1')).damaged).toBe(true);
    expect(decodeFile(Buffer.from([0xff, 0xfe, 0, 0, 1, 0])).kind).toBe('binary');
  });

  test('an edit keeps line ends and a missing final line break', () => {
    expect(edited('a\r\nb\r\nc\r\n', 2, 2, 'x\ny')).toBe('a\r\nx\r\ny\r\nc\r\n');
    expect(edited('a\nb', 2, 2, 'x')).toBe('a\nx');
    expect(edited('a\nb', 2, 2, 'x\n')).toBe('a\nx\n');
    expect(edited('a\nb', 3, 2, 'c')).toBe('a\nb\nc');
    expect(edited('a\nb\n', 3, 2, 'c')).toBe('a\nb\nc\n');
    expect(edited('a\nb\nc\n', 2, 2, '')).toBe('a\nc\n');
    expect(edited('a\nb\nc\n', 2, 2, '\n')).toBe('a\n\nc\n');
    expect(edited('a\nb', 2, 2, '')).toBe('a');
    expect(edited('', 1, 0, 'x')).toBe('x\n');
  });

  test('an edit changes its lines and nothing else', () => {
    fc.assert(
      fc.property(lineText, lineText, fc.nat(), fc.nat(), (text, content, a, b) => {
        // A lone \r before a line break that is added becomes part of it.
        fc.pre([text, content].every((part) => !/\r(?!\n)/.test(part)));
        const file = utf8(text);
        const total = file.lines.length;
        const start = (a % (total + 1)) + 1;
        const end = start > total ? total : start + (b % (total - start + 1));
        const { file: after, added } = replaceLines(file, start, end, content);
        expect(after.lines.slice(0, start - 1)).toEqual(file.lines.slice(0, start - 1));
        expect(after.lines.slice(start - 1 + added)).toEqual(file.lines.slice(end));
        // What was written reads back as the same lines.
        expect(utf8(textOf(after)).lines).toEqual(after.lines);
      }),
    );
  });
});

describe('windows', () => {
  const cases = fc.tuple(fc.integer({ min: 1, max: 1000 }), fc.integer({ min: 1, max: 100 }));

  test('hold the line and exactly as many lines as there are room for', () => {
    fc.assert(
      fc.property(cases, fc.nat(), ([total, size], at) => {
        const line = (at % total) + 1;
        const { startLine, endLine } = windowAround(line, size, total);
        expect(startLine).toBeLessThanOrEqual(line);
        expect(endLine).toBeGreaterThanOrEqual(line);
        expect(endLine - startLine + 1).toBe(Math.min(size, total));
        expect(startLine).toBeGreaterThanOrEqual(1);
      }),
    );
  });

  test('scrolling down and up shows every line and moves without gaps', () => {
    fc.assert(
      fc.property(cases, ([total, size]) => {
        for (const down of [true, false]) {
          let window: LineWindow | null = windowAround(down ? 1 : total, size, total);
          const seen: number[] = [];
          while (window !== null) {
            for (let line = window.startLine; line <= window.endLine; line += 1) seen.push(line);
            window = windowBeside(window, size, total, down);
          }
          // Each once: what was shown is not shown again at the end.
          expect([...seen].sort((a, b) => a - b)).toEqual(Array.from({ length: total }, (_, i) => i + 1));
        }
      }),
    );
  });
});

describe('a window with long lines', () => {
  test('shows whole lines around the one that was asked for, as many as there is room for', () => {
    const lines = Array.from({ length: 100 }, (_, i) => `${i} ${'x'.repeat(i % 7 === 0 ? 1900 : 100)}`);
    for (const line of [1, 50, 100]) {
      const window = fittingWindow(lines, { startLine: 1, endLine: 100 }, line);
      expect(window.startLine).toBeLessThanOrEqual(line);
      expect(window.endLine).toBeGreaterThanOrEqual(line);
      expect(window.endLine - window.startLine).toBeLessThan(60);
      const { length } = renderWindow(lines, window);
      expect(length).toBeLessThanOrEqual(bodyLimit + 100);
      expect(length).toBeGreaterThan(bodyLimit - 4000);
    }
    expect(fittingWindow(['a', 'b', 'c'], { startLine: 1, endLine: 3 }, 2)).toEqual({
      startLine: 1,
      endLine: 3,
    });
  });
});

describe('bounded text', () => {
  test('is cut between lines', () => {
    const text = Array.from({ length: 5000 }, (_, i) => `line ${i + 1}`).join('\n');
    const lines = boundText(text, 'look there').split('\n');
    const at = lines.findIndex((line) => line.startsWith('[…'));
    expect(lines.slice(0, at)).toEqual(Array.from({ length: at }, (_, i) => `line ${i + 1}`));
    const tail = lines.slice(at + 1);
    expect(tail[0]).toMatch(/^line \d+$/);
    expect(tail.at(-1)).toBe('line 5000');
    const left = Number(tail[0]?.slice(5)) - at - 1;
    expect(lines[at]).toMatch(
      new RegExp(
        `^\\[… [\\d,]+ characters in ${left.toLocaleString('en-US')} lines left out; look there …\\]$`,
      ),
    );
  });

  test('counts what earlier cuts left out as well', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 60, maxLength: 300 }),
        fc.array(fc.integer({ min: 300, max: 2_000 }), { minLength: 2, maxLength: 5 }),
        fc.boolean(),
        (lengths, limits, about) => {
          const lines = lengths.map((length) => 'x'.repeat(length));
          const whole = lines.join('\n');
          const at = Math.floor(lines.length / 2);
          const given = about
            ? `${lines.slice(0, at).join('\n')}\n${leftOutAbout(5_000_000, 'look elsewhere')}\n${lines.slice(at).join('\n')}`
            : whole;
          const cut = limits
            .sort((a, b) => b - a)
            .reduce((text, limit) => boundText(text, 'look', limit), given);
          // Two of them may stand one behind the other.
          const notes = [...cut.matchAll(/\n\[… (about )?([\d,]+) characters.* left out; (.*) …\](?=\n)/g)];
          const kept = cut.replace(/\n\[… [^\n]* …\](?=\n)/g, '').length - notes.length;
          const left = notes.reduce((sum, [, , count = '']) => sum + Number(count.replaceAll(',', '')), 0);
          expect(notes.length).toBeLessThanOrEqual(about ? 2 : 1);
          if (!about) expect(kept + left).toBe(whole.length);
          // A line break more or less, where two notes stood one behind the other.
          else expect(Math.abs(kept + left - whole.length - 5_000_000)).toBeLessThanOrEqual(5);
          if (about) expect(notes.map(([, , , how]) => how)).toContain('look elsewhere');
        },
      ),
    );
    const longLine = cutLine('y'.repeat(9_000), 500);
    const rows = Array.from({ length: 100 }, () => longLine).join('\n');
    const [, left] = /([\d,]+) characters/.exec(boundText(rows, 'look', 2_000)) ?? [];
    expect(Number(left?.replaceAll(',', ''))).toBeGreaterThan(97 * 9_000);
  });

  test('names are quoted with their start and their end, and of many things a few are said', () => {
    expect(quotable('/a/b')).toBe('/a/b');
    expect(quotable(`/start${'x'.repeat(60_000)}end`)).toMatch(/^\/start.{150,}end$/s);
    fc.assert(
      fc.property(fc.array(fc.constantFrom('x', '😀')), fc.integer({ min: 4, max: 40 }), (parts, limit) => {
        const shown = quotable(parts.join(''), limit);
        expect(shown.length).toBeLessThanOrEqual(limit);
        expect(/\p{Surrogate}/u.test(shown)).toBe(false);
      }),
    );
    expect(fewOf(['a', 'b', 'c'])).toEqual(['a', 'b', 'c']);
    expect(fewOf(Array(1_003).fill('a'))).toEqual(['a', 'a', 'a (and 1,000 more)']);
  });

  test('keeps head and tail, counts what is left out exactly, and cuts no character', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('x', '\n', '😀', '漢'), { maxLength: 600 }), (parts) => {
        const text = parts.join('');
        const bounded = boundText(text, '', 200);
        expect(bounded.length).toBeLessThanOrEqual(203);
        expect(/\p{Surrogate}/u.test(bounded)).toBe(false);
        if (text.length <= 200) {
          expect(bounded).toBe(text);
          return;
        }
        const match = /\n\[… (\d+) characters (?:of one line|in \d+ lines) left out; {2}…\]\n/.exec(bounded);
        const [head, tail] = [
          bounded.slice(0, match?.index),
          bounded.slice((match?.index ?? 0) + (match?.[0].length ?? 0)),
        ];
        expect(text.startsWith(head)).toBe(true);
        expect(text.endsWith(tail)).toBe(true);
        const middle = text.slice(head.length, text.length - tail.length);
        expect(middle.length).toBe(Number(match?.[1]));
      }),
    );
  });

  test('a long line is cut with its count', () => {
    expect(cutLine('x'.repeat(3000))).toBe(`${'x'.repeat(2000)} [… 1000 more characters in this line]`);
    expect(cutLine(`${'x'.repeat(1999)}😀y`)).toMatch(/x \[… 3 more/);
  });
});
