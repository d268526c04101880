import type { LineChange } from '@shared/base/line-diff';
import { lineChanges } from '@shared/base/line-diff';
import { useMemo, useState } from 'react';
import { useText } from '../../text/language';
import './prompt-changes.css';
import './prompt.css';

/** Lines of a change shown before it is asked for whole, and unchanged lines kept around it. */
const LINES = 80;
const AROUND = 3;

/** Two texts as one, by line: what differs is marked, and longer stretches that are alike are named by their length. */
export function ChangedLines({ before, after }: { before: string; after: string }) {
  const text = useText().prompt;
  const [whole, setWhole] = useState(false);
  const changes = useMemo(() => lineChanges(before, after), [before, after]);
  const lines = useMemo(() => visibleLines(changes), [changes]);
  const shown = whole ? lines : lines.slice(0, LINES);
  return (
    <>
      <pre className="prompt-text prompt-lines">
        {shown.map((line) =>
          line.kind === 'hidden' ? (
            <span key={line.key} className="prompt-hidden">
              {text.hiddenLines(line.count)}
            </span>
          ) : (
            <span key={line.key} className={`prompt-line-${line.kind}`}>
              {line.text === '' ? ' ' : line.text}
            </span>
          ),
        )}
      </pre>
      {shown.length < lines.length && (
        <button type="button" className="link" onClick={() => setWhole(true)}>
          {text.moreLines(lines.length - shown.length)}
        </button>
      )}
    </>
  );
}

type VisibleLine =
  | { kind: LineChange['kind']; key: string; text: string }
  | { kind: 'hidden'; key: string; count: number };

/** Changed lines with a few unchanged ones around them; longer unchanged stretches are one line. */
function visibleLines(changes: readonly LineChange[]): VisibleLine[] {
  return changes.flatMap(({ kind, lines }, at): VisibleLine[] => {
    const all = lines.map((text, index) => ({ kind, key: `${at} ${index}`, text }));
    const before = at === 0 ? 0 : AROUND;
    const after = at === changes.length - 1 ? 0 : AROUND;
    if (kind !== 'same' || lines.length <= before + after + 1) return all;
    const count = lines.length - before - after;
    return [
      ...all.slice(0, before),
      { kind: 'hidden', key: `${at} hidden`, count },
      ...all.slice(lines.length - after),
    ];
  });
}
