import { createHash } from 'node:crypto';
import { posix } from 'node:path';
import { quotable } from '@shared/base/bounded-text';
import { type ImageHeader, imageTypeOf, readImage } from '@shared/context/image-header';
import { WaymarkError } from '@shared/contract/errors';
import type { EventBody, NewEvent } from '@shared/log/events';
import { joinShellPath } from '@shared/shell/shell-command';
import type { FileContent, FileSystemPort } from '../computer/port';
import type { ActionTaskView, ShownFolder } from './task-view';
import { type DecodedFile, decodeFile, type TextFile, textOf } from './text-file';

/** Largest file the file actions read whole, bytes. */
export const maxFileBytes = 16 * 1024 * 1024;
/** Longest text kept in a `file.changed` event, bytes of UTF-8. */
export const maxRecordedText = 1024 * 1024;

export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith('/') ? folder : `${folder}/`);
}

export const sha256 = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

/** Text for the log, or null when it is too long. */
export const recordedText = (text: string) => (Buffer.byteLength(text) <= maxRecordedText ? text : null);

export interface ReadText {
  path: string;
  file: TextFile;
  sha256: string;
  size: number;
}

/** An image file; its bytes are as they are. */
export interface ReadImageFile {
  path: string;
  header: ImageHeader;
  bytes: Uint8Array;
  sha256: string;
  size: number;
}

/** @throws WaymarkError bad_input */
function asText(path: string, content: FileContent): ReadText {
  const decoded = decodeFile(content.bytes);
  if (decoded.kind === 'binary') {
    throw new WaymarkError(
      'bad_input',
      `${path} is not a text file: ${decoded.why}. Use run_command with a program that knows the format.`,
    );
  }
  return { path, file: decoded.file, sha256: content.sha256, size: content.size };
}

/** The workspace as file actions see it: paths checked, texts decoded, revisions recorded. */
export class WorkspaceFiles {
  private realRoot: string | undefined;

  constructor(
    readonly port: FileSystemPort,
    private readonly task: ActionTaskView,
  ) {}

  /**
   * The absolute path an argument means. @throws WaymarkError refused: relative or outside the workspace (symbolic
   * links resolved; shown folders are read as it is) where the task's guards refuse that, or a change of a protected path
   */
  async resolve(argument: string, access: 'read' | 'change'): Promise<string> {
    const { guards, workspaceRoot } = this.task;
    if (!argument.startsWith('/') && guards.relative_path === 'refuse') {
      throw new WaymarkError(
        'refused',
        `"${quotable(argument)}" is a relative path. Give the absolute path, for example ${quotable(joinShellPath(workspaceRoot, argument))}.`,
      );
    }
    const path = joinShellPath(workspaceRoot, argument);
    const outside = guards.outside_workspace === 'refuse';
    const real = outside || access === 'change' ? await this.real(path) : path;
    this.realRoot ??= await this.real(workspaceRoot);
    const shown = access === 'read' ? this.task.shown.map((folder) => folder.path) : [];
    const named = [workspaceRoot, ...shown].some((folder) => isInside(path, folder));
    if (outside && !(named && (await this.leadsInto(real, [this.realRoot, ...shown])))) {
      const leads = named ? ` (a symbolic link points to ${quotable(real)})` : '';
      throw new WaymarkError(
        'refused',
        `${quotable(path)} is outside the workspace${leads}. Work inside ${workspaceRoot}.`,
      );
    }
    if (access === 'change') await this.checkProtected(path, real);
    return path;
  }

  /** `real` lies in one of the folders, their own links resolved. */
  private async leadsInto(real: string, folders: readonly string[]): Promise<boolean> {
    for (const folder of folders) if (isInside(real, await this.real(folder))) return true;
    return false;
  }

  private async checkProtected(path: string, real: string): Promise<void> {
    for (const own of this.task.protectedPaths) {
      if (isInside(path, own) || isInside(real, await this.real(own))) {
        throw new WaymarkError(
          'refused',
          `${quotable(path)} is protected in this task and cannot be changed. Put your version elsewhere in the workspace.`,
        );
      }
    }
  }

  /** Symbolic links resolved in the part of the path that exists. */
  private async real(path: string): Promise<string> {
    let existing = path;
    const missing: string[] = [];
    while (existing !== '/' && (await this.port.stat(existing)) === undefined) {
      missing.unshift(posix.basename(existing));
      existing = posix.dirname(existing);
    }
    return joinShellPath('', [await this.port.realpath(existing), ...missing].join('/'));
  }

  /** @throws WaymarkError for a path that is no text file the actions can show */
  async readText(path: string): Promise<ReadText> {
    return asText(path, await this.read(path));
  }

  /** A text, or an image by its first bytes. @throws WaymarkError for a path that is neither, or an image we do not take */
  async readShown(path: string): Promise<ReadText | ReadImageFile> {
    const content = await this.read(path);
    if (imageTypeOf(content.bytes) === null || decodeFile(content.bytes).kind === 'text') {
      return asText(path, content);
    }
    const { bytes, sha256, size } = content;
    const read = readImage(bytes);
    if (!read.ok) {
      throw new WaymarkError(
        'bad_input',
        `${path} cannot be shown as an image: ${read.why}. Use run_command with a program that knows the format.`,
      );
    }
    return { path, header: read.header, bytes, sha256, size };
  }

  private async read(path: string): Promise<FileContent> {
    const stat = await this.port.stat(path);
    if (stat?.kind === 'directory') {
      throw new WaymarkError('bad_input', `${path} is a folder. List it with list_files.`);
    }
    if (stat && stat.size > maxFileBytes) {
      throw new WaymarkError(
        'refused',
        `${path} has ${stat.size} bytes, more than the ${maxFileBytes} that file actions read. Use run_command with head, tail, sed -n or grep.`,
      );
    }
    if (!stat) throw new WaymarkError('not_found', `There is no file ${quotable(path)}.`);
    return this.port.read(path, { maxBytes: maxFileBytes });
  }

  /** What is there now, whatever it is; undefined when nothing is or when it is too large to read. */
  async peek(path: string): Promise<{ decoded: DecodedFile; sha256: string } | undefined> {
    const stat = await this.port.stat(path);
    if (stat?.kind !== 'file' || stat.size > maxFileBytes) return undefined;
    const content = await this.port.read(path, { maxBytes: maxFileBytes });
    return { decoded: decodeFile(content.bytes), sha256: content.sha256 };
  }

  /** Appends the computer's name to a path where the workspace is not shared. */
  label(path: string): string {
    return this.task.nameComputer ? `${path} on ${this.task.filesComputer}` : path;
  }
}

/** The revision of a file that an action wrote. */
export function writtenRevision(
  where: { step: number; call: number; computer: string; path: string },
  before: { sha256: string; decoded: DecodedFile } | null,
  bytes: Uint8Array,
  text: string,
): NewEvent {
  const body: EventBody<'file.changed'> = {
    ...where,
    before: before?.sha256 ?? null,
    after: sha256(bytes),
    size: bytes.length,
    beforeText: before?.decoded.kind === 'text' ? recordedText(textOf(before.decoded.file)) : null,
    text: recordedText(text),
    by: 'action',
  };
  return { kind: 'file.changed', body };
}

const changing = new Set(['create_file', 'edit_file']);

/** The shown folder that a path without `..` lies in. */
export function shownFolderOf(
  path: string,
  { shown }: Pick<ActionTaskView, 'shown'>,
): ShownFolder | undefined {
  return path.split('/').includes('..') ? undefined : shown.find((folder) => isInside(path, folder.path));
}

/** File actions read shown folders as the sessions do, and change nothing there: revisions are kept of the workspace alone. */
export function whyNotInShown(action: string, path: string, task: ActionTaskView): string | null {
  const folder = shownFolderOf(path, task);
  if (folder === undefined || !changing.has(action)) return null;
  return folder.write
    ? `${quotable(path)} is in ${folder.path}, where file actions can only read. Change it with run_command, or write inside ${task.workspaceRoot}.`
    : `${quotable(path)} is in ${folder.path}, which is read-only for you. Copy what you need into ${task.workspaceRoot}.`;
}
