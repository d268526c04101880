import { posix } from 'node:path';
import { WaymarkError } from '@shared/errors';
import { FileError } from '../../computer/failures';
import type { WalkEntry } from '../../computer/port';
import { type ActionDefinition, type ActionEnvironment, counted, done, failed } from '../action';
import { boundText, cutLine } from '../bounded-text';
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

const whereParam = (name: string) => ({
  name,
  type: 'string' as const,
  description: 'Whole path of the folder; the workspace when left out.',
});

async function folder(env: ActionEnvironment, argument: string | undefined): Promise<string> {
  const path = argument === undefined ? env.task.workspaceRoot : await env.files.resolve(argument, 'read');
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
  description: `Finds the lines of a file that contain a text (exact, no pattern). Shows the first ${shownInFile}.`,
  params: [
    { name: 'search_term', type: 'string', required: true, description: 'Text to find.' },
    {
      name: 'file_path',
      type: 'string',
      description: 'Whole path of the file; the current file when left out.',
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
    return done(boundText([found + moreOf(shown.length, hits.length), ...rows].join('\n')), data);
  },
};

/** Lines that contain a text, in all text files of a folder. */
export const searchDir: ActionDefinition = {
  name: 'search_dir',
  family: 'file',
  description: `Finds a text (exact, no pattern) in the text files of a folder and its subfolders, hidden ones left out. Shows the first ${shownInFolder} lines.`,
  params: [
    { name: 'search_term', type: 'string', required: true, description: 'Text to find.' },
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
      ...(skipped > 0 ? [`${counted(skipped, 'large or unreadable file')} left out`] : []),
      ...(walked.truncated || searched.stopped ? ['the folder is too large to search it all'] : []),
    ];
    const note = left.length > 0 ? ` (${left.join('; ')})` : '';
    const data = { query: term, where: root, hits, files: inFiles, partial: left.length > 0 };
    if (hits === 0) return done(`No file in ${env.files.label(root)} contains "${term}"${note}.`, data);
    const found = `"${term}" is in ${counted(hits, 'line')} of ${counted(inFiles, 'file')} in ${env.files.label(root)}${note}.`;
    return done(boundText([found + moreOf(rows.length, hits), ...rows].join('\n')), data);
  },
};

async function searchAll(env: ActionEnvironment, files: WalkEntry[], term: string, signal: AbortSignal) {
  const rows: string[] = [];
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
      if (rows.length < shownInFolder) rows.push(`${entry.path}:${i + 1}|${cutLine(line, maxHitLine)}`);
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

/** Files and folders whose name contains a text. */
export const findFile: ActionDefinition = {
  name: 'find_file',
  family: 'file',
  description: `Finds files whose name contains a text, in a folder and its subfolders, hidden ones left out. Shows the first ${shownNames}.`,
  params: [
    { name: 'file_name', type: 'string', required: true, description: 'Part of the name.' },
    whereParam('dir_path'),
  ],
  async run(args, env, context) {
    const root = await folder(env, args.optionalText('dir_path'));
    const name = args.text('file_name');
    const walked = await env.files.port.walk(root, { hidden: false, maxEntries, signal: context.signal });
    const found = walked.entries
      .filter((entry) => entry.kind !== 'directory' && posix.basename(entry.path).includes(name))
      .map((entry) => entry.path);
    const note = walked.truncated ? ' (the folder is too large to search it all)' : '';
    const data = { query: name, where: root, hits: found.length, partial: walked.truncated };
    if (found.length === 0) {
      return done(`No file in ${env.files.label(root)} has "${name}" in its name${note}.`, data);
    }
    const lead = `${counted(found.length, 'file')} in ${env.files.label(root)} with "${name}" in the name${note}.`;
    return done(
      boundText([lead + moreOf(shownNames, found.length), ...found.slice(0, shownNames)].join('\n')),
      data,
    );
  },
};

/** What a folder holds. */
export const listFiles: ActionDefinition = {
  name: 'list_files',
  family: 'file',
  description: `Lists the folders and files in a folder, up to ${shownNames} of each.`,
  params: [
    whereParam('path'),
    {
      name: 'show_hidden',
      type: 'boolean',
      default: false,
      description: 'Also names that start with a dot.',
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
