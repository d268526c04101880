import { Button } from '../../components/Button';
import { Empty } from '../../components/Empty';
import { setFilter, useFilter } from '../../state/rows/filter';
import { chipsOf } from '../../state/rows/filter-words';
import { useText } from '../../text/language';
import { ResultList, type ResultListProps } from './ResultList';
import { SearchFoot, SearchHead } from './SearchStatus';
import { setScope, useSearch } from './search';
import { useRecent } from './search-recent';
import { useScan } from './search-scan';
import './search.css';

export interface SearchPanelProps extends ResultListProps {
  /** A query that was searched before was chosen. */
  onQuery: (query: string) => void;
}

/** What was found, under the search box and over the timeline. */
export function SearchPanel({ onQuery, ...list }: SearchPanelProps) {
  const words = useText().search;
  const { query, problem, answered, pattern } = useSearch();
  const done = useScan((state) => state.done);
  const ended = answered && (!pattern || done);
  return (
    <div className="search-panel" data-testid="search-panel" onPointerDown={keepTyping}>
      <SearchHead />
      {problem !== null ? (
        <p className="search-problem" role="alert">
          {words.problem(problem)}
        </p>
      ) : query === '' ? (
        <Recent onQuery={onQuery} />
      ) : list.rows.count > 0 ? (
        <ResultList {...list} />
      ) : (
        ended && <NoHits />
      )}
      <SearchFoot />
    </div>
  );
}

/** A click on a choice leaves the focus in the box: what is typed next is searched for, and labels nothing. */
function keepTyping(event: React.PointerEvent): void {
  if (event.target instanceof Element && event.target.closest('button') !== null) event.preventDefault();
}

/** Why there is nothing: the filters that hide it, and the next thing to try. */
function NoHits() {
  const text = useText();
  const words = text.search;
  const { hidden, scope } = useSearch();
  const filter = useFilter((state) => state.query);
  const filters = chipsOf(filter, text).map(({ label }) => label);
  if (hidden > 0)
    return (
      <Empty icon="filter" title={words.hiddenTitle(hidden)} text={words.hiddenBy(filters.join(', '))}>
        <Button small onClick={() => setFilter({})}>
          {words.showAll}
        </Button>
      </Empty>
    );
  return (
    <Empty icon="search" title={words.emptyTitle} text={words.emptyText}>
      {scope === 'run' && (
        <Button small onClick={() => setScope('all')}>
          {words.searchAll}
        </Button>
      )}
    </Empty>
  );
}

function Recent({ onQuery }: { onQuery: (query: string) => void }) {
  const words = useText().search;
  const queries = useRecent((state) => state.queries);
  if (queries.length === 0) return null;
  return (
    <section className="search-recent" aria-label={words.recent}>
      <span className="text-11 quiet">{words.recent}</span>
      {queries.map((each) => (
        <button key={each} type="button" className="search-before mono-12 cut" onClick={() => onQuery(each)}>
          {each}
        </button>
      ))}
    </section>
  );
}
