import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryFolder } from '../testing/store-fixtures';
import { startDriver } from './start-driver';

/** Starts a command line that does this. */
async function drive(script: string, isTaken: (printed: string) => boolean = () => false) {
  const folder = temporaryFolder();
  const entry = join(folder, 'cli.cjs');
  writeFileSync(entry, script);
  const log = join(folder, 'logs', 'driver.log');
  const printed = () => readFileSync(log, 'utf8');
  const start = () =>
    startDriver({
      entry,
      folder,
      what: 'batch 7',
      words: ['judge', 'resume', '7'],
      log,
      isTaken: async () => isTaken(printed()),
      keys: { JUDGE_KEY: 'sk-1' },
    });
  return { driver: await start(), start, folder, printed };
}

const error = (message: string) =>
  `console.log(JSON.stringify({ error: { code: 'refused', message: ${JSON.stringify(message)} } }))`;

test('a driver gets its command, the workspace, and its keys by a pipe alone', async () => {
  const { driver, folder, printed } = await drive(
    `const keys = JSON.parse(require('node:fs').readFileSync(Number(process.env.WAYMARK_KEYS_FD), 'utf8'));
     const isInEnvironment = Object.values(process.env).some((value) => value.includes('sk-1'));
     console.log(JSON.stringify({ words: process.argv.slice(2), keys, isInEnvironment }));`,
  );
  expect(driver.log).toBe(join('logs', 'driver.log'));
  await driver.taken;
  expect(JSON.parse(printed())).toEqual({
    words: ['judge', 'resume', '7', '--json', '--workspace', folder],
    keys: { JUDGE_KEY: 'sk-1' },
    isInEnvironment: false,
  });
});

test('what it said last is why it could not, whatever stands in the log from before', async () => {
  const { driver, start } = await drive(
    `const { statSync } = require('node:fs');
     const isFirst = statSync(process.argv.at(-1) + '/logs/driver.log').size === 0;
     if (isFirst) ${error('The first reason.')}; else { console.error('A trouble.'); ${error('Another reason.')} }`,
  );
  await expect(driver.taken).rejects.toMatchObject({ code: 'refused', message: 'The first reason.' });
  await expect((await start()).taken).rejects.toMatchObject({ message: 'Another reason.' });
});

test.each([
  ['says nothing', '', /batch 7 ended at once without writing to its log/],
  ['says something that is no document', "console.log('Oh.')", /batch 7 ended at once\.$/],
])('one that ends at once and %s is a bug that names what it was to drive', async (_what, script, message) => {
  const { driver } = await drive(script);
  await expect(driver.taken).rejects.toMatchObject({ code: 'bug', message: expect.stringMatching(message) });
});

test('one that failed after its work was taken up has taken it up', async () => {
  const { driver, printed } = await drive(error('The model refuses.'), (said) => said.includes('refuses'));
  await driver.taken;
  expect(printed()).toContain('The model refuses.');
});
