import { describe, expect, it } from 'vitest';
import { projectRoot } from '../setup/project.mjs';
import { archiveProblems, contentProblems } from './archive.mjs';
import { billOfMaterials, billProblems } from './bill-of-materials.mjs';
import { signaturesIn } from './signatures.mjs';

describe('the archive', () => {
  it.each([
    'out/main/main.js.map',
    'out/main/.packages.json',
    'out/bench/bench.js',
    'out/main/code-cache-writer.js',
    'electron/main.ts',
    'resources/demo/task/run.test.mjs',
    'resources/demo/task/.env',
    'resources/runtime/loader.js',
    'resources/agent/id.pem',
    'node_modules/zod/index.js',
    'node_modules/better-sqlite3/deps/sqlite3.c',
    '../outside.js',
    'notes.txt',
  ])('may not hold %s', (path) => {
    expect(archiveProblems([{ path }])).toEqual([`${path} is not part of the application.`]);
  });

  it('holds what the application is made of, and no link', () => {
    const parts = [
      'package.json',
      'out/main/main.js',
      'out/main/code-cache/linux-x64-11.4.183.19-electron.0/errors-BTEXCm63.js.bin',
      'out/renderer/assets/index-a_B-1.js',
      'resources/prompts/system.md',
    ];
    expect(archiveProblems(parts.map((path) => ({ path })))).toEqual([]);
    expect(archiveProblems([{ path: 'resources/prompts/system.md', link: '/etc/passwd' }])).toHaveLength(1);
  });

  it.each([
    ['a source map', '//# sourceMappingURL=data:application/json;base64,e30='],
    ['a private key', `-----BEGIN RSA PRIVATE ${'KEY'}-----\n${'A'.repeat(64)}\n`],
    ['a key', `const key = 'sk-${'a1'.repeat(24)}'`],
    ['a key', `token: ghp_${'a1'.repeat(18)}`],
    ['a path of the machine that packed it', `require('${projectRoot}/x')`],
  ])('is found to hold %s', (what, text) => {
    expect(contentProblems('x.js', Buffer.from(text))).toEqual([`x.js holds ${what}.`]);
  });

  it('may hold the key that ssh2 publishes, and no other in its place', () => {
    const key = (body) => Buffer.from(`-----BEGIN PRIVATE ${'KEY'}-----\r\n${body}\r\n`);
    const body = 'MC4CAQAwBQYDK2VwBCIEIHKj+sVa9WcD/q2DJUJaf43Kptc8xYuUQA4bOFj9vC8T';
    expect(contentProblems('x.bin', key(body))).toEqual([]);
    expect(contentProblems('x.bin', key(body.replace('T', 'U').replace('M', 'N')))).toHaveLength(1);
  });
});

describe('the bill of materials', () => {
  const integrity = `sha512-${Buffer.alloc(64, 7).toString('base64')}`;
  const lock = {
    packages: {
      '': { name: 'app', version: '1.0.0', license: 'Apache-2.0' },
      'node_modules/@a/b': { version: '2.0.0', license: 'MIT', integrity },
      'node_modules/c': { version: '3.0.0', license: 'ISC', integrity },
    },
  };
  const paths = ['node_modules/@a/b', 'node_modules/c'];
  const bill = () => billOfMaterials({ version: '45.0.0' }, lock, paths);

  it('names every package of the build, as the lock file has it', () => {
    expect(billProblems(bill(), lock, paths)).toEqual([]);
    expect(bill().components.map(({ purl }) => purl)).toEqual([
      'pkg:npm/electron@45.0.0',
      'pkg:npm/%40a/b@2.0.0',
      'pkg:npm/c@3.0.0',
    ]);
  });

  it('is refused when a package is missing, more, of another hash, without a licence or not locked', () => {
    const without = { ...bill(), components: bill().components.slice(0, 2) };
    expect(billProblems(without, lock, paths)).toEqual(['c 3.0.0 is not in the bill of materials.']);
    expect(billProblems(bill(), lock, paths.slice(0, 1))).toEqual([
      '1 packages of the bill of materials are not in the build.',
    ]);
    const changed = structuredClone(lock);
    changed.packages['node_modules/c'].integrity = `sha512-${Buffer.alloc(64, 8).toString('base64')}`;
    expect(billProblems(bill(), changed, paths)).toEqual(['c has another hash in the bill of materials.']);
    const free = structuredClone(lock);
    delete free.packages['node_modules/c'].license;
    const unlicensed = billOfMaterials({ version: '45.0.0' }, free, paths);
    expect(billProblems(unlicensed, free, paths)).toEqual(['c has no licence in the bill of materials.']);
    expect(billProblems(bill(), lock, [...paths, 'node_modules/d'])).toContain(
      'd went into the build and is not locked.',
    );
  });
});

describe('signatures', () => {
  it('are valid, missing, or not to be had', () => {
    expect(signaturesIn({ code: 0, output: '{"invalid":[],"missing":[]}' })).toEqual({
      ...{ problems: [], said: ['signatures valid'] },
    });
    const missing = '{"invalid":[],"missing":[{"name":"a","version":"1.0.0"}]}';
    expect(signaturesIn({ code: 1, output: missing }).problems).toEqual(['a 1.0.0 has no valid signature.']);
    expect(signaturesIn({ code: 1, output: 'npm error No keys\n' })).toEqual({
      ...{ problems: [], untested: ['signatures of the registry: npm error No keys'] },
    });
  });
});
