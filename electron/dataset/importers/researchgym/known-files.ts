import { createHash } from 'node:crypto';
import type { EventBody } from '@shared/log/events';

/** Characters of texts that edits make, in one import: a long file that is edited often is many times itself. */
const mostEdited = 64 * 1024 * 1024;

type Change = EventBody<'file.changed'>;

/**
 * File contents as far as an imported log tells: a created file is known whole, and stays so through edits whose removed
 * lines are the ones we hold. Of any other change only the observation speaks.
 */
export class KnownFiles {
  private readonly texts = new Map<string, string>();
  private edited = 0;

  private edit(before: string | null, args: Parameters<typeof edited>[1], content: string): string | null {
    if (before === null || this.edited + before.length > mostEdited) return null;
    const text = edited(before, args, content);
    this.edited += text?.length ?? 0;
    return text;
  }

  /** The revision that a successful file action made; null when the log does not hold the content. */
  change(
    step: number,
    name: string,
    args: Record<string, string | number | boolean>,
    observed: Record<string, unknown>,
  ): Change | null {
    const path = String(observed.file_path ?? args.path ?? '');
    const content = typeof args.content === 'string' ? args.content : null;
    if (path === '' || content === null) return null;
    const before = this.texts.get(path) ?? null;
    const text =
      name === 'create_file' ? content : name === 'edit_file' ? this.edit(before, args, content) : null;
    if (text === null) {
      if (name === 'edit_file') this.texts.delete(path);
      return null;
    }
    this.texts.set(path, text);
    return {
      step,
      call: 0,
      computer: '',
      path,
      before: hashOf(before),
      after: hashOf(text),
      size: Buffer.byteLength(text),
      beforeText: before,
      text,
      by: 'action',
    };
  }
}

/** Lines `start..end` replaced, both counted from 1 and included. */
function edited(
  before: string | null,
  args: Record<string, string | number | boolean>,
  content: string,
): string | null {
  const start = Number(args.start ?? args.start_line);
  const end = Number(args.end ?? args.end_line);
  if (before === null || !Number.isInteger(start) || !Number.isInteger(end)) return null;
  const lines = before.split('\n');
  if (start < 1 || end < start || end > lines.length) return null;
  return [...lines.slice(0, start - 1), ...content.split('\n'), ...lines.slice(end)].join('\n');
}

function hashOf(text: string | null): string | null {
  return text === null ? null : createHash('sha256').update(text).digest('hex');
}
