import { fromLineStart, modelText } from '@shared/terminal/model-text';
import type { SessionView } from '@shared/views';
import { useEffect, useState } from 'react';
import { call } from '../../api';
import { toastFailure } from '../../state/toasts';

const previewBytes = 4096;
const previewLines = 3;

/** The last lines of a session's text, progress collapsed and escape sequences taken out. */
export function lastLines(bytes: Uint8Array, lines: number): string[] {
  return modelText(fromLineStart(bytes))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-lines);
}

/** Keeps a small picture of what a session last printed; read again when it has grown. */
export function usePreview(session: SessionView): string[] {
  const [lines, setLines] = useState<string[]>([]);
  const { run, uid, endOffset } = session;
  useEffect(() => {
    let current = true;
    const offset = Math.max(0, endOffset - previewBytes);
    call('sessions.read', { run, uid, offset, maxBytes: previewBytes }).then(
      (chunk) => {
        if (current) setLines(lastLines(chunk.bytes, previewLines));
      },
      (thrown: unknown) => {
        if (current) toastFailure(thrown);
      },
    );
    return () => {
      current = false;
    };
  }, [run, uid, endOffset]);
  return lines;
}
