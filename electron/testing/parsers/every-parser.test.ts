import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { expect, inject, it } from 'vitest';
import { everyParser } from './every-parser';
import { type Grown, growthMemory } from './growth';

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

/** What never ends does not come through: all of it takes a minute or two. */
const WATCHDOG_MS = process.env.WAYMARK_FULL === '1' ? 3_600_000 : 600_000;
const LENGTH = process.env.WAYMARK_FULL === '1' ? 4 * 1024 * 1024 : 128 * 1024;
/**
 * Of the cost, for four times the text: linear is 4, the square is 16. The bench holds 5 on a quiet machine; on a busy one what no
 * longer fits its caches costs up to twice as much. Below so many ms that is all there is to see.
 */
const MOST_GROWTH = 10;
const JUDGED_MS = 100;

it('every parser comes to an end on its worst shapes, and takes no more than in proportion', {
  timeout: WATCHDOG_MS + 10_000,
}, () => {
  const program = join(inject('storeWorkers'), 'parsers-child.js');
  const child = spawnSync(
    process.execPath,
    [...growthMemory, program, ...[LENGTH, JUDGED_MS, MOST_GROWTH].map(String)],
    {
      encoding: 'utf8',
      timeout: WATCHDOG_MS,
      killSignal: 'SIGKILL',
      maxBuffer: 64 * 1024 * 1024,
    },
  );
  expect(child.stderr).toBe('');
  const grown = child.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Grown);
  expect([...new Set(grown.flatMap(({ names }) => names))]).toEqual(
    everyParser.flatMap(({ names }) => [...names]),
  );
  expect(child.status).toBe(0);
  const judged = grown.filter(({ large }) => large >= JUDGED_MS);
  expect(judged.length).toBeGreaterThan(0);
  const steep = judged.filter(({ growth }) => growth > MOST_GROWTH);
  expect(steep.map(({ what, small, large }) => `${what}: ${small} to ${large} ms`)).toEqual([]);
});
