import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { WaymarkError } from '@shared/contract/errors';
import { describe, expect, it } from 'vitest';
import type { Store } from '../../../store/api';
import { openDatabase } from '../../../store/file/database';
import { workspaceFile } from '../../../store/file/workspace-file';
import { temporaryFolder, testStore } from '../../../testing/store-fixtures';
import { importResearchGym } from './import-researchgym';

const fixtures = join(import.meta.dirname, '../../../../e2e/fixtures/researchgym');
const tree = join(fixtures, 'tree-demo');
const author = { uuid: '6f1c1f0a-1111-4111-8111-111111111111', name: 'Ada' };
const mutations = process.env.WAYMARK_FULL === '1' ? 1_000 : 200;
/** Mutations in one workspace: each compares all of it before and after. */
const A_STAND = 50;

/** Names, and what a plain read of the files gives, of everything below a folder but indexes and caches. */
function snapshot(folder: string): string {
  const hash = createHash('sha256');
  const names = readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/-shm$|search\.db|driver/.test(entry.name))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((name) => !name.includes('/cache/'))
    .sort();
  for (const name of names) hash.update(`${name}\0`).update(readFileSync(name));
  return hash.digest('hex');
}

/** What was stored moves into the main file now: the store does so in the background, and a comparison would see it. */
function foldLog(workspace: string): void {
  const db = openDatabase(workspaceFile(workspace));
  expect(db.pragma('wal_checkpoint(TRUNCATE)')).toEqual([{ busy: 0, log: 0, checkpointed: 0 }]);
  db.close();
}

interface Stand {
  store: Store;
  workspace: string;
  /** Where hostile files are put. */
  folder: string;
  /** The message it was refused with, or null; everything but the store is as before, and a refusal leaves that too. */
  take(path: string, again?: boolean): Promise<string | null>;
}

async function stand(): Promise<Stand> {
  const outer = temporaryFolder();
  const workspace = join(outer, 'workspace');
  const folder = join(outer, 'import');
  mkdirSync(folder);
  writeFileSync(join(outer, 'secret.json'), '{"auths":{"box":"c2VjcmV0"}}');
  const store = testStore(workspace);
  await store.drain();
  return {
    store,
    workspace,
    folder,
    take: async (path, again = true) => {
      await store.drain();
      foldLog(workspace);
      const before = snapshot(workspace);
      try {
        await importResearchGym(store, author, path, { title: null, task: null, again });
        return null;
      } catch (thrown) {
        if (!(thrown instanceof WaymarkError)) throw thrown;
        expect(['bad_input', 'not_found', 'already_exists']).toContain(thrown.code);
        expect(snapshot(workspace)).toBe(before);
        expect(readdirSync(outer).sort()).toEqual(['import', 'secret.json', 'workspace']);
        return thrown.message;
      }
    },
  };
}

const messages = [{ role: 'user', content: 'Do it.' }];
const node = { id: 'n', node_type: 'react', messages, response: { content: 'x' } };

describe('what is no regular file', () => {
  it('is refused by name, and neither waited for nor followed', async () => {
    const { folder, take } = await stand();
    const react = join(folder, 'react_1.json');
    const refuses = async (why: RegExp, make: () => void) => {
      make();
      expect(await take(folder)).toMatch(why);
      rmSync(react, { recursive: true, force: true });
    };
    await refuses(/react_1\.json is not a regular file/, () => execFileSync('mkfifo', [react]));
    await refuses(/react_1\.json is not a regular file/, () => mkdirSync(react));
    await refuses(/react_1\.json is a link/, () => symlinkSync('/dev/zero', react));
    await refuses(/react_1\.json is a link/, () => symlinkSync('../secret.json', react));
    await refuses(/react_1\.json is larger than 256 MB/, () => {
      writeFileSync(react, '');
      truncateSync(react, 1_900_000_000);
    });
    const server = createServer().listen(react);
    await new Promise((resolve) => server.once('listening', resolve));
    expect(await take(folder)).toMatch(/react_1\.json is not a regular file/);
    await new Promise((resolve) => server.close(resolve));
    expect(await take('/dev/zero')).toMatch(/zero is not a regular file/);
    symlinkSync(tree, join(folder, 'linked'));
    expect(await take(join(folder, 'linked'))).toMatch(/is a link/);
    expect(await take(join(folder, 'a\0b'))).toMatch(/nothing at/);
  });

  it('is not stored from beside a tree', async () => {
    const { folder, take } = await stand();
    cpSync(tree, folder, { recursive: true });
    symlinkSync('../secret.json', join(folder, 'params.json'));
    expect(await take(folder)).toMatch(/params\.json is a link/);
    rmSync(join(folder, 'params.json'));
    rmSync(join(folder, 'nodes'), { recursive: true, force: true });
    symlinkSync('..', join(folder, 'nodes'));
    expect(await take(folder)).toBeNull();
  });
});

describe('what is too much', () => {
  const nested = (depth: number) => `${'['.repeat(depth)}${']'.repeat(depth)}`;
  const children = (count: number) =>
    Array.from({ length: count }, (_, index) => ({ ...node, id: `n${index}`, parent_id: 'n' }));
  const whole = (more: string) => `{"id":"n","node_type":"react","response":{"content":"x"},${more}}`;
  const cases: Record<string, [() => string | Buffer, RegExp | null]> = {
    'a text of 17 MB': [() => whole(`"messages":[],"x":"${'y'.repeat(17_000_000)}"`), /longer than 16 MB/],
    'one line of 60 MB': [() => 'y'.repeat(60_000_000), /is not JSON/],
    'four million values': [() => whole(`"x":[${'0,'.repeat(4_000_000)}0]`), /more than 3000000 values/],
    'a field nested 200 deep': [() => whole(`"x":${nested(200)}`), /nests deeper than 100 levels/],
    'a field nested 900,000 deep': [() => whole(`"x":${nested(900_000)}`), /nests deeper than 100000 levels/],
    'brackets without end': [() => '['.repeat(2_000_000), /nests deeper than 100000 levels/],
    'an end in the middle': [() => whole('"x":"y').slice(0, -1), /ends in the middle/],
    'half a million messages that are none': [
      () => whole(`"messages":[${'{},'.repeat(500_000)}{}]`),
      /messages\.0\.role/,
    ],
    'calls without number': [
      () => `{"id":"n","node_type":"react","response":{"tool_calls":[${'{},'.repeat(5_000)}{}]}}`,
      /tool_calls/,
    ],
    'bytes that are no UTF-8': [() => Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d]), /not UTF-8/],
    'no bytes': [() => '', /is not JSON/],
    'a number beyond numbers': [
      () =>
        '{"id":"n","node_type":"react","messages":[{"role":"user","content":"t"}],"response":{"content":"x","usage":{"input_tokens":1e999}}}',
      /contains what no run can contain/,
    ],
    '150,000 children': [
      () =>
        JSON.stringify({ id: 'r', node_type: 'root', children: [{ ...node, children: children(150_000) }] }),
      null,
    ],
    'keys that mean something to an object': [
      () =>
        whole(
          '"messages":[{"role":"user","content":"t"}],"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}',
        ),
      null,
    ],
  };
  for (const [name, [text, expected]] of Object.entries(cases)) {
    it(`is refused with the limit, or taken: ${name}`, { timeout: 60_000 }, async () => {
      const { folder, take } = await stand();
      const file = join(folder, 'react_1.json');
      writeFileSync(file, text());
      const said = await take(file);
      if (expected === null) expect(said).toBeNull();
      else expect(said).toMatch(expected);
      if (expected !== null) expect(said).toContain('react_1.json');
      expect(({} as Record<string, unknown>).polluted).toBeUndefined();
    });
  }
});

describe.runIf(process.platform !== 'win32')('what names say', () => {
  /** Everything that lies in the outer folder but the workspace's own files, which are compared by content elsewhere. */
  const around = (folder: string) =>
    readdirSync(join(folder, '..'), { recursive: true, encoding: 'utf8' })
      .filter((name) => !name.startsWith('workspace') && !name.startsWith('import'))
      .sort();

  it('is a name and nothing more: no way up, no drive, no absolute path, in file names and in what is in them', async () => {
    const { folder, take, store, workspace } = await stand();
    const before = around(folder);
    const names = [
      ...['react_..\\..\\evil.json', 'react_C:\\Windows\\evil.json', 'react_\\\\host\\share.json'],
      ...[
        'react_..json',
        'react_....json',
        'react_\n.json',
        'react_%2e%2e%2fevil.json',
        'C:\\evil.json',
        '-rf.json',
      ],
      ...['..\\evil.json', `${'n'.repeat(240)}.json`, 'con.json', 'react_\u202egnp.json'],
    ];
    for (const [index, name] of names.entries()) {
      writeFileSync(join(folder, name), JSON.stringify({ ...node, id: `f${index}` }));
    }
    const ids = [
      '../../evil',
      '/etc/evil',
      'C:\\evil',
      '..',
      '',
      '__proto__',
      'a\0b',
      '\\\\host\\evil',
      '../'.repeat(40),
    ];
    const files = ['../../evil.txt', '/tmp/waymark-evil.txt', 'C:\\evil.txt', '~/evil.txt'];
    const nodes = ids.map((id, index) => ({
      ...node,
      id,
      parent_id: ids[index - 1] ?? null,
      file: files[index % files.length],
      path: files[0],
      response: {
        content: 'x',
        tool_calls: [
          {
            id: `c${index}`,
            type: 'function',
            function: {
              name: 'write_file',
              arguments: JSON.stringify({ path: files[index % files.length], content: 'evil' }),
            },
          },
        ],
      },
    }));
    for (const [index, each] of nodes.entries()) {
      writeFileSync(join(folder, `react_${String(index).padStart(3, '0')}.json`), JSON.stringify(each));
    }
    const said = await take(folder);
    if (said !== null) expect(said).toMatch(/\.json/);
    for (const each of nodes) {
      const alone = join(folder, 'react_alone.json');
      writeFileSync(alone, JSON.stringify(each));
      const why = await take(alone);
      if (why !== null) expect(why).toContain('react_alone.json');
      rmSync(alone);
    }
    expect(around(folder)).toEqual(before);
    expect(existsSync('/tmp/waymark-evil.txt')).toBe(false);
    const made = readdirSync(workspace, { recursive: true, encoding: 'utf8' });
    expect(made.filter((name) => /evil|\\|%2e/.test(name))).toEqual([]);
    expect((await store.reader.verify()).runs.flatMap(({ problems }) => problems)).toEqual([]);
  });

  it('twice, or differing in capitals only, costs nothing: an id counts once, a name is kept once', async () => {
    const { folder, take, store } = await stand();
    const same = { ...node, id: 'same' };
    for (const name of ['react_1.json', 'react_2.json', 'REACT_1.json', 'React_1.JSON']) {
      writeFileSync(join(folder, name), JSON.stringify(same));
    }
    // The same key twice in one document: the last one counts, as everywhere.
    writeFileSync(
      join(folder, 'react_3.json'),
      `{"id":"a","id":"b",${JSON.stringify({ ...node, id: undefined }).slice(1)}`,
    );
    linkSync(join(folder, 'react_1.json'), join(folder, 'react_4.json'));
    expect(await take(folder)).toBeNull();
    const [run] = await store.reader.runs();
    expect(run?.steps).toBe(2);
  });
});

describe('what was tampered with', () => {
  it(`is taken, or refused with file and reason, and nothing else changes (${mutations} times)`, {
    timeout: 600_000,
  }, async () => {
    const random = generator(12);
    const outcomes = { taken: 0, refused: 0 };
    let { folder, take, store } = await stand();
    const sound = async () =>
      expect((await store.reader.verify()).runs.flatMap(({ problems }) => problems)).toEqual([]);
    for (let round = 0; round < mutations; round += 1) {
      if (round > 0 && round % A_STAND === 0) {
        await sound();
        ({ folder, take, store } = await stand());
      }
      const target = join(folder, `case${round}`);
      cpSync(tree, target, { recursive: true });
      const what = mutate(target, random);
      const said = await take(target);
      if (said === null) outcomes.taken += 1;
      else {
        outcomes.refused += 1;
        expect(said, what).toMatch(/\.json|case\d+/);
      }
      rmSync(target, { recursive: true, force: true });
    }
    expect(outcomes.refused).toBeGreaterThan(mutations / 10);
    expect(outcomes.taken).toBeGreaterThan(0);
    await sound();
  });
});

type Random = (below: number) => number;

function generator(seed: number): Random {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

/** Changes one file of a checkpoint, or what it is. Returns what was done. */
function mutate(folder: string, random: Random): string {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.json'),
  );
  const name = names[random(names.length)] ?? '';
  const file = join(folder, name);
  const bytes = readFileSync(file);
  const at = random(bytes.length);
  const put = (...parts: (Buffer | string)[]) =>
    writeFileSync(
      file,
      Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part))),
    );
  const instead = (make: () => void) => {
    rmSync(file);
    make();
  };
  const ways: (() => void)[] = [
    () => put(bytes.subarray(0, at)),
    () => put(bytes.subarray(0, at), Buffer.from([random(256)]), bytes.subarray(at + 1)),
    () => put(bytes.subarray(0, at), '\0', bytes.subarray(at)),
    () => put(bytes, bytes),
    () => put(bytes.subarray(0, at), bytes.subarray(random(bytes.length))),
    () => put(replaced(bytes.toString('utf8'), random)),
    () => put(replaced(bytes.toString('utf8'), random)),
    () => put(replaced(bytes.toString('utf8'), random)),
    () => put('\ufeff', bytes),
    () => put(''),
    () => instead(() => symlinkSync('/etc/passwd', file)),
    () => instead(() => mkdirSync(file)),
    () => instead(() => execFileSync('mkfifo', [file])),
    () => linkSync(file, join(folder, 'react_linked.json')),
    () => writeFileSync(join(folder, `react_..\\${'x'.repeat(random(200))}\n.json`), bytes),
    () =>
      writeFileSync(join(folder, name.toUpperCase().replace('.JSON', '.json').replace(/.*\//, '')), bytes),
    () => writeFileSync(join(folder, '__proto__.json'), '{"a":1}'),
  ];
  const way = random(ways.length);
  ways[way]?.();
  return `way ${way} on ${name}`;
}

/** The document with one of its values replaced by one that is not expected there. */
function replaced(text: string, random: Random): string {
  const values = [...text.matchAll(/: ?("(?:[^"\\]|\\.){0,60}"|-?\d+(?:\.\d+)?|null|true|false)/g)];
  const chosen = values[random(values.length)];
  if (chosen === undefined) return text;
  const odd = [
    'null',
    '-1',
    '1e999',
    '1.5',
    '[]',
    '{}',
    '"\\u0000\\ud800"',
    '"../../x"',
    '"react"',
    '"root"',
    'true',
    '9007199254740993',
    '"2025-99-99"',
    '"+275760-09-13T00:00:00Z"',
    '{"__proto__":{"a":1}}',
    '[[[[[]]]]]',
    '""',
  ];
  return `${text.slice(0, chosen.index)}: ${odd[random(odd.length)]}${text.slice(chosen.index + chosen[0].length)}`;
}
