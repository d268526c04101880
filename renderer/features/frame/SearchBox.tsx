import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { useCommand } from '../../state/commands';
import {
  clearSearch,
  nearestHit,
  placeOf,
  setQuery,
  stepThroughMatches,
  useSearch,
} from '../../state/search';
import { moveCursor, useTimeline } from '../../state/timeline';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { CommandKeys } from './CommandKeys';
import { HitList } from './HitList';

const TYPING_PAUSE_MS = 80;

/** Keyword search in the open run: `/` comes here, Enter goes to the first match, `n` and `N` to the others. */
export function SearchBox() {
  const text = useText();
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState(false);
  const run = useTimeline((state) => state.run);
  const cursor = useTimeline((state) => state.cursor);
  const { query, hits, total, behind, answered } = useSearch();

  useEffect(() => {
    if (typed === useSearch.getState().query) return;
    const timer = setTimeout(() => setQuery(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run, another search
  useEffect(() => {
    setTyped('');
    clearSearch();
  }, [run]);

  useCommand('app.search', () => {
    input.current?.focus();
    input.current?.select();
  });
  useCommand('match.next', () => (query === '' ? false : attempt(() => stepThroughMatches(1))));
  useCommand('match.previous', () => (query === '' ? false : attempt(() => stepThroughMatches(-1))));

  function leave(): void {
    setOpen(false);
    input.current?.blur();
    document.querySelector<HTMLElement>('[role="grid"]')?.focus();
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.key === 'Enter') {
      event.preventDefault();
      const hit = nearestHit(hits, cursor - 1, 1) ?? hits[0];
      if (hit !== undefined) moveCursor(hit.step);
      leave();
    } else if (event.key === 'Escape') {
      event.preventDefault();
      setTyped('');
      clearSearch();
      leave();
    }
  }

  const place = placeOf(hits, cursor);
  const count =
    query === '' || !answered
      ? ''
      : total === 0
        ? text.frame.searchNone
        : place > 0
          ? text.frame.searchResults(place, total)
          : text.common.format.count(total);

  return (
    <search
      className="find"
      onFocus={() => setOpen(true)}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        aria-label={run === null ? text.frame.searchNothing : text.frame.search}
        placeholder={run === null ? text.frame.searchNothing : text.frame.search}
        value={typed}
        disabled={run === null}
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="find-count" aria-live="polite">
        {count}
        {answered && behind > 0 && text.frame.searchBehind(behind)}
      </span>
      {typed === '' ? (
        <CommandKeys command="app.search" />
      ) : (
        <>
          <IconButton
            icon="up"
            small
            label={text.frame.previousMatch}
            disabled={total === 0}
            onClick={() => attempt(() => stepThroughMatches(-1))}
          />
          <IconButton
            icon="down"
            small
            label={text.frame.nextMatch}
            disabled={total === 0}
            onClick={() => attempt(() => stepThroughMatches(1))}
          />
          <IconButton icon="close" small label={text.frame.clearSearch} onClick={() => setTyped('')} />
        </>
      )}
      {open && answered && hits.length > 0 && (
        <HitList
          hits={hits}
          cursor={cursor}
          onChoose={(step) => {
            moveCursor(step);
            leave();
          }}
        />
      )}
    </search>
  );
}
