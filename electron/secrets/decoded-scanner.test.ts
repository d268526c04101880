import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { namedKinds, type Plant, plant, plantContexts, plantKinds } from '../testing/secret-plants';
import { seededRandom } from '../testing/seeded-random';
import { DecodedScanner } from './decoded-scanner';

const kinds = Object.keys(plantKinds);
const contexts = Object.entries(plantContexts);
const full = process.env.WAYMARK_FULL === '1';
/** Plants of each kind in each context. */
const tries = full ? 20 : 2;
const none = new DecodedScanner([]);

/** Whether nobody can read the secret in what is left: its characters, or those it is written with, are gone. */
function isGone(scanner: DecodedScanner, { secret }: Plant, text: string): boolean {
  const hits = scanner.find(text);
  const covered = hits.reduce((sum, { start, end }) => sum + end - start, 0);
  const letters = secret.replace(/\s/gu, '').length;
  let left = '';
  let from = 0;
  for (const { start, end } of hits) {
    left += `${text.slice(from, start)}<<secret:x:1>>`;
    from = end;
  }
  left += text.slice(from);
  const pieces = [secret.slice(0, 12), secret.slice(-9)];
  return covered >= letters - 2 && !pieces.some((piece) => left.includes(piece));
}

describe('planted secrets', () => {
  it('the set has 25 named kinds and 40 contexts', () => {
    expect([namedKinds.length, contexts.length]).toEqual([25, 40]);
  });

  it(`${kinds.length * contexts.length * tries} that the application holds are found, all of them`, {
    timeout: 300_000,
  }, () => {
    const random = seededRandom(1_001);
    const missed: string[] = [];
    for (const kind of kinds) {
      for (const [name, { write }] of contexts) {
        for (let index = 0; index < tries; index += 1) {
          const each = plant(kind, random);
          const scanner = new DecodedScanner([each.secret, 'another-secret-0123456789']);
          if (!isGone(scanner, each, write(each))) missed.push(`${kind}, ${name}`);
        }
      }
    }
    expect(missed).toEqual([]);
  });

  it.each(kinds)('95 of 100 of a known kind are found raw, in JSON and with ANSI: %s', (kind) => {
    const random = seededRandom(2_002);
    const known = contexts.filter(([, { group }]) => group !== 'coded');
    const rounds = tries * 2;
    const missed: string[] = [];
    for (const [name, { write }] of known) {
      for (let index = 0; index < rounds; index += 1) {
        const each = plant(kind, random);
        if (!isGone(none, each, write(each)))
          missed.push(`${name}: ${JSON.stringify(write(each)).slice(0, 200)}`);
      }
    }
    expect(missed.length / (known.length * rounds), missed.slice(0, 5).join('\n')).toBeLessThanOrEqual(0.05);
  });

  it('nine of ten are found in base64, percent-encoded and folded', () => {
    const random = seededRandom(3_003);
    let [seen, missed] = [0, 0];
    for (const kind of namedKinds) {
      for (const [, { group, write }] of contexts) {
        if (group !== 'coded') continue;
        const each = plant(kind, random);
        seen += 1;
        if (!isGone(none, each, write(each))) missed += 1;
      }
    }
    expect(missed / seen).toBeLessThan(0.1);
  });

  it('a held secret that was cut in two is known by its larger piece', () => {
    const secret = 'Zq3WY7G1J1Ow9PsXwgv6WFxEn8XrZu2vvosfG7ab';
    const scanner = new DecodedScanner([secret]);
    // A secret without its first three letters is found as what it is.
    for (let cut = 4; cut < secret.length; cut += 1) {
      const [first, second] = [`out: ${secret.slice(0, cut)}`, `${secret.slice(cut)} end`];
      const hits = [...scanner.find(first), ...scanner.find(second)];
      // Cut about the middle, either piece is a half.
      const isHalf = Math.abs(cut - secret.length / 2) <= 3;
      expect(hits.length, `cut after ${cut}`).toBeGreaterThanOrEqual(1);
      expect(hits.length, `cut after ${cut}`).toBeLessThanOrEqual(isHalf ? 2 : 1);
      const [hit] = hits;
      expect(hit?.part).toMatchObject({ secret });
      expect((hit?.part?.to ?? 0) - (hit?.part?.from ?? 0)).toBe(Math.max(cut, secret.length - cut));
      expect(hit?.identity).toBe(scanner.find(secret)[0]?.identity);
    }
  });
});

describe('texts without secrets', () => {
  it.each([
    'Authorization: Bearer YOUR_ACCESS_TOKEN_HERE',
    'sk-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx',
    'export OPENAI_API_KEY=<your key>',
    'postgres://user:password@localhost:5432/app',
    'https://user:pass@example.com/',
    'git clone git@github.com:org/repo.git',
    'secretKey: Uint8Array; token: CachedX509Token | null',
    'max_tokens=8192, tokens: 123456789, token_type_ids=[0]',
    'sha256: 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk',
    'BEGIN = b"-----BEGIN OPENSSH PRIVATE KEY-----"\nEND = b"-----END OPENSSH PRIVATE KEY-----"',
    'commit 4b825dc642cb6eb9a060e54bf8d69288fbee4904',
    '/usr/lib/python3/dist-packages/transformers/models/qwen3/configuration_qwen3.py',
  ])('%s', (text) => {
    expect(none.find(text).map(({ start, end }) => text.slice(start, end))).toEqual([]);
  });

  it('source of other people: at most one find in a megabyte', { timeout: 60_000 }, () => {
    const folders = ['@types/node', 'openai', 'zod', 'fast-check', 'yaml'].map((name) =>
      join('node_modules', name),
    );
    const texts = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.[cm]?ts$/.test(path))
        .map((path) => readFileSync(join(folder, path), 'utf8')),
    );
    const characters = texts.reduce((sum, { length }) => sum + length, 0);
    const found = texts.flatMap((text) =>
      none.find(text).map(({ start, end, rule }) => [rule, text.slice(start, end)]),
    );
    expect(characters).toBeGreaterThan(3_000_000);
    expect(found.length, JSON.stringify(found)).toBeLessThanOrEqual(characters / 1_000_000);
  });

  it('recordings of agents that are kept for tests hold none', () => {
    const folders = ['electron/dataset/importers', 'resources', 'docs', 'electron/testing'];
    const texts = folders.flatMap((folder) =>
      readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .filter((path) => /\.(jsonl?|md|py|sh|yaml|traj)$/.test(path))
        .map((path) => readFileSync(join(folder, path), 'utf8')),
    );
    expect(texts.length).toBeGreaterThan(10);
    const found = texts.flatMap((text) => none.find(text).map(({ start, end }) => text.slice(start, end)));
    expect(found).toEqual([]);
  });
});

describe('places', () => {
  const esc = '\u001b';
  const secret = 'Zq3WY7G1J1Ow9PsXwgv6/WFxEn+8XrZu2vvos=';
  const writings: ((text: string) => string)[] = [
    (text) => text,
    (text) => JSON.stringify(text).slice(1, -1),
    (text) => JSON.stringify(JSON.stringify(text).slice(1, -1)).slice(1, -1),
    (text) => encodeURIComponent(text),
    (text) => text.replace(/(.{7})/gu, `$1${esc}[0m`),
    (text) => text.replace(/(.{9})/gu, '$1\r\n'),
    (text) => [...text].map((each) => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`).join(''),
  ];

  it('are exact: what is around a secret stays, in whatever it is written', () => {
    const around = fc.string({
      unit: fc.constantFrom('a', ' ', '"', '\\', '\n', '%', '\u00e9', '密', '{', ':', '.'),
      maxLength: 20,
    });
    fc.assert(
      fc.property(around, around, fc.constantFrom(...writings), (before, after, write) => {
        // A letter or a sign that is escaped belongs to the text around it.
        const text = `${before} |${write(secret)}| ${after}`;
        const hits = new DecodedScanner([secret]).find(text);
        expect(hits).toHaveLength(1);
        const [hit = { start: 0, end: 0 }] = hits;
        const start = before.length + 2;
        expect(text.slice(0, hit.start)).toBe(text.slice(0, start));
        // An escape sequence or a line's end behind the last character is no part of it.
        expect(text.slice(hit.end).replace(/^(?:\u001b\[0m|\r\n)/u, '')).toBe(`| ${after}`);
      }),
    );
  });

  it('are in order, apart and inside, whatever the text is', () => {
    const piece = fc.oneof(
      fc.constantFrom(
        ...namedKinds.map((kind) => plant(kind, seededRandom(5)).text),
        secret,
        esc,
        '\\',
        '\\u00',
        '%4',
        '%25',
        '\n+',
        '-----BEGIN ',
        '<<secret:',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    );
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 12 }), (parts) => {
        const text = parts.join('');
        let from = 0;
        for (const { start, end } of new DecodedScanner([secret]).find(text)) {
          expect(start).toBeGreaterThanOrEqual(from);
          expect(end).toBeGreaterThan(start);
          expect(end).toBeLessThanOrEqual(text.length);
          from = end;
        }
      }),
    );
  });
});
