import type { ActionArguments, ActionDefinition, ActionEnvironment, ActionResult } from '../action';
import { counted, done, failed } from '../action';
import { type LineWindow, renderWindow, windowAround, windowBeside, windowSize } from '../line-window';
import { mainEnding } from '../text-file';
import type { ReadText } from '../workspace-files';

/** What is unusual about a file's bytes and matters for editing it. */
function oddities({ file }: ReadText): string {
  const found: string[] = [];
  if (file.encoding !== 'utf8') found.push(file.encoding === 'utf16le' ? 'UTF-16 LE' : 'UTF-16 BE');
  else if (file.bom) found.push('byte order mark');
  if (mainEnding(file) === '\r\n') found.push('CRLF line ends');
  if (file.endings.at(-1) === '') found.push('no line break at the end');
  if (file.damaged) found.push('some bytes are not valid text and are shown as \uFFFD');
  return found.length === 0 ? '' : ` (${found.join(', ')})`;
}

function shown(
  env: ActionEnvironment,
  read: ReadText,
  window: LineWindow,
  size: number,
  lead: string,
): ActionResult {
  const total = read.file.lines.length;
  const range = total === 0 ? 'no lines' : `lines ${window.startLine}-${window.endLine} of ${total}`;
  return done(
    `${lead}${env.files.label(read.path)}: ${range}${oddities(read)}\n${renderWindow(read.file.lines, window)}`,
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

/** Shows a file around a line and makes it the current one. */
export const openFile: ActionDefinition = {
  name: 'open_file',
  family: 'file',
  description: `Opens a text file and shows up to ${windowSize} numbered lines around a line. It becomes the current file for scrolling, going to a line and get_file_info.`,
  params: [
    { name: 'path', type: 'string', required: true, description: 'Whole path of the file.' },
    { name: 'line_number', type: 'integer', default: 1, min: 1, description: 'Line to show.' },
    {
      name: 'context_lines',
      type: 'integer',
      default: windowSize,
      min: 1,
      max: windowSize,
      clamp: true,
      description: 'How many lines to show.',
    },
  ],
  async run(args, env) {
    const path = await env.files.resolve(args.text('path'), 'read');
    const read = await env.files.readText(path);
    const line = args.number('line_number');
    const size = args.number('context_lines');
    return (
      lineProblem(read, line) ?? shown(env, read, windowAround(line, size, read.file.lines.length), size, '')
    );
  },
};

/** Shows the current file around another line. */
export const fileGotoLine: ActionDefinition = {
  name: 'file_goto_line',
  family: 'file',
  description: 'Shows the current file around a line.',
  params: [{ name: 'line_number', type: 'integer', required: true, min: 1, description: 'Line to show.' }],
  async run(args, env) {
    const current = env.facts.currentFile;
    if (!current) return noFile();
    const read = await env.files.readText(await env.files.resolve(current.path, 'read'));
    const line = args.number('line_number');
    const window = windowAround(line, windowSize, read.file.lines.length);
    return lineProblem(read, line) ?? shown(env, read, window, windowSize, '');
  },
};

async function scroll(env: ActionEnvironment, down: boolean): Promise<ActionResult> {
  const current = env.facts.currentFile;
  if (!current) return noFile();
  const read = await env.files.readText(await env.files.resolve(current.path, 'read'));
  const total = read.file.lines.length;
  const atEdge = down ? current.endLine >= total : current.startLine <= 1;
  const edge = down ? 'This was the end of the file already. ' : 'This was the start of the file already. ';
  const window = windowBeside(current, windowSize, total, down);
  return shown(env, read, window, windowSize, atEdge ? edge : '');
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
  description: 'Says which file is current, how long it is and which lines were shown last.',
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
