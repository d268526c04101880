import { modelText } from '@shared/terminal/model-text';
import { visibleText } from '@shared/terminal/visible-text';
import { useEffect, useState } from 'react';
import { call, failureOf } from '../../api';
import type { Shown } from '../../state/sessions-shown';
import { idOf } from '../../state/sessions-shown';
import { toastFailure } from '../../state/toasts';

/** Raw bytes of a preview: a few lines, or a dozen on the wall. */
const previewBytes = { card: 4096, wall: 16_384 } as const;
const previewLines = { card: 3, wall: 12 } as const;

/** The last lines of a session's text: progress collapsed, escape sequences taken out, hidden characters written out. */
export function lastLines(bytes: Uint8Array, lines: number): string[] {
  return visibleText(modelText(bytes))
    .split('\n')
    .map((line) => line.trimEnd())
    .filter((line) => line !== '')
    .slice(-lines);
}

/** Keeps a small picture of what a terminal last printed; read again when it has grown. */
export function usePreview(shown: Shown, size: 'card' | 'wall'): string[] {
  const [lines, setLines] = useState<string[]>([]);
  const id = idOf(shown);
  const run = shown.kind === 'agent' ? shown.session.run : null;
  const endOffset = shown.kind === 'agent' ? shown.session.endOffset : shown.terminal.endOffset;
  useEffect(() => {
    let current = true;
    const page = { offset: Math.max(0, endOffset - previewBytes[size]), maxBytes: previewBytes[size] };
    const reading =
      run === null ? call('own.read', { id, ...page }) : call('sessions.read', { run, uid: id, ...page });
    reading.then(
      ({ bytes }) => {
        if (current) setLines(lastLines(bytes, previewLines[size]));
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
  }, [run, id, endOffset, size]);
  return lines;
}
