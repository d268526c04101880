#!/usr/bin/env node
// Builds the demo's corpus and its key from the documentation of MIT-licensed npm packages.
//
//   node resources/demo/corpus/build.mjs <node_modules> <demo folder>
//
// The output is committed; this program is kept so that anyone can see how every row was made and labelled. It
// knows the Markdown structure, the file and its language, and compares whole texts by shingles. The filter that
// solves the task sees none of that: only one line of text per row. README.md beside this file states the rules.
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [modules, demo] = process.argv.slice(2);
if (!modules || !demo) throw new Error('Usage: build.mjs <node_modules> <demo folder>');

const README_PACKAGES = 104;
const LICENCE_PACKAGES = 62;
const BLOCKS_PER_FILE = 18;
const MIN_WORDS = 12;
/** From this many words on, a clause that ends with a colon counts as a sentence. */
const LONG_CLAUSE = 25;
const SHINGLE = 4;
const SAME = 0.6;

const sha = (text) => createHash('sha256').update(text).digest('hex');

/** Packages whose whole licence is MIT (or that may be used under it), in an order that no one chose. */
function mitPackages() {
  const names = readdirSync(modules).flatMap((name) => {
    if (name.startsWith('.')) return [];
    return name.startsWith('@') ? readdirSync(join(modules, name)).map((sub) => `${name}/${sub}`) : [name];
  });
  return names
    .filter((name) => existsSync(join(modules, name, 'package.json')))
    .map((name) => ({ name, ...JSON.parse(readFileSync(join(modules, name, 'package.json'), 'utf8')) }))
    .filter(({ license }) => license === 'MIT' || license === 'MIT OR Apache-2.0')
    .map(({ name, version }) => {
      const files = readdirSync(join(modules, name)).filter((f) => statSync(join(modules, name, f)).isFile());
      return {
        name,
        version,
        readme: files.find((f) => /^readme\.(md|markdown)$/i.test(f)),
        translations: files.filter((f) => /^readme[.-][a-z]{2}(-[a-z]{2})?\.md$/i.test(f)).sort(),
        licence: files.find((f) => /^licen[cs]e(-mit)?(\.md|\.txt)?$/i.test(f)),
      };
    })
    .filter(({ licence }) => licence)
    .sort((a, b) => (sha(a.name) < sha(b.name) ? -1 : 1));
}

/** Splits Markdown into blocks: {kind, text}. One line of a list or table is one block. */
function blocks(markdown) {
  const out = [];
  let paragraph = [];
  let fence = null;
  const flush = () => {
    if (paragraph.length > 0) out.push({ kind: kindOf(paragraph.join('\n')), text: paragraph.join(' ') });
    paragraph = [];
  };
  for (const line of markdown.replace(/\r\n?/g, '\n').replace(/<!--[\s\S]*?-->/g, '').split('\n')) {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    if (fence) {
      if (mark && mark.startsWith(fence)) {
        out.push({ kind: 'code', text: paragraph.join(' ') });
        paragraph = [];
        fence = null;
      } else paragraph.push(line);
      continue;
    }
    if (mark) {
      flush();
      fence = mark.slice(0, 3);
      continue;
    }
    if (line.trim() === '') flush();
    else if (/^#{1,6}\s/.test(line)) {
      flush();
      out.push({ kind: 'heading', text: line });
    } else if (/^(=+|-{3,})\s*$/.test(line)) {
      if (paragraph.length === 1) out.push({ kind: 'heading', text: paragraph[0] });
      paragraph = [];
    } else if (/^\s*\|/.test(line)) {
      flush();
      if (!/^[\s|:-]+$/.test(line)) out.push({ kind: 'table', text: line });
    } else if (/^\s*([-*+]|\d+[.)])\s/.test(line)) {
      flush();
      paragraph.push(line);
    } else paragraph.push(line);
  }
  flush();
  return out
    .map(({ kind, text }) => ({ kind, text: withoutBadgeQuery(text.replace(/[\s\u00a0]+/g, ' ').trim()) }))
    .filter(({ text }) => text !== '' && text.length <= 2000);
}

function kindOf(text) {
  if (/^( {4}|\t)/.test(text)) return 'code';
  if (/^\s*([-*+]|\d+[.)])\s/.test(text)) return 'list';
  if (/^\s*<\/?[a-z]/i.test(text)) return 'html';
  if (/^\s*\[[^\]]+\]:\s/.test(text)) return 'link';
  return 'paragraph';
}

/** The words a reader reads: images, link targets, tags and code spans do not count. */
function words(text) {
  return text
    .replace(/!\[[^\]]*\](\([^)]*\)|\[[^\]]*\])/g, ' ')
    .replace(/\[([^\]]*)\](\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/https?:\S+/g, ' ')
    .replace(/<[^>]*>/g, ' ')
    .replace(/`[^`]*`/g, ' ')
    .match(/[A-Za-z][A-Za-z'’-]*/g) ?? [];
}

function shingles(text) {
  const plain = words(text).map((word) => word.toLowerCase().replace(/[^a-z]/g, ''));
  const set = new Set();
  for (let i = 0; i + SHINGLE <= plain.length; i += 1) set.add(plain.slice(i, i + SHINGLE).join(' '));
  return set;
}

function jaccard(a, b) {
  let both = 0;
  for (const item of a) if (b.has(item)) both += 1;
  return both / (a.size + b.size - both || 1);
}

/** Prose of its own: a paragraph or licence clause in English with a whole sentence in it. */
function isProse({ kind, text, language }) {
  if (kind !== 'paragraph' || language !== 'en') return 'no: ' + (language === 'en' ? kind : 'not English');
  if (words(text).length < MIN_WORDS) return 'no: short';
  const clause = words(text).length >= LONG_CLAUSE && /:$/.test(text);
  if (!clause && !/[.!?]["'”’)*_]*(\s|$)/.test(text)) return 'no: no sentence';
  return 'yes';
}

function collect(packages) {
  const rows = [];
  const used = new Map();
  const take = (pkg, file, language, limit) => {
    if (!file) return;
    const found = blocks(readFileSync(join(modules, pkg.name, file), 'utf8'));
    // Spread over the whole file, so that a long manual does not drown the rest.
    const step = Math.max(1, found.length / limit);
    for (let i = 0; i < found.length; i += step) {
      const block = found[Math.floor(i)];
      rows.push({ package: pkg.name, file, language, ...block });
    }
    used.set(pkg.name, pkg.version);
  };
  const withReadme = packages.filter((pkg) => pkg.readme).slice(0, README_PACKAGES);
  for (const pkg of withReadme) take(pkg, pkg.readme, 'en', BLOCKS_PER_FILE);
  for (const pkg of packages.slice(0, LICENCE_PACKAGES)) take(pkg, pkg.licence, 'en', 20);
  for (const pkg of packages) for (const file of pkg.translations) take(pkg, file, file, 12);
  // One order for all, that has nothing to do with package or kind.
  const ordered = rows
    .map((row, i) => ({ ...row, order: sha(`${row.package}\0${row.file}\0${i}`) }))
    .sort((a, b) => (a.order < b.order ? -1 : 1));
  return { rows: ordered.map((row, i) => ({ ...row, id: `p${String(i + 1).padStart(4, '0')}` })), used };
}

/** Hand-made decisions: first 16 digits of sha256 of the text, keep or drop, why. */
function decisions() {
  const path = join(demo, 'corpus/decisions.tsv');
  if (!existsSync(path)) return new Map();
  const lines = readFileSync(path, 'utf8').split('\n').filter((line) => line && !line.startsWith('#'));
  return new Map(lines.map((line) => line.split('\t')).map(([key, verdict]) => [key, verdict]));
}

const packages = mitPackages();
const { rows, used } = collect(packages);
const byHand = decisions();
const kept = [];
for (const row of rows) {
  const hand = byHand.get(sha(row.text).slice(0, 16));
  row.why = hand ? `${hand === 'keep' ? 'yes' : 'no'}: by hand` : isProse(row);
  if (!row.why.startsWith('yes')) continue;
  row.set = shingles(row.text);
  const twin = kept.find((other) => jaccard(row.set, other.set) >= SAME);
  if (twin) row.why = `no: repeats ${twin.id}`;
  else kept.push(row);
}

mkdirSync(join(demo, 'task/data/datasets'), { recursive: true });
mkdirSync(join(demo, 'task/evaluation'), { recursive: true });
const tsv = (list) => `${list.join('\n')}\n`;
writeFileSync(
  join(demo, 'task/data/datasets/paragraphs.tsv'),
  tsv(rows.map((row) => `${row.id}\t${row.package}\t${row.text}`)),
);
writeFileSync(
  join(demo, 'task/evaluation/key.tsv'),
  tsv(rows.map((row) => `${row.id}\t${row.why.startsWith('yes') ? 'keep' : 'drop'}\t${row.why}`)),
);
const counts = new Map();
for (const row of rows) {
  const reason = row.why.replace(/repeats .*/, 'repeats');
  counts.set(reason, (counts.get(reason) ?? 0) + 1);
}
const sources = [...used].sort().map(([name, version]) => [name, version, noticeOf(name)]);
writeFileSync(join(demo, 'corpus/sources.tsv'), tsv(sources.map((source) => source.join('\t'))));
writeFileSync(join(demo, 'task/LICENCE-NOTES.md'), licenceNotes(sources));
process.stdout.write(`${rows.length} rows: ${JSON.stringify([...counts].sort((a, b) => b[1] - a[1]))}\n`);

function noticeOf(name) {
  const { licence } = packages.find((pkg) => pkg.name === name) ?? {};
  const text = readFileSync(join(modules, name, licence), 'utf8');
  const lines = text.split(/\r?\n/).filter((line) => /^\s*(copyright\b|\(c\)|©)/i.test(line) && !/copyright notice/i.test(line));
  return lines.map((line) => line.trim()).join('; ') || 'no copyright line in its licence file';
}

/** The notices that MIT asks to keep with copies of the text. */
function licenceNotes(list) {
  const mit = readFileSync(join(modules, 'zod', 'LICENSE'), 'utf8').trim().split('\n').slice(4).join('\n');
  return `# Licence notes

The rows of \`data/datasets/paragraphs.tsv\` are blocks of the README and licence files of the npm packages below. All
of them are under the MIT licence (\`@biomejs/biome\`: MIT or Apache-2.0, used under MIT). The evaluator, the
key and the scripts of this package are part of Waymark and under its licence.

| package | version | notice |
|---|---|---|
${list.map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`).join('\n')}

## The MIT licence

${mit}
`;
}

/** A dynamic badge asks a third server; the question is no text anybody reads. */
function withoutBadgeQuery(text) {
  return text.replace(/(\/badge\/dynamic\/json)\?url=[^)]*/g, '$1');
}
