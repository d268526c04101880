import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { awkwardIn } from './lint/plain-english.mjs';
import { projectRoot } from './setup/project.mjs';

/** Files of strings in which every line is read by people, and the ending of those that are. */
const held = [{ folder: 'renderer/text/en', ending: '.ts' }];

describe('the list of awkward English', () => {
  it.each([
    'Who reads blind sees nobody’s opinion',
    'Nothing wants you now',
    'Names by comma.',
    'default, or not told',
    'Keeps running all the same',
    'What keeps running could not be found out',
    'Took back your word on hint 3.',
    'Mend it, or add it anyway.',
    'Batch X is nobody’s any more.',
    'One is made by itself every so many steps',
    'Stands beside every label',
    'the run asks for your word',
  ])('finds %j', (sentence) => {
    expect(awkwardIn(sentence)).not.toEqual([]);
  });

  it.each([
    'Asks for your approval.',
    'Blind reviewers do not see other opinions.',
    'Nothing needs your attention',
    'so many that no page holds them',
    'Back to live',
    'People who decide first',
  ])('leaves %j alone', (sentence) => {
    expect(awkwardIn(sentence)).toEqual([]);
  });
});

describe.each(held)('$folder', ({ folder, ending }) => {
  const files = readdirSync(join(projectRoot, folder)).filter((name) => name.endsWith(ending));

  test('has files', () => {
    expect(files.length).toBeGreaterThan(10);
  });

  test.each(files)('%s reads like native English', (name) => {
    expect(awkwardIn(readFileSync(join(projectRoot, folder, name), 'utf8'))).toEqual([]);
  });
});
