import type { FileRevision } from '@shared/contract/file-views';
import { useEffect, useRef } from 'react';
import { moveCursor } from '../../state/run/timeline';
import { useText } from '../../text/language';
import { type Counts, nameOf } from './file-history';

export interface RevisionStripProps {
  revisions: readonly FileRevision[];
  counts: Counts;
  chosen: number;
  base: number;
  /** The content before the first change stands first. */
  withOriginal: boolean;
  onChoose: (revision: number) => void;
  onCompare: (revision: number) => void;
}

/**
 * One mark per revision, along the steps. Left and right choose the neighbour; with Shift, a click or Enter chooses what
 * is compared with; a double click goes to the step.
 */
export function RevisionStrip(props: RevisionStripProps) {
  const { revisions, counts, chosen, base, withOriginal, onChoose, onCompare } = props;
  const text = useText().files;
  const strip = useRef<HTMLFieldSetElement>(null);
  const numbers = [...(withOriginal ? [0] : []), ...revisions.map(({ revision }) => revision)];
  // biome-ignore lint/correctness/useExhaustiveDependencies: another choice is brought into view
  useEffect(() => {
    const mark = strip.current?.querySelector('[aria-pressed="true"]');
    mark?.scrollIntoView({ block: 'nearest', inline: 'nearest' });
    if (mark instanceof HTMLElement && strip.current?.contains(document.activeElement)) mark.focus();
  }, [chosen, revisions.length]);
  function onKeyDown(event: React.KeyboardEvent): void {
    const by = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0;
    if (by !== 0) {
      event.preventDefault();
      const next = numbers[numbers.indexOf(chosen) + by];
      if (next !== undefined) onChoose(next);
    } else if (event.key === 'Enter' && event.shiftKey) {
      event.preventDefault();
      const focused = Number((event.target as HTMLElement).dataset.revision);
      if (Number.isInteger(focused)) onCompare(focused);
    }
  }
  const tab = numbers.includes(chosen) ? chosen : numbers.at(-1);
  return (
    <fieldset ref={strip} className="revision-strip" aria-label={text.revisions} onKeyDown={onKeyDown}>
      {numbers.map((number) => {
        const each = revisions.find(({ revision }) => revision === number);
        const lines = counts.get(number);
        const change = lines == null ? '' : text.changed(lines.added, lines.removed);
        const name =
          each === undefined ? text.original : text.mark(number, each.step, each.by, wordsOf(each, text));
        return (
          <button
            key={number}
            type="button"
            aria-pressed={number === chosen}
            aria-label={[name, change, number === base ? text.isBase : ''].filter(Boolean).join(', ')}
            title={each === undefined ? text.original : `${name}\n${text.stripHelp}`}
            tabIndex={number === tab ? 0 : -1}
            data-revision={number}
            data-base={number === base}
            data-by={each?.by}
            data-gone={each !== undefined && each.after === null}
            data-inherited={each !== undefined && each.inheritedFrom !== null}
            onClick={(event) => (event.shiftKey ? onCompare(number) : onChoose(number))}
            onDoubleClick={() => each !== undefined && moveCursor(each.step)}
          >
            <span className="strip-line">
              <b className="tabular">{number}</b>
              {each !== undefined && <span className="quiet tabular">{text.step(each.step)}</span>}
              {each?.by === 'shell' && <span className="strip-shell">{text.shellMark}</span>}
            </span>
            <span className="tabular strip-change">
              {each === undefined ? text.original : wordsOf(each, text) || change || '·'}
            </span>
          </button>
        );
      })}
    </fieldset>
  );
}

/** What a revision did besides changing lines; '' = nothing. */
export function wordsOf(revision: FileRevision, text: ReturnType<typeof useText>['files']): string {
  if (revision.movedTo !== null) return text.movedTo(nameOf(revision.movedTo));
  if (revision.after === null) return text.deleted;
  if (revision.movedFrom !== null) return text.movedFrom(nameOf(revision.movedFrom));
  return revision.before === null ? text.created : '';
}
