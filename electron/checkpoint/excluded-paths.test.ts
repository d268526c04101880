import { describe, expect, it } from 'vitest';
import { excludedExpression } from './excluded-paths';

const fits = (patterns: string[], path: string) => {
  const expression = excludedExpression(patterns);
  return expression !== '' && new RegExp(`^(?:${expression})$`, 's').test(path);
};

describe('paths that no checkpoint holds', () => {
  it.each([
    ['__pycache__', '__pycache__', true],
    ['__pycache__', 'src/deep/__pycache__', true],
    ['__pycache__', 'src/my__pycache__', false],
    ['*.bin', 'models/a.bin', true],
    ['*.bin', 'models/a.bin.txt', false],
    ['runs/*/cache', 'runs/one/cache', true],
    ['runs/*/cache', 'runs/one/two/cache', false],
    ['runs/**/cache', 'runs/one/two/cache', true],
    ['runs/**/cache', 'runs/cache', true],
    ['/data', 'data', true],
    ['/data', 'task/data', false],
    ['a?c', 'abc', true],
    ['a+b(c)', 'a+b(c)', true],
    ['a+b(c)', 'aab', false],
    ['data/', 'task/data', true],
    ['line\nbreak', 'line\nbreak', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(fits([pattern], path)).toBe(expected);
  });

  it('nothing is left out by nothing', () => {
    expect(excludedExpression(['', '/', '  '])).toBe('');
  });
});
