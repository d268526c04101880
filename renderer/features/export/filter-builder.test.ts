import { exportFilter } from '@shared/contract/export-request';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  draftOf,
  emptyLine,
  type FilterDraft,
  filterFields,
  filterOf,
  linesOf,
  withName,
  withoutLine,
} from './filter-builder';

const problemOf = (draft: FilterDraft) => filterOf(draft).problems;

describe('a filter is what its lines say', () => {
  it('takes everything without a line', () => {
    expect(filterOf({})).toEqual({ filter: {}, problems: {} });
  });

  it('reads names, numbers, lengths and days', () => {
    const midnight = (day: number) => new Date(2026, 4, day).getTime();
    expect(
      filterOf({
        tasks: ['task_14'],
        annotators: ['Ada', 'Bob'],
        sources: ['human'],
        kinds: ['react'],
        minScore: '35,5',
        successful: true,
        length: { min: '1,000', max: '128k' },
        dates: { from: '2026-05-03', to: '2026-05-03' },
      }),
    ).toEqual({
      filter: {
        tasks: ['task_14'],
        annotators: ['Ada', 'Bob'],
        sources: ['human'],
        kinds: ['react'],
        minScore: 35.5,
        successful: true,
        minTokens: 1_000,
        maxTokens: 128_000,
        after: midnight(3),
        before: midnight(4),
      },
      problems: {},
    });
  });

  it('leaves an end open that is not given', () => {
    expect(filterOf({ length: { min: '', max: '5000' } }).filter).toEqual({ maxTokens: 5_000 });
    expect(filterOf({ dates: { from: '2026-05-03', to: '' } }).filter).toEqual({
      after: new Date(2026, 4, 3).getTime(),
    });
  });

  it('names a line that says nothing yet, and one that cannot be', () => {
    for (const field of filterFields) {
      const { filter, problems } = filterOf(emptyLine(field));
      expect(problems).toEqual(field === 'successful' ? {} : { [field]: 'empty' });
      expect(filter).toEqual(field === 'successful' ? { successful: true } : {});
    }
    expect(problemOf({ minScore: 'high' })).toEqual({ minScore: 'number' });
    expect(problemOf({ minScore: '1e3' })).toEqual({ minScore: 'number' });
    expect(problemOf({ length: { min: '2.5', max: '' } })).toEqual({ length: 'number' });
    expect(problemOf({ length: { min: '-1', max: '' } })).toEqual({ length: 'number' });
    expect(problemOf({ length: { min: '', max: '0' } })).toEqual({ length: 'number' });
    expect(problemOf({ length: { min: '9', max: '8' } })).toEqual({ length: 'order' });
    expect(problemOf({ dates: { from: '2026-02-30', to: '' } })).toEqual({ dates: 'date' });
    expect(problemOf({ dates: { from: '2026-05-04', to: '2026-05-03' } })).toEqual({ dates: 'order' });
  });
});

it('takes separators without a digit for no count, and reads a small score back', () => {
  expect(problemOf({ length: { min: '_', max: '' } })).toEqual({ length: 'number' });
  expect(problemOf({ length: { min: ' , ', max: '9' } })).toEqual({ length: 'number' });
  const { filter } = filterOf({ minScore: '0.0000001' });
  expect(filterOf(draftOf(filter))).toEqual({ filter: { minScore: 1e-7 }, problems: {} });
});

it('only ever makes a filter that the export takes', () => {
  const text = fc.oneof(fc.string({ maxLength: 8 }), fc.stringMatching(/^\d{1,6}k?$/), fc.constant(''));
  const day = fc.oneof(
    fc.constant(''),
    fc.stringMatching(/^20[2-3]\d-[01]\d-[0-3]\d$/),
    fc.string({ maxLength: 10 }),
  );
  const names = fc.array(fc.string({ maxLength: 300 }), { maxLength: 4 }).map((all) => {
    return all.reduce<string[]>((before, name) => withName(before, name), []);
  });
  const drafts = fc.record(
    {
      tasks: names,
      domains: names,
      experiments: names,
      arms: names,
      annotators: names,
      judges: names,
      sources: fc.subarray(['adjudication', 'human', 'rule', 'judge'] as const),
      kinds: fc.subarray(['react', 'summary'] as const),
      minScore: text,
      successful: fc.constant(true as const),
      length: fc.record({ min: text, max: text }),
      dates: fc.record({ from: day, to: day }),
    },
    { requiredKeys: [] },
  );
  fc.assert(
    fc.property(drafts, (draft) => {
      const { filter, problems } = filterOf(draft as FilterDraft);
      expect(exportFilter.safeParse(filter).error).toBeUndefined();
      // Each line either filters or is named.
      for (const field of linesOf(draft as FilterDraft)) {
        const rest = filterOf(withoutLine(draft as FilterDraft, field));
        const filters = JSON.stringify(rest.filter) !== JSON.stringify(filter);
        expect(filters).toBe(problems[field] === undefined);
      }
      // What is read back means the same.
      expect(filterOf(draftOf(filter))).toEqual({ filter, problems: {} });
    }),
  );
});

it('takes a name once, without the space around it', () => {
  expect(withName(['a'], ' b ')).toEqual(['a', 'b']);
  expect(withName(['a'], 'a ')).toEqual(['a']);
  expect(withName(['a'], '  ')).toEqual(['a']);
});
