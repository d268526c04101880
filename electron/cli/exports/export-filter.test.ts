import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseFilter } from './export-filter';

describe('--filter', () => {
  it.each<[string[], object]>([
    [[], {}],
    [['task=a'], { tasks: ['a'] }],
    [['task=a,task=b', 'task=a'], { tasks: ['a', 'b'] }],
    [
      ['domain=nlp, arm = with hints ,experiment=e'],
      { domains: ['nlp'], arms: ['with hints'], experiments: ['e'] },
    ],
    [['arm="with, or ""without"""'], { arms: ['with, or "without"'] }],
    [
      ['annotator=Ada Lovelace', 'source=human,source=adjudication'],
      { annotators: ['Ada Lovelace'], sources: ['human', 'adjudication'] },
    ],
    [['kind=summary'], { kinds: ['summary'] }],
    [['judge=strict,judge=a b'], { judges: ['strict', 'a b'] }],
    [['score>=80.5,successful'], { minScore: 80.5, successful: true }],
    [['score>=-1'], { minScore: -1 }],
    [['tokens>=10,tokens<=1000'], { minTokens: 10, maxTokens: 1000 }],
    [
      ['date>=2026-03-01,date<2026-03-02T12:00:00+02:00'],
      { after: Date.UTC(2026, 2, 1), before: Date.UTC(2026, 2, 2, 10) },
    ],
    [['task=a=b>=c'], { tasks: ['a=b>=c'] }],
  ])('%j means %j', (values, filter) => {
    expect(parseFilter(values)).toEqual(filter);
  });

  it.each<[string, RegExp]>([
    ['', /cannot be read/],
    ['task', /not a condition of a filter\. Write one of: task=/],
    ['task=', /lacks the name/],
    ['colour=red', /not a condition of a filter/],
    ['score', /quote the whole filter/],
    ['score>80', /not a condition of a filter/],
    ['score>=high', /must end with a number/],
    ['tokens<=1.5', /whole number/],
    ['tokens<=0', /cannot be used/],
    ['tokens<=99999999999999999999', /whole number/],
    ['date>=yesterday', /such as 2026-03-31/],
    ['date>=2026-02-30', /such as 2026-03-31/],
    ['date>=2026-13-01', /such as 2026-03-31/],
    ['source=nobody', /one of adjudication, human, rule, judge/],
    ['task=a,', /ends with a comma/],
    [',task=a', /cannot be read/],
    ['task="a', /cannot be read/],
    ['task="a"b', /cannot be read/],
    ['successful=yes', /not a condition of a filter/],
    ['score>=1,score>=2', /given twice with different values/],
    ['__proto__=a', /cannot be read/],
    ['constructor=a', /not a condition of a filter/],
  ])('%j is refused and says why', (value, why) => {
    expect(() => parseFilter([value])).toThrow(
      expect.objectContaining({ code: 'bad_input', message: expect.stringMatching(why) }),
    );
  });

  it('takes any name in quotes as it is, and never hangs', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 200 }), (name) => {
        const quoted = `"${name.replaceAll('"', '""')}"`;
        expect(parseFilter([`task=${quoted},arm=x`])).toEqual({ tasks: [name], arms: ['x'] });
      }),
    );
    expect(() => parseFilter([`task="${'""'.repeat(500_000)}`])).toThrow();
    expect(() => parseFilter([`${'task=a '.repeat(200_000)}"`])).toThrow();
  });
});
