import { counted } from '@shared/base/amounts';
import { imageTypeName } from '@shared/log/image-part';
import {
  type ActionArguments,
  type ActionDefinition,
  type ActionEnvironment,
  type ActionResult,
  done,
  failed,
} from '../action';
import {
  fittingWindow,
  type LineWindow,
  renderWindow,
  windowAround,
  windowBeside,
  windowSize,
} from '../line-window';
import { mainEnding } from '../text-file';
import type { ReadImageFile, ReadText } from '../workspace-files';

/** What is unusual about a file's bytes and matters for editing it. */
function oddities({ file }: ReadText): string {
  const found: string[] = [];
  if (file.encoding !== 'utf8') found.push(file.encoding === 'utf16le' ? 'UTF-16 LE' : 'UTF-16 BE');
  else if (file.bom) found.push('byte order mark');
  if (mainEnding(file) === '\r\n') found.push('CRLF line endings');
  if (file.endings.at(-1) === '') found.push('no line break at the end');
  if (file.damaged) found.push('some bytes are not valid text and are shown as \uFFFD');
  return found.length === 0 ? '' : ` (${found.join(', ')})`;
}

/** `line`: what has to be seen of the window where not all of it has room. */
function shown(
  env: ActionEnvironment,
  read: ReadText,
  wanted: LineWindow,
  size: number,
  line: number,
): ActionResult {
  const total = read.file.lines.length;
  const window = total === 0 ? wanted : fittingWindow(read.file.lines, wanted, line);
  const range = total === 0 ? 'no lines' : `lines ${window.startLine}-${window.endLine} of ${total}`;
  return done(
    `${env.files.label(read.path)}: ${range}${oddities(read)}\n${renderWindow(read.file.lines, window)}`,
    {
      path: read.path,
      ...window,
      totalLines: total,
      sha256: read.sha256,
      window: true,
      windowSize: size,
      ...(env.task.nameComputer ? { computer: env.task.filesComputer } : {}),
    },
  );
}

/** The line as given, or a failure that names the file's range. */
function lineProblem(read: ReadText, line: number): ActionResult | null {
  const total = read.file.lines.length;
  if (line <= Math.max(1, total)) return null;
  return failed('bad_input', `There is no line ${line} in ${read.path}: it has ${counted(total, 'line')}.`, {
    path: read.path,
    totalLines: total,
  });
}

const noFile = () => failed('refused', 'No file is open. Open one with open_file first.');

/** The image stands in the message after this text; a model that takes none reads what it is. The current file stays. */
function shownImage(env: ActionEnvironment, read: ReadImageFile): ActionResult {
  const { path, header, bytes, sha256, size } = read;
  const { mediaType, width, height } = header;
  const name = env.files.label(path);
  const pixels = `${width.toLocaleString('en-US')} × ${height.toLocaleString('en-US')} pixels`;
  const what = `${imageTypeName(mediaType)} image, ${pixels}, ${counted(size, 'byte')}`;
  const data = {
    path,
    mediaType,
    width,
    height,
    size,
    sha256,
    ...(env.task.nameComputer ? { computer: env.task.filesComputer } : {}),
  };
  if (!env.takesImages()) {
    return failed(
      'unsupported',
      `${name} is an image (${what}), and you cannot see images in this run. Use run_command with a program that extracts what you need from it.`,
      data,
    );
  }
  const image = {
    name,
    mediaType,
    width,
    height,
    bytes: size,
    sha256,
    data: Buffer.from(bytes).toString('base64'),
  };
  return { ...done(`${name}: ${what}. It is shown in the message below.`, data), images: [image] };
}

/** Shows a file around a line and makes it the current one. */
export const openFile: ActionDefinition = {
  name: 'open_file',
  family: 'file',
  description: ({ images }) =>
    `Opens a text file as the current one and shows up to ${windowSize} lines around line_number${images ? ', or shows an image (PNG, JPEG, GIF, WebP)' : ''}.`,
  params: [
    { name: 'path', type: 'string', required: true, note: 'Whole path of the file.' },
    { name: 'line_number', type: 'integer', default: 1, min: 1, note: 'Line to show.' },
    {
      name: 'context_lines',
      type: 'integer',
      default: windowSize,
      min: 1,
      max: windowSize,
      clamp: true,
      note: 'How many lines.',
    },
  ],
  async run(args, env) {
    const path = await env.files.resolve(args.text('path'), 'read');
    const read = await env.files.readShown(path);
    if ('header' in read) return shownImage(env, read);
    const line = args.number('line_number');
    const size = args.number('context_lines');
    return (
      lineProblem(read, line) ??
      shown(env, read, windowAround(line, size, read.file.lines.length), size, line)
    );
  },
};

/** Shows the current file around another line. */
export const fileGotoLine: ActionDefinition = {
  name: 'file_goto_line',
  aliases: ['goto_line'],
  family: 'file',
  description: 'Shows the current file around a line.',
  params: [{ name: 'line_number', type: 'integer', required: true, min: 1, note: 'Line to show.' }],
  async run(args, env) {
    const current = env.facts.currentFile;
    if (!current) return noFile();
    const read = await env.files.readText(await env.files.resolve(current.path, 'read'));
    const line = args.number('line_number');
    const window = windowAround(line, windowSize, read.file.lines.length);
    return lineProblem(read, line) ?? shown(env, read, window, windowSize, line);
  },
};

async function scroll(env: ActionEnvironment, down: boolean): Promise<ActionResult> {
  const current = env.facts.currentFile;
  if (!current) return noFile();
  const read = await env.files.readText(await env.files.resolve(current.path, 'read'));
  const total = read.file.lines.length;
  const window = windowBeside(current, windowSize, total, down);
  if (window !== null) return shown(env, read, window, windowSize, down ? window.startLine : window.endLine);
  const edge = down ? `ends at line ${total}` : 'starts at line 1';
  return done(
    `Nothing more to show: ${env.files.label(read.path)} ${edge}, and lines ${current.startLine}-${current.endLine} were shown last.`,
    { path: read.path, totalLines: total },
  );
}

/** The next lines of the current file. */
export const fileScrollDown: ActionDefinition = {
  name: 'file_scroll_down',
  family: 'file',
  description: `Shows the next ${windowSize} lines of the current file.`,
  params: [],
  run: (_args: ActionArguments, env) => scroll(env, true),
};

/** The previous lines of the current file. */
export const fileScrollUp: ActionDefinition = {
  name: 'file_scroll_up',
  family: 'file',
  description: `Shows the previous ${windowSize} lines of the current file.`,
  params: [],
  run: (_args: ActionArguments, env) => scroll(env, false),
};

/** Where the agent stands in the current file. */
export const getFileInfo: ActionDefinition = {
  name: 'get_file_info',
  family: 'file',
  description: 'Shows the name and length of the current file and the lines shown last.',
  params: [],
  async run(_args, env) {
    const current = env.facts.currentFile;
    if (!current) return noFile();
    const read = await env.files.readText(await env.files.resolve(current.path, 'read'));
    const total = read.file.lines.length;
    return done(
      `Current file: ${env.files.label(read.path)}, ${counted(total, 'line')}, ${counted(read.size, 'byte')}${oddities(read)}. Shown last: lines ${current.startLine}-${current.endLine}.`,
      { path: read.path, totalLines: total, size: read.size, sha256: read.sha256 },
    );
  },
};
