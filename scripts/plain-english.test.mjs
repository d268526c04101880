import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { awkwardIn, withoutComments } from './lint/plain-english.mjs';
import { projectRoot } from './setup/project.mjs';

/** What people read, and how many files there are at least. Of code only the texts count, not its comments. */
const held = [
  { what: 'the window', files: filesIn('renderer/text/en', '.ts'), least: 11 },
  { what: 'the command line', files: filesIn('electron/cli', '.ts'), least: 35 },
  {
    what: 'errors and dialogs',
    files: ['app', 'commands', 'computer', 'model', 'remote', 'review', 'runs', 'serve', 'task']
      .concat('store/log', 'store/restore', 'store/verify')
      .flatMap((folder) => filesIn(`electron/${folder}`, '.ts')),
    least: 200,
  },
  { what: 'datasets and what they say of themselves', files: filesIn('electron/dataset', '.ts'), least: 100 },
  {
    what: 'what agents and judges read',
    files: ['actions', 'branches']
      .flatMap((folder) => filesIn(`electron/${folder}`, '.ts'))
      .concat(filesIn('shared/context', '.ts'), filesIn('shared/judging', '.ts'))
      .concat(filesIn('resources/prompts', '.md'), 'shared/labels/guideline.ts'),
    least: 70,
  },
  { what: 'set-up and scripts', files: filesIn('scripts/setup', '.mjs'), least: 10 },
  {
    what: 'the user guide',
    files: ['README.md']
      .concat(
        ['set-up', 'task-package', 'data-flow', 'redaction', 'token-preview', 'dataset-format'].map(
          (page) => `docs/${page}.md`,
        ),
      )
      .concat(filesIn('docs/user', '.md')),
    least: 18,
  },
];

/** @param {string} folder @param {string} ending */
function filesIn(folder, ending) {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith(ending) && !name.includes('.test.'))
    .map((name) => `${folder}/${name}`);
}

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
    'What is still readable comes back with: restore',
    '“restore” brings what is whole into a new folder',
    'WAYMARK_ELECTRON names /x, which is no file.',
    'This terminal is not there any more.',
    'The workspace is only read.',
    'The import of run R was broken off.',
    'The link is made anew.',
    'Add it again once it is at rest.',
    'drive a run on, in the background',
    '--wake and --when do not go together',
    'R stands for a run, but has no number',
    'Not looked for: that takes bash.',
    'all that the model was sent for it',
    'Took over 3 entries',
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
    'There is no file x.json.',
    'keys at rest and in memory',
    'it has not looked for 50 steps',
  ])('leaves %j alone', (sentence) => {
    expect(awkwardIn(sentence)).toEqual([]);
  });
});

describe.each(held)('$what', ({ files, least }) => {
  test('has files', () => {
    expect(files.length).toBeGreaterThanOrEqual(least);
  });

  test.each(files)('%s reads like native English', (path) => {
    const content = readFileSync(join(projectRoot, path), 'utf8');
    expect(awkwardIn(path.endsWith('.md') ? content : withoutComments(content))).toEqual([]);
  });
});
