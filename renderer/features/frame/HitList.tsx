import type { SearchHit } from '@shared/views';

const SHOWN = 40;

export interface HitListProps {
  hits: readonly SearchHit[];
  cursor: number;
  onChoose: (step: number) => void;
}

/** The matches under the search box, with the words around them. */
export function HitList({ hits, cursor, onChoose }: HitListProps) {
  return (
    <ol className="hitlist">
      {hits.slice(0, SHOWN).map((hit) => (
        <li key={`${hit.step}-${hit.field}`}>
          <button
            type="button"
            className="hit"
            aria-current={hit.step === cursor ? 'true' : undefined}
            onClick={() => onChoose(hit.step)}
          >
            <span className="mono-11 quiet hit-step">{hit.step}</span>
            <span className="mono-12 cut">{marked(hit.snippet)}</span>
          </button>
        </li>
      ))}
    </ol>
  );
}

/** Characters kept before the first match, so that it is in view however narrow the list is. */
const LEAD = 20;

/** The snippet with its matches between U+0001 and U+0002, as text and marks. */
function marked(snippet: string) {
  let at = 0;
  return snippet.split(/[\u0001\u0002]/).map((part, index) => {
    const key = at;
    at += part.length + 1;
    if (index % 2 === 1) return <mark key={key}>{part}</mark>;
    const text = index === 0 && part.length > LEAD ? `…${part.slice(-LEAD)}` : part;
    return <span key={key}>{text}</span>;
  });
}
