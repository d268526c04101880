import { counted } from '@shared/base/amounts';
import { boundText } from '@shared/base/bounded-text';
import { WaymarkError } from '@shared/contract/errors';
import type { ActionContext } from '../../agent/ports';
import { FileError } from '../../computer/failures';
import { type ActionDefinition, type ActionEnvironment, type ActionResult, done, failed } from '../action';
import { numbered } from '../line-window';
import { type DecodedFile, encodeFile, replaceLines, splitLines, type TextFile, textOf } from '../text-file';
import { sha256, writtenRevision } from '../workspace-files';

/** Lines of the echo before and after a change, and of the removed and the new text. */
const contextLines = 3;
const maxRemoved = 20;
const maxAdded = 60;
const echoLimit = 8000;

interface Write {
  path: string;
  before: { sha256: string; decoded: DecodedFile } | null;
  file: TextFile;
  /** What is said once it is done; nothing of it depends on how the writing goes. */
  say(written: { sha256: string; size: number }): { text: string; data: Record<string, unknown> };
}

/** Writes and hands back the observation with its revision; a file that changed in between is left alone. */
async function write(
  env: ActionEnvironment,
  context: ActionContext,
  { path, before, file, say }: Write,
): Promise<ActionResult> {
  const bytes = encodeFile(file);
  const after = sha256(bytes);
  const where = { step: context.step, call: context.call, computer: env.task.filesComputer, path };
  const { text, data } = say({ sha256: after, size: bytes.length });
  const result = done(text, data, [writtenRevision(where, before, bytes, textOf(file))]);
  env.progress.writing = { path, before: before?.sha256 ?? null, after, bytes, result };
  return store(env);
}

/** Writes what was planned, if the file is still as it was; may be called again after the link broke. */
async function store(env: ActionEnvironment): Promise<ActionResult> {
  const { writing } = env.progress;
  if (writing === undefined) throw new WaymarkError('bug', 'Nothing was planned to be written.');
  const { path, before, bytes, result } = writing;
  try {
    await env.files.port.write(path, bytes, { expectSha256: before, mkdirs: true });
  } catch (error) {
    if (error instanceof FileError && error.reason === 'conflict') return conflict(path);
    throw error;
  }
  await env.tracker.wrote(path);
  return result;
}

/** The link broke: what was planned is there, or it is written now. Undefined when nothing was planned. */
async function goOn(env: ActionEnvironment): Promise<ActionResult | undefined> {
  const { writing } = env.progress;
  if (writing === undefined) return undefined;
  const now = await env.files.peek(writing.path);
  if (now?.sha256 !== writing.after) return store(env);
  await env.tracker.wrote(writing.path);
  return writing.result;
}

const conflict = (path: string) =>
  failed('conflict', `Not written: ${path} was changed by something else at the same time. Read it again.`, {
    path,
  });

/** Creates or replaces a whole file. */
export const createFile: ActionDefinition = {
  name: 'create_file',
  family: 'file',
  description: 'Writes a text file, replacing any existing one, and creates its folders.',
  params: [
    { name: 'filename', type: 'string', required: true, note: 'Whole path of the file.' },
    {
      name: 'content',
      type: 'string',
      required: true,
      lenient: true,
      emptyIsValue: true,
      note: 'The whole content; an empty file when omitted.',
    },
  ],
  async run(args, env, context) {
    const path = await env.files.resolve(args.text('filename'), 'change');
    const stat = await env.files.port.stat(path);
    if (stat && stat.kind !== 'file') {
      return failed(
        'bad_input',
        `Not written: ${path} is a ${stat.kind === 'directory' ? 'folder' : 'special file'}.`,
        { path },
      );
    }
    const before = (await env.files.peek(path)) ?? null;
    if (stat && !before) {
      return failed('refused', `Not written: ${path} is too large to be replaced by create_file.`, { path });
    }
    const content = args.text('content');
    const file: TextFile = { encoding: 'utf8', bom: false, damaged: false, ...splitLines(content) };
    const total = file.lines.length;
    const old =
      before === null
        ? ''
        : before.decoded.kind === 'text'
          ? ` It replaced a file of ${counted(before.decoded.file.lines.length, 'line')}.`
          : ' It replaced a file that was not text.';
    return write(env, context, {
      path,
      before,
      file,
      say: (written) => ({
        text: `${before === null ? 'Created' : 'Wrote'} ${env.files.label(path)} (${counted(total, 'line')}, ${counted(written.size, 'byte')}).${old}`,
        data: {
          path,
          startLine: 1,
          endLine: total,
          totalLines: total,
          created: before === null,
          sha256: written.sha256,
        },
      }),
    });
  },
  async look(args, env, context) {
    if (context.lookFor === 'link') return (await goOn(env)) ?? createFile.run(args, env, context);
    const path = await env.files.resolve(args.text('filename'), 'change');
    const content = args.text('content');
    const file: TextFile = { encoding: 'utf8', bom: false, damaged: false, ...splitLines(content) };
    const bytes = encodeFile(file);
    const now = await env.files.peek(path);
    if (now?.sha256 === sha256(bytes)) return wasDone(env, context, path, file, bytes);
    return notDone(env, path, now?.sha256 ?? null);
  },
};

/** The file holds what the lost write would have left. */
async function wasDone(
  env: ActionEnvironment,
  context: ActionContext,
  path: string,
  file: TextFile,
  bytes: Uint8Array,
): Promise<ActionResult> {
  await env.tracker.wrote(path);
  const where = { step: context.step, call: context.call, computer: env.task.filesComputer, path };
  const event = writtenRevision(where, null, bytes, textOf(file));
  const before = env.facts.files.get(path) ?? null;
  if (event.kind === 'file.changed') event.body.before = before;
  return done(
    `The application stopped during this action, but ${path} was written: it has the expected content.`,
    { path, totalLines: file.lines.length, sha256: sha256(bytes) },
    [event],
  );
}

function notDone(env: ActionEnvironment, path: string, now: string | null): ActionResult {
  const logged = env.facts.files.get(path);
  const data = { path };
  if (now === null || (logged !== undefined && logged === now)) {
    const what = now === null ? 'does not exist' : 'is unchanged';
    return failed(
      'cancelled',
      `The application stopped before this was written: ${path} ${what}. Repeat the call if you still want it.`,
      data,
    );
  }
  return {
    ...failed(
      'cancelled',
      `The application stopped during this action, and ${path} does not have the expected content. Look at the file before you continue.`,
      data,
    ),
    closedBy: 'interrupted',
  };
}

interface EditPlan {
  start: number;
  end: number;
  file: TextFile;
  added: number;
  removed: string[];
}

/** The edit of `file`, or why it cannot be done. */
function planEdit(
  file: TextFile,
  path: string,
  from: number,
  to: number,
  content: string,
): EditPlan | string {
  const total = file.lines.length;
  const has = `${path} has ${counted(total, 'line')}`;
  if (from > total + 1) {
    return `Not edited: ${has}; start must be at most ${total + 1} (which appends), not ${from}.`;
  }
  const append = from === total + 1;
  const end = to === -1 || append ? total : to;
  if (to !== -1 && !append && to > total)
    return `Not edited: ${has}; end must be at most ${total}, or -1 for the last line.`;
  if (!append && end < from)
    return `Not edited: end (${to}) is before start (${from}). Lines start to end are replaced, both included.`;
  const changed = replaceLines(file, from, end, content);
  return { start: from, end, ...changed, removed: file.lines.slice(from - 1, end) };
}

/** The new lines with their neighbours, and the lines that went. */
function echo(plan: EditPlan): { text: string; shownStart: number; shownEnd: number } {
  const total = plan.file.lines.length;
  const lastNew = plan.start + plan.added - 1;
  const shownStart = Math.max(1, plan.start - contextLines);
  const shownEnd = Math.min(total, lastNew + contextLines);
  const { lines } = plan.file;
  let now: string;
  if (plan.added > maxAdded) {
    const half = maxAdded / 2;
    now = [
      numbered(lines, shownStart, plan.start + half - 1),
      `(${plan.added - maxAdded} new lines not shown)`,
      numbered(lines, lastNew - half + 1, shownEnd),
    ].join('\n');
  } else now = shownEnd < shownStart ? '(the file is now empty)' : numbered(lines, shownStart, shownEnd);
  const removed =
    plan.removed.length === 0
      ? []
      : [
          'Removed:',
          numbered(
            [...Array<string>(plan.start - 1).fill(''), ...plan.removed.slice(0, maxRemoved)],
            plan.start,
            plan.start + Math.min(plan.removed.length, maxRemoved) - 1,
          ),
          ...(plan.removed.length > maxRemoved ? [`(and ${plan.removed.length - maxRemoved} more)`] : []),
        ];
  return {
    text: boundText([...removed, 'Now:', now].join('\n'), 'open_file shows the file', echoLimit),
    shownStart,
    shownEnd,
  };
}

/** Replaces a range of lines. */
export const editFile: ActionDefinition = {
  name: 'edit_file',
  aliases: ['file_edit'],
  family: 'file',
  description:
    'Replaces lines start to end (-1: the last) of a text file, both included. Empty content removes them; start = number of lines + 1 appends.',
  params: [
    { name: 'path', type: 'string', required: true, note: 'Whole path of the file.' },
    {
      name: 'start',
      aliases: ['start_line'],
      type: 'integer',
      default: 1,
      min: 1,
      note: 'First line to replace.',
    },
    {
      name: 'end',
      aliases: ['end_line'],
      type: 'integer',
      default: -1,
      min: -1,
      note: 'Last line to replace; -1 is the last of the file.',
    },
    { name: 'content', type: 'string', required: true, emptyIsValue: true, note: 'The new lines.' },
  ],
  async run(args, env, context) {
    const path = await env.files.resolve(args.text('path'), 'change');
    const read = await env.files.readText(path);
    if (read.file.damaged) {
      return failed(
        'refused',
        `Not edited: ${path} contains bytes that are not valid text, and an edit would destroy them. Use run_command.`,
        { path },
      );
    }
    const plan = planEdit(read.file, path, args.number('start'), args.number('end'), args.text('content'));
    const total = read.file.lines.length;
    if (typeof plan === 'string') return failed('bad_input', plan, { path, totalLines: total });
    const bytes = encodeFile(plan.file);
    const data = { path, totalLines: plan.file.lines.length, sha256: sha256(bytes) };
    if (sha256(bytes) === read.sha256) {
      return done(
        `Nothing changed: lines ${plan.start}-${plan.end} of ${path} already have this content.`,
        data,
      );
    }
    const before = { sha256: read.sha256, decoded: { kind: 'text' as const, file: read.file } };
    const shown = echo(plan);
    const added = counted(plan.added, 'line');
    const what =
      plan.removed.length === 0
        ? `Appended ${added} to ${env.files.label(path)}`
        : `Replaced lines ${plan.start}-${plan.end} of ${env.files.label(path)} with ${added}`;
    return write(env, context, {
      path,
      before,
      file: plan.file,
      say: () => ({
        text: `${what}; it now has ${counted(plan.file.lines.length, 'line')}.\n${shown.text}`,
        data: {
          ...data,
          startLine: plan.start,
          endLine: plan.start + plan.added - 1,
          shownStart: shown.shownStart,
          shownEnd: shown.shownEnd,
          removedLines: plan.removed.length,
          addedLines: plan.added,
        },
      }),
    });
  },
  async look(args, env, context) {
    if (context.lookFor === 'link') return (await goOn(env)) ?? editFile.run(args, env, context);
    const path = await env.files.resolve(args.text('path'), 'change');
    const now = await env.files.peek(path);
    if (now?.decoded.kind !== 'text') return notDone(env, path, now?.sha256 ?? null);
    if (now.sha256 === env.facts.files.get(path)) return notDone(env, path, now.sha256);
    // Without the content from before, the new lines in their place are the best proof there is.
    const fresh = splitLines(args.text('content').replaceAll('\r\n', '\n')).lines;
    const start = args.number('start');
    const there = now.decoded.file.lines.slice(start - 1, start - 1 + fresh.length);
    const proven =
      fresh.length > 0 && there.length === fresh.length && there.every((line, i) => line === fresh[i]);
    if (!proven || !env.facts.files.has(path)) return notDone(env, path, now.sha256);
    return wasDone(env, context, path, now.decoded.file, encodeFile(now.decoded.file));
  },
};
