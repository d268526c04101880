import { describe, expect, it } from 'vitest';
import { actionCode, excerpt, plainText } from './action-code';

describe('plainText', () => {
  it('takes out colours, titles and control characters, and keeps tabs and lines', () => {
    expect(plainText('\u001b[31mred\u001b[0m\ttab\nline\u0007')).toBe('red\ttab\nline');
    expect(plainText('\u001b]0;title\u0007rest')).toBe('rest');
    expect(plainText('a\u001b[?25lb')).toBe('ab');
  });
});

describe('excerpt', () => {
  it('keeps a short text whole', () => {
    expect(excerpt('a\nb', 2, 100)).toEqual({ text: 'a\nb', hiddenLines: 0 });
    expect(excerpt('', 2, 100)).toEqual({ text: '', hiddenLines: 0 });
  });

  it('cuts after the asked lines and counts the rest', () => {
    expect(excerpt('a\nb\nc\nd', 2, 100)).toEqual({ text: 'a\nb', hiddenLines: 2 });
    expect(excerpt('\n\nc', 1, 100)).toEqual({ text: '', hiddenLines: 2 });
  });

  it('cuts one long line by its length', () => {
    expect(excerpt('x'.repeat(50), 4, 10)).toEqual({ text: 'x'.repeat(10), hiddenLines: 1 });
  });
});

describe('actionCode', () => {
  it('puts short arguments on one line and long ones below', () => {
    const text = actionCode({
      name: 'edit_file',
      args: { path: 'a.py', start: 3, text: 'one\ntwo', force: true },
      rawArguments: '',
    })
      .map((piece) => piece.text)
      .join('');
    expect(text).toBe('edit_file path="a.py" start=3 force=true\ntext=\none\ntwo');
  });

  it('shows what could not be parsed as it was written', () => {
    const pieces = actionCode({ name: 'run', args: null, rawArguments: '{"a":' });
    expect(pieces.map((piece) => piece.text).join('')).toBe('run {"a":');
  });
});
