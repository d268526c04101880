import { posix } from 'node:path';
import { counted } from '@shared/base/amounts';
import { boundText, cutLine } from '@shared/base/bounded-text';
import { WaymarkError } from '@shared/contract/errors';
import picomatch from 'picomatch';
import { FileError } from '../../computer/failures';
import type { WalkEntry } from '../../computer/port';
import { type ActionDefinition, type ActionEnvironment, done, failed } from '../action';
import { decodeFile } from '../text-file';

/** Figures of the reference: what is shown of a result that has more. */
const shownInFile = 50;
const shownInFolder = 100;
const shownNames = 50;
const maxFiles = 5000;
const maxEntries = 50_000;
const maxSearchBytes = 2 * 1024 * 1024;
const maxTotalBytes = 256 * 1024 * 1024;
const maxHitLine = 400;
const narrower = 'search for something longer, or in a smaller folder';

/** The workspace, as the paper's tools name it. */
const here = '.';

const whereParam = (name: string) => ({
  name,
  type: 'string' as const,
  default: here,
  absent: [here, './'],
  note: 'Whole path of the folder; `.` is the workspace.',
});

async function folder(env: ActionEnvironment, argument: string | undefined): Promise<string> {
  const path =
    argument === undefined || argument === here
      ? env.task.workspaceRoot
      : await env.files.resolve(argument, 'read');
  const stat = await env.files.port.stat(path);
  if (stat?.kind === 'directory') return path;
  throw new WaymarkError(
    stat ? 'bad_input' : 'not_found',
    stat ? `${path} is not a folder.` : `There is no folder ${path}.`,
  );
}

const moreOf = (shown: number, total: number) => (total > shown ? ` The first ${shown} are shown.` : '');

/** Lines of one file that contain a text. */
export const searchFile: ActionDefinition = {
  name: 'search_file',
  family: 'file',
  description: 'Finds exact text in a file (default: the current one).',
  params: [
    { name: 'search_term', type: 'string', required: true, note: 'Text to find.' },
    {
      name: 'file_path',
      type: 'string',
      note: 'Whole path of the file; left out: the current one.',
    },
  ],
  async run(args, env) {
    const argument = args.optionalText('file_path') ?? env.facts.currentFile?.path;
    if (argument === undefined)
      return failed('refused', 'No file is open. Give file_path, or open one first.');
    const path = await env.files.resolve(argument, 'read');
    const read = await env.files.readText(path);
    const term = args.text('search_term');
    const hits: number[] = [];
    for (const [i, line] of read.file.lines.entries()) if (line.includes(term)) hits.push(i + 1);
    const shown = hits.slice(0, shownInFile);
    const data = {
      path,
      query: term,
      where: path,
      hits: hits.length,
      totalLines: read.file.lines.length,
      hitLines: shown,
    };
    if (hits.length === 0) return done(`No line of ${env.files.label(path)} contains "${term}".`, data);
    const rows = shown.map((line) => `${line}|${cutLine(read.file.lines[line - 1] ?? '', maxHitLine)}`);
    const found = `${counted(hits.length, 'line')} of ${env.files.label(path)} ${hits.length === 1 ? 'contains' : 'contain'} "${term}".`;
    return done(boundText([found + moreOf(shown.length, hits.length), ...rows].join('\n'), narrower), data);
  },
};

/** Lines that contain a text, in all text files of a folder. */
export const searchDir: ActionDefinition = {
  name: 'search_dir',
  family: 'file',
  description: 'Finds exact text in the files under a folder.',
  params: [
    { name: 'search_term', type: 'string', required: true, note: 'Text to find.' },
    whereParam('dir_path'),
  ],
  async run(args, env, context) {
    const root = await folder(env, args.optionalText('dir_path'));
    const term = args.text('search_term');
    const walked = await env.files.port.walk(root, { hidden: false, maxEntries, signal: context.signal });
    const files = walked.entries.filter((entry) => entry.kind === 'file');
    const searched = await searchAll(env, files, term, context.signal);
    const { rows, hits, inFiles, skipped } = searched;
    const left = [
      ...(skipped > 0 ? [`${counted(skipped, 'large or unreadable file')} skipped`] : []),
      ...(walked.truncated || searched.stopped ? ['the folder is too large to search completely'] : []),
    ];
    const note = left.length > 0 ? ` (${left.join('; ')})` : '';
    const data = { query: term, where: root, hits, files: inFiles, partial: left.length > 0 };
    if (hits === 0)
      return done(
        `No file in ${env.files.label(root)} contains "${term}"${note}. Hidden files were not searched.`,
        { ...data, shown: [] },
      );
    const found = `"${term}" is on ${counted(hits, 'line')} of ${counted(inFiles, 'file')} in ${env.files.label(root)}${note}.`;
    const lines = rows.map(({ path, line }) => `${path}:${line}`);
    const text = boundText([found + moreOf(rows.length, hits), ...lines].join('\n'), narrower);
    return done(text, { ...data, shown: shownFiles(rows, lines, text) });
  },
};

interface Row {
  path: string;
  /** Its number and what stands in it. */
  line: string;
}

/** The files of which the agent reads a line: those in the middle of a long result are left out. */
function shownFiles(rows: readonly Row[], lines: readonly string[], text: string): string[] {
  const printed = `${text}\n`;
  return [
    ...new Set(rows.flatMap(({ path }, i) => (printed.includes(`\n${lines[i] ?? ''}\n`) ? [path] : []))),
  ];
}

async function searchAll(env: ActionEnvironment, files: WalkEntry[], term: string, signal: AbortSignal) {
  const rows: Row[] = [];
  let hits = 0;
  let inFiles = 0;
  let skipped = 0;
  let bytesRead = 0;
  let stopped = files.length > maxFiles;
  for (const entry of files.slice(0, maxFiles)) {
    signal.throwIfAborted();
    if (bytesRead > maxTotalBytes) {
      stopped = true;
      break;
    }
    if (entry.size > maxSearchBytes) {
      skipped += 1;
      continue;
    }
    const bytes = await readIfThere(env, entry.path);
    if (bytes === undefined) {
      skipped += 1;
      continue;
    }
    bytesRead += bytes.length;
    const decoded = decodeFile(bytes);
    if (decoded.kind === 'binary') continue;
    const before = hits;
    for (const [i, line] of decoded.file.lines.entries()) {
      if (!line.includes(term)) continue;
      hits += 1;
      if (rows.length < shownInFolder)
        rows.push({ path: entry.path, line: `${i + 1}|${cutLine(line, maxHitLine)}` });
    }
    if (hits > before) inFiles += 1;
  }
  return { rows, hits, inFiles, skipped, stopped };
}

async function readIfThere(env: ActionEnvironment, path: string): Promise<Uint8Array | undefined> {
  try {
    return (await env.files.port.read(path, { maxBytes: maxSearchBytes })).bytes;
  } catch (error) {
    // Files come, go and may be private while a search runs; they are counted as left out.
    if (error instanceof FileError) return undefined;
    throw error;
  }
}

/**
 * By a part of the name, or by a pattern: of the whole name, or with a `/` of the path below `root`. A name that holds the
 * very characters of a pattern is found by them as well.
 */
function nameMatcher(name: string, root: string): (path: string) => boolean {
  const contains = (path: string) => posix.basename(path).includes(name);
  if (!/[*?[{]/.test(name)) return contains;
  const wanted = name.replace(/^\.?\//, '');
  const matches = picomatch(wanted, { strictBrackets: false });
  const subject = wanted.includes('/')
    ? (path: string) => posix.relative(root, path)
    : (path: string) => posix.basename(path);
  return (path) => matches(subject(path)) || contains(path);
}

/** Files whose name contains a text or fits a pattern. */
export const findFile: ActionDefinition = {
  name: 'find_file',
  family: 'file',
  description: `Finds files under a folder by part of their name or a pattern such as *.py.`,
  params: [
    { name: 'file_name', type: 'string', required: true, note: 'Part of the name, or a pattern.' },
    whereParam('dir_path'),
  ],
  async run(args, env, context) {
    const root = await folder(env, args.optionalText('dir_path'));
    const name = args.text('file_name');
    const walked = await env.files.port.walk(root, { hidden: false, maxEntries, signal: context.signal });
    const matches = nameMatcher(name, root);
    const found = walked.entries
      .filter((entry) => entry.kind !== 'directory' && matches(entry.path))
      .map((entry) => entry.path);
    const note = walked.truncated ? ' (the folder is too large to search completely)' : '';
    const data = { query: name, where: root, hits: found.length, partial: walked.truncated };
    if (found.length === 0) {
      return done(
        `No file under ${env.files.label(root)} has a name that matches "${name}"${note}. Hidden files were not searched.`,
        data,
      );
    }
    const lead = `${counted(found.length, 'file')} under ${env.files.label(root)} matching "${name}"${note}.`;
    return done(
      boundText(
        [lead + moreOf(shownNames, found.length), ...found.slice(0, shownNames)].join('\n'),
        narrower,
      ),
      data,
    );
  },
};

/** What a folder holds. */
export const listFiles: ActionDefinition = {
  name: 'list_files',
  family: 'file',
  description: 'Lists the contents of a folder.',
  params: [
    whereParam('path'),
    {
      name: 'show_hidden',
      type: 'boolean',
      default: false,
      note: 'Include names that start with a dot.',
    },
  ],
  async run(args, env) {
    const root = await folder(env, args.optionalText('path'));
    const entries = await env.files.port.list(root, { hidden: args.flag('show_hidden') });
    const folders = entries.filter((entry) => entry.kind === 'directory').map((entry) => `${entry.name}/`);
    const files = entries.filter((entry) => entry.kind !== 'directory').map((entry) => entry.name);
    const rest = [
      ...(folders.length > shownNames ? [`and ${folders.length - shownNames} more folders`] : []),
      ...(files.length > shownNames ? [`and ${files.length - shownNames} more files`] : []),
    ];
    return done(
      [
        `${env.files.label(root)}: ${counted(folders.length, 'folder')}, ${counted(files.length, 'file')}.`,
        ...folders.slice(0, shownNames),
        ...files.slice(0, shownNames),
        ...rest,
      ].join('\n'),
      { where: root, folders: folders.length, files: files.length },
    );
  },
};
