import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { argumentsAsObject, callText, readArguments } from './argument-text';

const why = (read: object) => ('why' in read ? read.why : 'taken');

describe('arguments of a call', () => {
  it.each([
    ['{broken', 'are not valid JSON'],
    ['', 'are not valid JSON'],
    ['{"a": NaN}', 'are not valid JSON'],
    ["{'a': 1}", 'are not valid JSON'],
    ['[1]', 'are not a JSON object'],
    ['null', 'are not a JSON object'],
    ['"{}"', 'are not a JSON object'],
    ['{"a": 1e999}', 'hold a number that is out of range'],
    [`{"a": ${'1'.repeat(5_000)}}`, 'hold a number that is out of range'],
    [`{"a": ${'['.repeat(1_000)}${']'.repeat(1_000)}}`, 'are nested more than 200 levels deep'],
  ])('%j are refused as text and as an object, with the reason', (text, reason) => {
    expect([why(readArguments(text)), why(argumentsAsObject(text))]).toEqual([reason, reason]);
  });

  it.each([
    '{"a": 12345678901234567890}',
    '{"a": 1, "a": 2}',
    '{"2": 1, "1": 2}',
  ])('%j stay as text, but are refused as an object that would differ', (text) => {
    expect(readArguments(text)).toEqual({ text });
    expect(why(argumentsAsObject(text))).not.toBe('taken');
  });

  it('keep the text of the model byte for byte, but for half characters in any spelling', () => {
    expect(readArguments(' { "a" :\n1.50 } ')).toEqual({ text: ' { "a" :\n1.50 } ' });
    expect(readArguments('{"a": "\\ud83d\\ude00 \\ud83d", "b": "\\\\ud83d"}')).toEqual({
      text: '{"a": "😀 \ufffd", "b": "\\\\ud83d"}',
    });
    expect(readArguments('{"\ud83d": 1}')).toEqual({ text: '{"\ufffd": 1}' });
  });

  it('keep a key that is a name of JavaScript’s own', () => {
    const read = argumentsAsObject('{"__proto__": {"x": 1}, "constructor": 2}');
    expect(JSON.stringify('object' in read ? read.object : null)).toBe(
      '{"__proto__":{"x":1},"constructor":2}',
    );
  });

  it('mean the same object in every form', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue()),
        fc.nat(3),
        (value, indent) => {
          const text = JSON.stringify(value, null, indent);
          const read = readArguments(text);
          if ('why' in read) return;
          const meant = JSON.parse(text) as unknown;
          const call = JSON.parse(callText('a "name"', read)) as unknown;
          expect(call).toEqual({ name: 'a "name"', arguments: JSON.parse(read.text) as unknown });
          if (!text.includes('\\ud')) expect(read.text).toBe(text);
          const object = argumentsAsObject(text);
          if ('object' in object && !text.includes('\\ud')) expect(object.object).toEqual(meant);
        },
      ),
      { numRuns: 500 },
    );
  });
});
