import type { TerminalPage } from '@shared/contract/ipc/terminals';
import { modelText } from '@shared/terminal/model-text';
import { visibleText } from '@shared/terminal/visible-text';
import { useEffect, useState } from 'react';
import { call, failureOf } from '../../api';
import { toastFailure } from '../../state/toasts';
import type { Shown } from './sessions-shown';
import { idOf } from './sessions-shown';

/** Raw bytes of a preview: a few lines, or a dozen on the wall. */
const previewBytes = { card: 4096, wall: 16_384 } as const;
const previewLines = { card: 3, wall: 12 } as const;
/** What shows nothing, as a screen that was cleared, is looked behind up to this many raw bytes. */
const mostBytes = 256 * 1024;

/** The last lines of a session's text: progress collapsed, escape sequences taken out, hidden characters written out. */
export function lastLines(bytes: Uint8Array, lines: number): string[] {
  return visibleText(modelText(bytes))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-lines);
}

/** The last lines printed before `end`. `read`: a page of the log, which may be shorter than asked for. */
export async function linesBefore(
  read: (offset: number, maxBytes: number) => Promise<TerminalPage>,
  end: number,
  size: 'card' | 'wall',
): Promise<string[]> {
  for (let span: number = previewBytes[size]; ; span *= 8) {
    const from = Math.max(0, end - Math.min(span, mostBytes));
    const pages: Uint8Array[] = [];
    for (let at = from; at < end; ) {
      const page = await read(at, end - at);
      if (page.endOffset <= at) break;
      pages.push(page.bytes);
      at = page.endOffset;
    }
    const lines = lastLines(joined(pages), previewLines[size]);
    if (lines.length > 0 || from === 0 || span >= mostBytes) return lines;
  }
}

function joined(pages: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(pages.reduce((sum, page) => sum + page.length, 0));
  let at = 0;
  for (const page of pages) {
    bytes.set(page, at);
    at += page.length;
  }
  return bytes;
}

/** Keeps a small picture of what a terminal last printed, up to where it is shown; read again when that moves. */
export function usePreview(shown: Shown, size: 'card' | 'wall'): string[] {
  const [preview, setPreview] = useState<{ end: number; lines: string[] }>({ end: 0, lines: [] });
  const id = idOf(shown);
  const run = shown.kind === 'agent' ? shown.session.run : null;
  const end = shown.kind === 'agent' ? shown.session.endOffset : shown.terminal.endOffset;
  useEffect(() => {
    // What an own terminal prints is shown in its view and nowhere else.
    if (run === null) return;
    let current = true;
    const read = (offset: number, maxBytes: number) =>
      call('sessions.read', { run, uid: id, offset, maxBytes });
    linesBefore(read, end, size).then(
      (lines) => {
        if (current) setPreview({ end, lines });
      },
      (thrown: unknown) => {
        // A host that is away shows as such on the same card; one that was closed leaves the list.
        const { code } = failureOf(thrown);
        if (current && code !== 'computer_unavailable' && code !== 'not_found') toastFailure(thrown);
      },
    );
    return () => {
      current = false;
    };
  }, [run, id, end, size]);
  // At an earlier moment nothing later is shown, not even until that is read.
  return preview.end > end ? [] : preview.lines;
}
