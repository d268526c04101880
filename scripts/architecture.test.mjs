import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { expect, test } from 'vitest';
import { projectRoot } from './setup/project.mjs';

const page = readFileSync(join(projectRoot, 'ARCHITECTURE.md'), 'utf8');
const [, tree] = /## The folders\s+```\n([\s\S]*?)```/.exec(page) ?? [];

test('ARCHITECTURE.md names the rooms of electron and shared, and no room that is not there', () => {
  for (const part of ['shared', 'electron']) {
    const [, block] = new RegExp(`^${part}/(.*\\n(?:  .*\\n)*)`, 'm').exec(tree) ?? [];
    const named = [...block.matchAll(/^ {2}(?:[\w.-]+, )?([\w-]+)\/ /gm)].map(([, name]) => name);
    const rooms = readdirSync(join(projectRoot, part), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name);
    expect(named.sort(), `the rooms of ${part}/`).toEqual(rooms.sort());
  }
});

test('every file and folder that ARCHITECTURE.md names is there', () => {
  const places = ['.', 'electron', 'renderer', 'electron/store', 'electron/store/file', 'electron/computer'];
  const files = readdirSync(join(projectRoot, 'electron'), { recursive: true }).map((path) => basename(path));
  const missing = [...page.matchAll(/`([\w.-]+(?:\/[\w.-]*)+|[\w-]+\.ts)`/g)]
    .map(([, path]) => path)
    // What lies in a data folder, not in the repository.
    .filter((path) => !/^(?:backups|cache)\//.test(path) && !path.startsWith('--'))
    .filter((path) => path.includes('/') || !files.includes(path))
    .filter((path) => !places.some((place) => existsSync(join(projectRoot, place, path))));
  expect(missing).toEqual([]);
});

test('every file that the page on data flow follows is there, in at most 25 for each thing', () => {
  const flow = readFileSync(join(projectRoot, 'docs', 'data-flow.md'), 'utf8');
  const paths = [...flow.matchAll(/`([a-z]+(?:\/[\w.-]+)+)`/g)].map(([, path]) => path);
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(join(projectRoot, path)))).toEqual([]);
  const longest = Math.max(...[...flow.matchAll(/^\| (\d+) \|/gm)].map(([, number]) => Number(number)));
  expect(longest).toBeLessThanOrEqual(25);
});
