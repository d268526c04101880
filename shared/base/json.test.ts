import { expect, test } from 'vitest';
import { jsonFault } from './json';

const faultOf = (text: string): string => {
  try {
    JSON.parse(text);
  } catch (error) {
    return jsonFault(text, error as Error);
  }
  throw new Error('It is JSON.');
};

test('what is no JSON is described in our words, and nothing of it is quoted', () => {
  expect(faultOf('{"a": 1')).toMatch(/ends before|line 1/);
  expect(faultOf('{"a":\n secret}')).toMatch(/^(the text at line 2, character 2,|it holds words or signs)/);
  for (const text of ['{"a": secret}', 'secret', '[1,, "secret"]', '{"secret"'])
    expect(faultOf(text)).not.toMatch(/secret|token|Unexpected|JSON input/);
});

test('a position is told as line and character', () => {
  expect(jsonFault('{\n ,}', new Error('Unexpected token , in JSON at position 3'))).toBe(
    'the text at line 2, character 2, does not belong there',
  );
});
