import { useEffect, useMemo, useRef, useState } from 'react';
import { IconButton } from '../../components/Button';
import { TextField } from '../../components/Field';
import { PreviousNext } from '../../components/PreviousNext';
import { useText } from '../../text/language';
import { legible } from './legible';
import { around, findInText } from './text-find';

/** Searches one text of any length, and shows what stands around a hit. */
export function FindInText({ text, onClose }: { text: string; onClose: () => void }) {
  const words = useText();
  const own = words.rendering;
  const [query, setQuery] = useState('');
  const [at, setAt] = useState(0);
  const box = useRef<HTMLPreElement>(null);
  const hits = useMemo(() => findInText(text, query), [text, query]);
  const current = hits[Math.min(at, hits.length - 1)];
  const place = useMemo(
    () => (current === undefined ? null : around(text, current, query.length)),
    [text, current, query.length],
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: another hit is brought into view
  useEffect(() => {
    box.current?.querySelector('mark')?.scrollIntoView({ block: 'nearest' });
  }, [place]);
  const move = (by: 1 | -1) =>
    setAt((now) => (hits.length === 0 ? 0 : (now + by + hits.length) % hits.length));
  return (
    <div className="find-in-text">
      <search className="row">
        <TextField
          aria-label={own.find}
          placeholder={own.find}
          value={query}
          data-autofocus
          ref={(field: HTMLInputElement | null) => {
            if (field !== null && query === '') field.focus();
          }}
          onChange={(event) => {
            setQuery(event.target.value);
            setAt(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'Enter') move(event.shiftKey ? -1 : 1);
            if (event.key === 'Escape') {
              event.stopPropagation();
              onClose();
            }
          }}
        />
        <span className="text-12 quiet tabular" role="status">
          {query === ''
            ? ''
            : own.hits(hits.length === 0 ? 0 : Math.min(at, hits.length - 1) + 1, hits.length)}
        </span>
        <PreviousNext
          previous={own.previousHit}
          next={own.nextHit}
          atFirst={hits.length === 0}
          atLast={hits.length === 0}
          onMove={move}
        />
        <IconButton small icon="close" label={own.closeFind} onClick={onClose} />
      </search>
      {place !== null && (
        <>
          <p className="text-11 quiet">{own.atLine(words.common.format.count(place.line))}</p>
          <pre ref={box} className="code code-wrap find-around">
            {legible(place.before)}
            <mark>{legible(place.hit)}</mark>
            {legible(place.after)}
          </pre>
        </>
      )}
    </div>
  );
}
