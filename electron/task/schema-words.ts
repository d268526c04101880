import type { z } from 'zod';

/** What zod found, in the words of whoever wrote the file; each continues a sentence that begins with the field. */

const kinds: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a block of fields',
  record: 'a block of fields',
};

/** A kind of value: `text`, `a list`. */
export const kindWords = (expected: string): string => kinds[expected] ?? 'a value of another kind';

type Size = z.core.$ZodIssueTooSmall | z.core.$ZodIssueTooBig;

/** That a value is too large or too small, with the bound. */
export function sizeWords(issue: Size): string {
  const small = issue.code === 'too_small';
  const bound = Number(small ? issue.minimum : issue.maximum);
  const many = bound.toLocaleString('en-US');
  switch (issue.origin) {
    case 'string':
      if (small && bound === 1) return 'must not be empty';
      return small
        ? `is too short: at least ${many} characters are needed`
        : `is too long: at most ${many} characters fit`;
    case 'array':
    case 'record':
      if (small && bound === 1) return 'must hold at least one entry';
      return `must hold ${small ? 'at least' : 'at most'} ${many} entries`;
    default:
      if (issue.inclusive === false) return `must be ${small ? 'more' : 'less'} than ${many}`;
      return small ? `must be ${many} at least` : `must be ${many} at most`;
  }
}

/**
 * What to say of a value that fits none of several kinds: what is wrong with the kind that it is, else all that would do.
 */
export function ofNone(issue: z.core.$ZodIssueInvalidUnion): z.core.$ZodIssue[] | string {
  const own = issue.errors.find((found) => !found.some(isOtherKind));
  if (own !== undefined && own.length > 0) return own;
  const words = issue.errors.flat().flatMap((each) => (isOtherKind(each) ? [kindWords(each.expected)] : []));
  return listed([...new Set(words)]);
}

const isOtherKind = (issue: z.core.$ZodIssue): issue is z.core.$ZodIssueInvalidType =>
  issue.code === 'invalid_type' && issue.path.length === 0;

function listed(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1)}`;
}
