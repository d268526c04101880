import { useEffect, useRef, useState } from 'react';
import { IconButton } from '../../components/Button';
import { Icon } from '../../components/Icon';
import { PreviousNext } from '../../components/PreviousNext';
import { announce } from '../../state/announce';
import { useCommand } from '../../state/keys/commands';
import { useRuns } from '../../state/run/runs';
import { useTimeline } from '../../state/run/timeline';
import { attempt } from '../../state/toasts';
import { useText } from '../../text/language';
import { CommandKeys } from '../shortcuts/CommandKeys';
import { openHit } from './open-hit';
import { SearchPanel } from './SearchPanel';
import { clearSearch, placeOf, setQuery, stepThroughMatches, useSearch } from './search';
import { loadIndexProgress, startIndexNews } from './search-index';
import { remember } from './search-recent';
import { type SearchRow, useSearchRows } from './search-rows';
import { useScan } from './search-scan';

/** Long enough for the letters of one stroke to come together, ms. */
const TYPING_PAUSE_MS = 20;
const LIST = 'search-results';

/**
 * Search in the open run or all: `/` comes here, the arrows go through the results, Enter opens one (the nearest match when none is
 * chosen), `n` and `N` go on from there, Escape leaves.
 */
export function SearchBox() {
  const text = useText();
  const words = text.search;
  const input = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState('');
  const [open, setOpen] = useState(false);
  const [active, setActive] = useState(-1);
  const run = useTimeline((state) => state.run);
  const cursor = useTimeline((state) => state.cursor);
  const list = useRuns((state) => state.list);
  const search = useSearch();
  const { query, scope, pattern, answered, problem } = search;
  const scanned = useScan((state) => state.steps);
  const rows = useSearchRows(new Map(list.map(({ id, title }) => [id, title])));
  const total = pattern ? scanned : search.total;

  useEffect(() => startIndexNews(), []);
  useEffect(() => {
    if (typed === useSearch.getState().query) return;
    const timer = setTimeout(() => setQuery(typed), TYPING_PAUSE_MS);
    return () => clearTimeout(timer);
  }, [typed]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another query, another list
  useEffect(() => setActive(-1), [query, scope]);
  // What was cleared elsewhere is no longer typed here.
  useEffect(() => {
    if (query === '') setTyped('');
  }, [query]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: another run is asked the same
  useEffect(() => {
    const asked = useSearch.getState().query;
    if (asked !== '' && useSearch.getState().scope === 'run') setQuery(asked);
  }, [run]);
  useEffect(() => {
    if (query !== '' && answered && problem === null) announce('search', words.announce(words.total(total)));
  }, [query, answered, problem, total, words]);

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

  function choose(row: SearchRow): void {
    attempt(() => openHit(row));
    if (row.kind !== 'run') leave();
  }

  function enter(): void {
    const row = rows.at(active);
    if (row !== undefined) choose(row);
    else if (query !== '' && problem === null && scope === 'run') {
      remember(query);
      attempt(() => stepThroughMatches(1, cursor));
      leave();
    }
  }

  function move(by: number): void {
    let next = active;
    do next += by;
    while (rows.at(next)?.kind === 'terminals');
    if (next >= -1 && next < rows.count) setActive(next);
  }

  function onKeyDown(event: React.KeyboardEvent): void {
    if (event.key === 'Enter') enter();
    else if (event.key === 'ArrowDown') move(1);
    else if (event.key === 'ArrowUp') move(-1);
    else if (event.key === 'PageDown') setActive(Math.min(rows.count - 1, active + 10));
    else if (event.key === 'PageUp') setActive(Math.max(-1, active - 10));
    else if (event.key === 'Escape') {
      clearSearch();
      setTyped('');
      leave();
    } else return;
    event.preventDefault();
  }

  const place = placeOf(search, cursor);
  const count =
    query === '' || !answered || problem !== null
      ? ''
      : total === 0
        ? words.none
        : place > 0 && scope === 'run'
          ? words.place(place, total)
          : text.common.format.count(total);
  const name = run === null ? words.nothing : scope === 'all' ? words.workspace : words.run;

  return (
    <search
      className="find"
      onFocus={() => {
        if (!open) loadIndexProgress();
        setOpen(true);
      }}
      onBlur={(event) => {
        if (!event.currentTarget.contains(event.relatedTarget)) setOpen(false);
      }}
    >
      <Icon name="search" />
      <input
        ref={input}
        type="text"
        role="combobox"
        aria-label={name}
        aria-expanded={open && rows.count > 0}
        aria-controls={LIST}
        aria-activedescendant={active >= 0 ? `${LIST}-${active}` : undefined}
        aria-invalid={problem !== null}
        placeholder={name}
        value={typed}
        disabled={run === null}
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        onKeyDown={onKeyDown}
      />
      <span className="find-count">{count}</span>
      {typed === '' ? (
        <CommandKeys command="app.search" />
      ) : (
        <>
          <PreviousNext
            previous={words.previous}
            next={words.next}
            atFirst={total === 0}
            atLast={total === 0}
            onMove={(by) => attempt(() => stepThroughMatches(by))}
          />
          <IconButton
            icon="close"
            small
            label={words.clear}
            onClick={() => {
              clearSearch();
              setTyped('');
            }}
          />
        </>
      )}
      {open && run !== null && (
        <SearchPanel
          id={LIST}
          rows={rows}
          active={active}
          onOpen={choose}
          onQuery={(chosen) => {
            setTyped(chosen);
            input.current?.focus();
          }}
        />
      )}
    </search>
  );
}
