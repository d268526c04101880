import type { SessionHit } from '@shared/contract/search/views';
import { visibleText } from '@shared/terminal/visible-text';
import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../components/Button';
import { useText } from '../../text/language';
import { searchSessions, useSessionSearch } from './sessions-search';
import { showMoment, useShown } from './sessions-shown';

const typingPauseMs = 200;
/** Characters kept before what was found, so that it is in view however narrow the list is. */
const lead = 16;

/** Search through what every session of the run has printed; a line that is chosen shows its terminal as it was there. */
export function SessionSearch({ run, onClose }: { run: string; onClose: () => void }) {
  const words = useText().terminals;
  const { query, hits, truncated, answered } = useSessionSearch();
  const moment = useShown((state) => state.moment);
  const [typed, setTyped] = useState(query);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => input.current?.focus(), []);
  useEffect(() => {
    if (typed === useSessionSearch.getState().query) return;
    const timer = setTimeout(() => searchSessions(run, typed), typingPauseMs);
    return () => clearTimeout(timer);
  }, [typed, run]);
  const status =
    query === ''
      ? ''
      : !answered
        ? words.searching
        : hits.length === 0
          ? words.searchNone(query)
          : words.searchHits(hits.length, truncated);
  return (
    <search className="session-search">
      <div className="session-search-field">
        <input
          ref={input}
          type="text"
          className="field"
          aria-label={words.searchLabel}
          placeholder={words.searchPlaceholder}
          value={typed}
          spellCheck={false}
          onChange={(event) => setTyped(event.target.value)}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return;
            event.preventDefault();
            event.stopPropagation();
            onClose();
          }}
        />
        <IconButton icon="close" small label={words.searchClose} onClick={onClose} />
      </div>
      <p className="session-search-status text-11 quiet" aria-live="polite">
        {status}
      </p>
      <ol className="session-search-hits">
        {hits.map((hit) => (
          <Hit
            key={`${hit.uid}/${hit.offset}/${hit.endOffset}`}
            hit={hit}
            chosen={moment?.uid === hit.uid && moment.until === hit.endOffset}
          />
        ))}
      </ol>
    </search>
  );
}

function shortened(before: string): string {
  return before.length > lead ? `…${before.slice(-lead)}` : before;
}

function Hit({ hit, chosen }: { hit: SessionHit; chosen: boolean }) {
  // Between U+0001 and U+0002 stands what was looked for.
  const [before = '', rest = ''] = hit.line.split('\u0001');
  const [found = '', after = ''] = rest.split('\u0002');
  return (
    <li>
      <button
        type="button"
        className="session-hit"
        aria-current={chosen ? 'true' : undefined}
        onClick={() => showMoment(hit.uid, hit.endOffset)}
      >
        <span className="text-11 quiet cut">{`${hit.computer}:${hit.session}`}</span>
        <span className="mono-11 session-hit-line">
          {shortened(visibleText(before).trimStart())}
          <mark>{visibleText(found)}</mark>
          {visibleText(after)}
        </span>
      </button>
    </li>
  );
}
