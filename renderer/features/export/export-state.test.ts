import { exportFormats, exportRequestSchema, exportVariants } from '@shared/contract/export-request';
import { exportTargets, targetFacts } from '@shared/contract/export-targets';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  allow,
  changeDraft,
  chooseFormat,
  disallow,
  optionsOf,
  toggleVariant,
  useExport,
} from './export-state';

const fresh = useExport.getState();
beforeEach(() => useExport.setState(fresh, true));
const draft = () => useExport.getState().draft;
const options = (run: string | null = '01ARZ3NDEKTSV4RRFFQ69G5FAV') => optionsOf(draft(), run);

describe('what is set on the screen is what is asked for', () => {
  it('takes the open run alone, and all where none is open', () => {
    expect(options().options.runs).toHaveLength(1);
    expect(options(null).options.runs).toEqual([]);
  });

  it('is taken by the export, whatever was chosen', () => {
    for (const format of exportFormats) {
      chooseFormat(format);
      const { options: made, whole } = options();
      expect(whole).toBe(true);
      expect(exportRequestSchema.safeParse(made).error).toBeUndefined();
    }
  });

  it('does not take "chosen" without a run for all runs', () => {
    changeDraft({ scope: 'chosen' });
    expect(options()).toMatchObject({ whole: false, problems: { chosen: true } });
  });

  it.each([
    ['10', 0.1],
    ['2,5', 0.025],
    ['0', null],
    ['100', null],
    ['', null],
    ['ten', null],
  ])('reads a share of "%s"', (share, expected) => {
    changeDraft({ split: true, share, seed: '7' });
    const { options: made, whole } = options();
    expect(made.split?.share ?? null).toBe(expected);
    expect(whole).toBe(expected !== null);
  });

  it('names what is wrong with the filter, and is not whole with it', () => {
    changeDraft({ filter: { minScore: 'high' } });
    expect(options()).toMatchObject({ whole: false, problems: { filter: { minScore: 'number' } } });
  });
});

describe('a target', () => {
  it('is known for every format, once', () => {
    expect(exportTargets.map(({ format }) => format).sort()).toEqual([...exportFormats].sort());
  });

  it('takes no compression that its loader cannot open', () => {
    chooseFormat('trl');
    changeDraft({ compression: 'zstd', argumentsForm: 'object' });
    chooseFormat('llamafactory-openai');
    expect(draft()).toMatchObject({ compression: 'none', argumentsForm: 'auto' });
    expect(targetFacts('llamafactory-openai').compressions).toEqual(['none']);
  });
});

describe('variants', () => {
  it('are never none, and the shown one is among them', () => {
    toggleVariant('all', false);
    expect(draft().variants).toEqual(['all']);
    for (const variant of exportVariants.slice(1)) toggleVariant(variant, true);
    expect(draft()).toMatchObject({ shown: 'unmasked', variants: exportVariants });
    toggleVariant('unmasked', false);
    expect(draft().variants).toContain(draft().shown);
  });
});

it('allows a finding by its name once, and takes that back', () => {
  allow('a');
  allow('a');
  allow('b');
  expect(draft().allowed).toEqual(['a', 'b']);
  disallow('a');
  expect(options().options.allowed).toEqual(['b']);
});
