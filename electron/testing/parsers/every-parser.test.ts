import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { everyParser } from './every-parser';

const root = resolve(import.meta.dirname, '../../..');
/** What a parser is called in this house. */
const named =
  /^export (?:async )?(?:function\*?|class) (parse[A-Z]\w*|[A-Z]\w*(?:Parser|Scanner|Decoder|Lexer|Filter))\b/gm;

/** Named like one, but what it reads is not text of others, or was parsed before. */
const others: Readonly<Record<string, string>> = {
  parseArguments: 'the words of whoever types the command',
  parseFilter: 'the words of whoever types the command',
  parseCall: 'JSON.parse and the checks of one action; its texts go through readCommand and parseJson',
  parseRun: 'a row of our own derived table',
  parseSpec: 'a spec that decodeEvent has parsed',
  SecretScanner: 'text of others, whose worst shapes the bench `secret-scan` has, with a bar of its own',
};

async function sources(): Promise<string[]> {
  const lists = await Promise.all(
    ['shared', 'electron', 'renderer'].map(async (top) => {
      const entries = await readdir(join(root, top), { recursive: true });
      return entries.map((path) => join(top, path));
    }),
  );
  return lists
    .flat()
    .filter((path) => /\.tsx?$/.test(path) && !/\.test\.tsx?$|\btesting\b|fixtures/.test(path));
}

it('every parser of what others wrote is listed with its worst shapes', async () => {
  const listed = new Set(everyParser.flatMap(({ names }) => names));
  const missing: string[] = [];
  for (const path of await sources()) {
    for (const [, name = ''] of readFileSync(join(root, path), 'utf8').matchAll(named)) {
      if (!listed.has(name) && others[name] === undefined) missing.push(`${path}: ${name}`);
    }
  }
  expect(missing, 'goes into electron/testing/parsers, or into `others` with the reason').toEqual([]);
});

/** Generous: all of it takes a few seconds. What never ends, or grows by the square, does not come through. */
const WATCHDOG_MS = 90_000;

it('every parser comes to an end on its worst shapes', { timeout: WATCHDOG_MS + 10_000 }, () => {
  const child = spawnSync(process.execPath, [join(inject('storeWorkers'), 'parsers-child.js'), '262144'], {
    encoding: 'utf8',
    timeout: WATCHDOG_MS,
    killSignal: 'SIGKILL',
  });
  expect(child.stderr).toBe('');
  expect(child.stdout.trim().split('\n')).toEqual(everyParser.flatMap(({ names }) => [...names]));
  expect(child.status).toBe(0);
});
