import { expect, it } from 'vitest';
import { hasHiddenCharacters, visibleText } from './visible-text';

it.each([
  ['direction override', 'a\u202eexe.txt', 'a⟨U+202E⟩exe.txt'],
  ['isolates', '\u2066x\u2069', '⟨U+2066⟩x⟨U+2069⟩'],
  ['tags', `a${String.fromCodePoint(0xe0041)}`, 'a⟨U+E0041⟩'],
  ['zero width', 'r\u200bm', 'r⟨U+200B⟩m'],
  ['soft hyphen', 'r\u00adm', 'r⟨U+00AD⟩m'],
  ['Hangul filler', 'a\u3164', 'a⟨U+3164⟩'],
  ['escape', '\x1b[201~', '⟨ESC⟩[201~'],
  ['NUL, DEL and C1', '\0\x7f\x9b', '⟨U+0000⟩⟨DEL⟩⟨U+009B⟩'],
  ['lone surrogate', 'a\ud800b', 'a⟨U+D800⟩b'],
  ['lone carriage return', 'rm -rf ~\recho hi', 'rm -rf ~⟨CR⟩echo hi'],
])('writes out %s', (_name, text, shown) => {
  expect(hasHiddenCharacters(text)).toBe(true);
  expect(visibleText(text)).toBe(shown);
});

it('leaves ordinary text alone', () => {
  const text = 'naïve 你好 😀 ❤️ é\tü\nnext';
  expect(hasHiddenCharacters(text)).toBe(false);
  expect(visibleText(text)).toBe(text);
  expect(visibleText('a\r\nb')).toBe('a\nb');
});
