import { visibleText } from '@shared/terminal/visible-text';
import { segmentOf, useSegments } from '../../state/run/segments';
import { useText } from '../../text/language';
import type { SearchRow } from './search-rows';

/** One result: where it stands, over the words around it. */
export function ResultRow({ row, before }: { row: SearchRow; before: SearchRow | undefined }) {
  const words = useText().search;
  const { list } = useSegments();
  switch (row.kind) {
    case 'run':
      return (
        <span className="result-head">
          <b className="cut">{row.title}</b>
          <span className="quiet tabular">{words.total(row.total)}</span>
        </span>
      );
    case 'terminals':
      return (
        <span className="result-head">
          <b>{words.terminals}</b>
          <span className="quiet tabular">{words.lines(row.total)}</span>
        </span>
      );
    case 'line':
      return (
        <span className="result">
          <span className="result-step cut text-11 quiet">{`${row.line.computer}:${row.line.session}`}</span>
          <span className="mono-11 cut">
            <Snippet text={visibleText(row.line.line)} />
          </span>
        </span>
      );
    case 'step': {
      const { hit } = row;
      if (hit === undefined) return <span className="result" aria-busy="true" />;
      const own = row.run === null && list.length > 1;
      const segment = own ? segmentOf(list, hit.step)?.segment : undefined;
      const previous = before?.kind === 'step' ? before.hit : undefined;
      const last = own && previous !== undefined ? segmentOf(list, previous.step)?.segment : undefined;
      return (
        <>
          {segment !== undefined && segment !== last && (before === undefined || previous !== undefined) && (
            <span className="result-segment text-11 quiet">{words.segment(segment)}</span>
          )}
          <span className="result">
            <span className="result-step mono-11 tabular quiet">{hit.step}</span>
            <span className="mono-12 cut">
              <Snippet text={hit.snippet} />
            </span>
            <span className="result-field text-11 quiet">{words.field(hit.field)}</span>
          </span>
        </>
      );
    }
  }
}

/** Characters kept before the first match, so that it is in view however narrow the list is. */
const LEAD = 24;

/** Text with its matches between U+0001 and U+0002, as text and marks. */
function Snippet({ text }: { text: string }) {
  let at = 0;
  return text.split(/[\u0001\u0002]/).map((part, index) => {
    const key = at;
    at += part.length + 1;
    if (index % 2 === 1) return <mark key={key}>{part}</mark>;
    const shown = index === 0 && part.length > LEAD ? `…${part.slice(-LEAD)}` : part;
    return <span key={key}>{shown}</span>;
  });
}
