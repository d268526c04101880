import { useEffect, useState } from 'react';
import type { CodePiece } from './code-lines';
import { tokenised } from './code-lines';
import { legible } from './legible';

export interface CodeTextProps {
  text: string;
  language?: string | undefined;
  path?: string | undefined;
}

/** Code in four voices; in one until the grammar is there. */
export function CodeText({ text, language, path }: CodeTextProps) {
  const [done, setDone] = useState<{ text: string; lines: CodePiece[][] | null } | null>(null);
  useEffect(() => {
    let current = true;
    tokenised(text, { language, path }).then(
      (lines) => {
        if (current) setDone({ text, lines });
      },
      () => {
        // Without colours it is the same text.
        if (current) setDone({ text, lines: null });
      },
    );
    return () => {
      current = false;
    };
  }, [text, language, path]);
  return done?.text === text && done.lines !== null ? <CodeLines lines={done.lines} /> : legible(text);
}

export function CodeLines({ lines }: { lines: readonly (readonly CodePiece[])[] }) {
  return lines.map((pieces, line) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: the lines of one text never move
    <span key={line}>
      {line > 0 && '\n'}
      {pieces.map(({ text, voice }, at) =>
        voice === '' ? (
          legible(text)
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: nor do its pieces
          <span key={at} className={`code-${voice}`}>
            {legible(text)}
          </span>
        ),
      )}
    </span>
  ));
}
