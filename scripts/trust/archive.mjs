import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { resourcesOf } from '../package-app.mjs';
import { projectRoot } from '../setup/project.mjs';
import { billName, billProblems } from './bill-of-materials.mjs';

/** All that may lie in the archive: folders with their kinds of files. */
const allowed = [
  /^package\.json$/,
  /^out\/(?:main|preload)\/package\.json$/,
  /^out\/main\/(?:main|cli|(?:writer|reader|regex|restore|import|merge|export|token)-worker|chunks\/[\w.-]+)\.js$/,
  /^out\/main\/code-cache\/[\w.-]+\/[\w.-]+\.js\.bin$/,
  /^out\/preload\/preload\.js$/,
  /^out\/renderer\/index\.html$/,
  /^out\/renderer\/assets\/[\w.-]+\.(?:js|css|woff2|ttf)$/,
  /^resources\/(?:agent|askpass|catalogue|checkpoint|demo|prompts|sessions)\/[\w./-]+$/,
  /^resources\/icons\/256x256\.png$/,
  /^node_modules\/better-sqlite3\/(?:package\.json|lib\/[\w./-]+\.js|prebuilds\/[\w.-]+\.node)$/,
];
/** Never, wherever it lies. */
const refused =
  /\.(?:map|ts|tsx|mts|pem|key|p12|pfx|env|log|db|sqlite)$|\.test\.|\.spec\.|(?:^|\/)(?:\.|__tests__|testing\/)/;
/** Beside the archive in the folder of resources. */
const besides = new Set(['app.asar', 'app.asar.unpacked', 'better_sqlite3.node', billName]);
/** What no text that goes out may hold. Put together, so that this file holds none. */
const contents = [
  ['a source map', /[#@] ?sourceMappingURL=data:/],
  ['a private key', new RegExp(`-----BEGIN [A-Z ]*PRIVATE ${'KEY'}-----\\s+[A-Za-z0-9+/=]{40}`)],
  [
    'a key',
    /\b(?:sk-(?:ant-|proj-)?[A-Za-z0-9_]{40,}|gh[pousr]_[A-Za-z0-9]{36}|AKIA[0-9A-Z]{16}|hf_[A-Za-z0-9]{34})\b/,
  ],
];
/**
 * The body of the one key that everybody has: ssh2 carries it in its source, to ask the runtime whether it knows Ed25519. In the
 * code cache it stands as the text that it is there.
 */
const published = 'MC4CAQAwBQYDK2VwBCIEIHKj+sVa9WcD/q2DJUJaf43Kptc8xYuUQA4bOFj9vC8T';
const mostFiles = 400;
/** Packages in the application, Electron among them; more of them is a decision, not an accident. */
const mostComponents = 100;

/**
 * What is wrong with the contents of a packed application: files that are no part of it, tests, source maps, keys, paths of the
 * machine that packed it, links, and a bill of materials that differs from the lock file.
 *
 * @param {string} executable of the packed application
 * @returns {Promise<{ problems: string[], files: number, components: number }>}
 */
export async function checkArchive(executable) {
  const resources = resourcesOf(executable);
  const { getRawHeader, extractFile } = (await import('@electron/asar')).default;
  const archive = join(resources, 'app.asar');
  const files = [...entriesOf(getRawHeader(archive).header)];
  const problems = archiveProblems(files);
  const read = ({ path, unpacked }) =>
    unpacked ? readFileSync(join(`${archive}.unpacked`, path)) : extractFile(archive, path);
  for (const file of files)
    if (file.link === undefined) problems.push(...contentProblems(file.path, read(file)));
  const unpacked = existsSync(`${archive}.unpacked`) ? [...filesBelow(`${archive}.unpacked`)] : [];
  const known = new Set(files.map(({ path }) => path));
  for (const path of unpacked)
    if (!known.has(path)) problems.push(`${path} is next to the archive but not in its list.`);
  for (const name of readdirSync(resources))
    if (!besides.has(name)) problems.push(`${name} is next to the archive.`);
  const bill = JSON.parse(readFileSync(join(resources, billName), 'utf8'));
  const { length } = bill.components;
  if (length > mostComponents) problems.push(`${length} packages are shipped, more than ${mostComponents}.`);
  return {
    problems: [...problems, ...billProblems(bill)],
    ...{ files: files.length, components: length },
  };
}

/**
 * @param {readonly { path: string, link?: string }[]} files
 * @returns {string[]}
 */
export function archiveProblems(files) {
  const problems = [];
  if (files.length > mostFiles)
    problems.push(`The archive holds ${files.length} files, more than ${mostFiles}.`);
  for (const { path, link } of files) {
    if (link !== undefined) problems.push(`${path} in the archive is a link.`);
    else if (refused.test(path) || !allowed.some((each) => each.test(path)))
      problems.push(`${path} is not part of the application.`);
  }
  return problems;
}

/**
 * @param {string} path
 * @param {Buffer} bytes
 * @returns {string[]}
 */
export function contentProblems(path, bytes) {
  const text = bytes.toString('latin1').replaceAll(published, '');
  const machine = [projectRoot, homedir()].filter(
    (each) => each.length > '/root'.length && text.includes(each),
  );
  return [
    ...contents.filter(([, pattern]) => pattern.test(text)).map(([what]) => `${path} holds ${what}.`),
    ...machine.map(() => `${path} holds a path of the machine that packed it.`),
  ];
}

function* entriesOf(folder, above = '') {
  for (const [name, entry] of Object.entries(folder.files)) {
    const path = above === '' ? name : `${above}/${name}`;
    if (entry.files !== undefined) yield* entriesOf(entry, path);
    else yield { path, link: entry.link, unpacked: entry.unpacked === true };
  }
}

function* filesBelow(root) {
  for (const name of readdirSync(root, { recursive: true }))
    if (!lstatSync(join(root, name)).isDirectory()) yield name.replaceAll('\\', '/');
}
