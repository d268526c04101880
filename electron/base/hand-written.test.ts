import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { expect, it } from 'vitest';

const electron = join(import.meta.dirname, '..');

interface Pattern {
  /** What is written by hand, and what to use instead. */
  name: string;
  found(text: string): boolean;
  /** Files that may, and why. */
  allowed: Record<string, string>;
}

const PATTERNS: readonly Pattern[] = [
  {
    name: 'a serial queue: use SerialQueue',
    found: (text) =>
      [...text.matchAll(/\bthis\.(#?\w+)\s*\.then\(/g)].some(([, field]) =>
        new RegExp(`this\\.${field} =\\s+(?:this\\.${field}\\b|(?!this\\b)\\w+[.;])`).test(text),
      ),
    allowed: { 'base/serial-queue.ts': 'the one place' },
  },
  {
    name: "a shell's quoting: use shellQuote",
    found: (text) => text.includes(`replaceAll("'"`),
    allowed: { 'base/shell-quote.ts': 'the one place' },
  },
  {
    name: 'a doubling pause: use backOffMs or BackOff',
    found: (text) => /Math\.min\([^;]*\* 2 \*\*/.test(text),
    allowed: { 'base/back-off.ts': 'the one place' },
  },
  {
    name: 'a draft that is renamed to its file: use AtomicFile or writeAtomically',
    found: (text) => /(?:open|writeFile)\([^)]*\b(?:draft|temporary|\.tmp|\.partial)\b/.test(text),
    allowed: {
      'base/atomic-file.ts': 'the one place',
      'computer/local/session-input.ts': 'hands text and its length to the supervisor by a name in its inbox',
    },
  },
  {
    name: 'what came with Node 20 or later: the Electron that tests fall back to has Node 18',
    found: (text) =>
      /\bAbortSignal\.any\(|\bPromise\.withResolvers\b|\b(?:Object|Map)\.groupBy\(|\.to(?:Sorted|Reversed|Spliced)\(/.test(
        text,
      ),
    allowed: {},
  },
];

function sources(): string[] {
  return readdirSync(electron, { recursive: true, withFileTypes: true })
    .filter(({ name }) => name.endsWith('.ts') && !name.endsWith('.test.ts'))
    .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
    .filter((path) => !path.includes(`${sep}testing${sep}`));
}

it.each(PATTERNS)('nothing outside base/ is $name', ({ found, allowed }) => {
  const files = sources()
    .filter((path) => found(readFileSync(path, 'utf8')))
    .map((path) => relative(electron, path).split(sep).join('/'));
  expect(files.sort()).toEqual(Object.keys(allowed).sort());
});

it.each([
  ['const next = this.#turn.then(work);\nthis.#turn = next.catch(over);', 0],
  ['this.last = this.last\n  .then(work);', 0],
  ['text.replaceAll("\'", quote)', 1],
  ['Math.min(LONGEST, FIRST * 2 ** failures)', 2],
  ['await writeFile(draft, text);\nawait rename(draft, path);', 3],
  ['const stopping = AbortSignal.any([one, other]);', PATTERNS.length - 1],
  ['const sorted = names.toSorted();', PATTERNS.length - 1],
])('%j is found', (text, pattern) => {
  expect(PATTERNS[pattern]?.found(text)).toBe(true);
});
